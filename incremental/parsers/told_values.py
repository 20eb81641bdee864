"""Gold values of words, the input of models trained on gold tags: "UPOS=NOUN", and perhaps "Number=Sing".

A word of which nothing is known has an empty list; any other word has one tag, which may be `_`. Features
that were not in the model's treebank are ignored, and so are tags; but if the treebank's tags are universal
ones, any other tag is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from treewhile.incremental.treebanks.treebank import Word
from treewhile.oracles.errors import InputError

TAGS: Final = ("predicted", "gold-upos", "gold")

TAG: Final = "UPOS="
UNIVERSAL_TAGS: Final = frozenset(
    TAG + tag
    for tag in (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART"),
        *("PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
    )
)


def gold_values(tags: str, word: Word) -> list[str]:
    """Return the gold values of a word for a model trained with `--tags`."""
    if tags == "predicted":
        return []
    features = word.feats.split("|") if tags == "gold" and word.feats != "_" else []
    return [f"{TAG}{word.upos}", *features]


def as_told(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values of one word; refuse a text, which would be read letter by letter."""
    told = None if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
    if told is None or not all(isinstance(value, str) for value in told):
        raise InputError(f"the values of a word are {values!r:.40}: give a list, such as ['UPOS=NOUN']")
    return told


def told_of_all(values: object, sentences: int) -> Sequence[Sequence[Iterable[str]] | None]:
    """Return the values of a number of sentences; None for each if none are given."""
    if values is None:
        return [None] * sentences
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError(f"the values of sentences are {values!r:.40}: give a list for each sentence")
    if len(values) != sentences:
        what = f"there are {sentences} sentences, but values for {len(values)}"
        raise InputError(f"{what}: give some for each")
    return values


class ToldValues:
    """Known gold values of a model, by number."""

    def __init__(self, known: Sequence[str]) -> None:
        self._numbers = {value: number for number, value in enumerate(known)}
        tags = {value for value in known if value.startswith(TAG)}
        self._has_universal_tags = tags <= UNIVERSAL_TAGS
        self._shown_tags = ", ".join(sorted(tag.removeprefix(TAG) for tag in tags))

    def numbers(self, values: Iterable[Iterable[str]]) -> list[list[int]]:
        """Return the numbers of known values for every word; an InputError says what is wrong."""
        return [self._numbers_of(word, as_told(told)) for word, told in enumerate(values, 1)]

    def _numbers_of(self, word: int, told: tuple[str, ...]) -> list[int]:
        tags = [value for value in told if value.startswith(TAG)]
        if told and len(tags) != 1:
            what = f"word {word} is told {', '.join(told)!r:.60}: give it one tag, such as 'UPOS=NOUN'"
            raise InputError(f"{what}, with its features if the model takes them, or nothing at all")
        for tag in tags:
            if tag not in self._numbers and tag not in UNIVERSAL_TAGS and self._has_universal_tags:
                what = f"word {word} is told {tag!r:.40}, but the tags of the model are {self._shown_tags}"
                raise InputError(f"{what}: give one of these, or nothing at all")
        return [self._numbers[value] for value in told if value in self._numbers]
