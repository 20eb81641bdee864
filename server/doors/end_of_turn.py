"""Door to eot-bench, a benchmark of end-of-turn detection: an adapter that uses transcripts only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from treewhile.incremental.completeness import NOT_BEGUN, Completeness
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.text_sources import segmenter_of, sentences_of_text
from treewhile.oracles.errors import InputError

READ: Final = 2000  # characters at the end of a turn; earlier ones do not affect the last sentence


class EndOfTurnAdapter:
    """Adapter that the benchmark creates without arguments; sound in the batches is ignored.

    adapter_id   name of the runs
    score_point  seconds of silence at which scores are compared, as in other model adapters
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
        """Return whether a language code is that of the model, in any region."""
        return lang_code.replace("_", "-").partition("-")[0].lower() == self._name

    def predict_batch(self, batch: Sequence[Mapping[str, Any]]) -> list[float]:
        """Return for each item the probability that the turn has ended, given its `messages`.

        The seconds since the last word, `silence_dur`, are taken into account where an item has them.
        """
        return [self._completeness(turn_of(item)).after(_silence_of(item)).ends for item in batch]

    def _completeness(self, turn: str) -> Completeness:
        """Return the completeness of the last sentence of a turn."""
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
    """Return the user's last words, in one or more messages; empty if the last message is another's."""
    said: list[str] = []
    for message in reversed(item.get("messages") or ()):
        if message.get("role") != "user":
            break
        said.append(_text_of(message.get("content")))
    return " ".join(reversed(said))


def _text_of(content: Any) -> str:
    """Return a text, or the texts among parts of several kinds."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text_of(content.get("text"))
    return " ".join(map(_text_of, content)) if isinstance(content, Iterable) else ""


def _silence_of(item: Mapping[str, Any]) -> float:
    """Return the seconds of silence of an item, 0 if they are unknown."""
    silence = item.get("silence_dur")
    return max(0.0, float(silence)) if isinstance(silence, int | float) and isfinite(silence) else 0.0
