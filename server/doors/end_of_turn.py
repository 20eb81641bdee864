"""An adapter for eot-bench, the open end-of-turn bench: whether a turn has ended, by its transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from treewhile.incremental.completeness.completeness import NOT_BEGUN, Completeness
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.text_sources import segmenter_of, sentences_of_text
from treewhile.oracles.errors import InputError

READ: Final = 2000  # characters at the end of a turn: what comes before says nothing of its last sentence


class EndOfTurnAdapter:
    """The bench makes one without arguments; its batches have sound, too, which nobody listens to.

    adapter_id   names the runs
    score_point  the seconds of silence at which scores are compared, as other adapters of models have it
    """

    score_point: Final = 0.2

    def __init__(self, model: str = "en") -> None:
        self._name, self._model = model, load_model(model)
        if self._model.completeness is None:
            raise InputError(
                f"the model {model} has not learnt when sentences end: take another one, such as en"
            )
        self._segmenter = segmenter_of(self._model, "transcripts")
        self.adapter_id = f"treewhile-{model}-text"
        self.display_name = f"treewhile {model} (text only)"

    def supports_language(self, lang_code: str) -> bool:
        """Whether it is the language of the model, whatever its region."""
        return lang_code.replace("_", "-").partition("-")[0].lower() == self._name

    def predict_batch(self, batch: Sequence[Mapping[str, Any]]) -> list[float]:
        """The probability that the turn has ended, for each item, by its `messages`.

        Where an item has `silence_dur`, the seconds since the last word, they are reckoned in.
        """
        return [self._completeness(turn_of(item)).after(_silence_of(item)).ends for item in batch]

    def _completeness(self, turn: str) -> Completeness:
        """Of the last sentence of a turn."""
        words = self._last_words(turn)
        if not words:
            return NOT_BEGUN
        parse = GrowingParse(self._model)
        for word in words:
            parse.append(word)
        return parse.completeness()

    def _last_words(self, turn: str) -> list[str]:
        text = turn[-READ:].encode(errors="replace").decode()
        words: list[str] = []
        for sentence in sentences_of_text(self._segmenter, [text], "a transcript"):
            words = [word.form for word in sentence.words]
        return words


def turn_of(item: Mapping[str, Any]) -> str:
    """What the user has said since somebody else has; nothing where the last message is not the user's."""
    said: list[str] = []
    for message in reversed(item.get("messages") or ()):
        if message.get("role") != "user":
            break
        said.append(_text_of(message.get("content")))
    return " ".join(reversed(said))


def _text_of(content: Any) -> str:
    """A text, or the texts among parts of other kinds."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text_of(content.get("text"))
    return " ".join(map(_text_of, content)) if isinstance(content, Iterable) else ""


def _silence_of(item: Mapping[str, Any]) -> float:
    """In seconds; none where it is not known."""
    silence = item.get("silence_dur")
    return max(0.0, float(silence)) if isinstance(silence, int | float) and isfinite(silence) else 0.0
