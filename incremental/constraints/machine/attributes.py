"""Attributes of words for constraints: spellings, tags and features; the attributes that grammars use.

Programs that share them read the same arrays of a situation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.constraints.language.terms import FEATURE, Affix, Constraint, relation_of


def attribute_of(name: str | Affix, word: str, tag: str, features: str) -> str | None:
    """Return the form, lower, tag, shape, "feature Number" or affix of a word; None if missing."""
    if isinstance(name, Affix):
        return affix_of_word(name, word)
    if name == "tag":
        return tag
    if name.startswith(FEATURE):
        return values_of(features).get(name.removeprefix(FEATURE))
    return spellings(word)[name]


@lru_cache(1 << 12)
def values_of(features: str) -> dict[str, str]:
    """Return the values of features by name, given a column FEATS."""
    pairs = (pair.partition("=") for pair in features.split("|"))
    return {name: value for name, equals, value in pairs if equals}


def affix_of_word(asked: Affix, word: str) -> str | None:
    """Return the first of the affixes that the word has, case-insensitively."""
    has = str.startswith if asked.operation == "starts" else str.endswith
    folded = spellings(word)["lower"]
    if not has(folded, asked.affixes):  # a fast test of all affixes at once
        return None
    return next(affix for affix in asked.affixes if has(folded, affix))


@lru_cache(1 << 12)
def spellings(word: str) -> dict[str, str]:
    return {"form": word, "lower": word.casefold(), "shape": shape_of(word)}


def shape_of(word: str) -> str:
    """Return the shape: X for upper-case letters, x, d for digits, without repetition: "Xx", "d.d"."""
    return "".join(mark for mark, _ in groupby(map(_mark, word)))


def _mark(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return "d" if character.isdigit() else character


TAG: Final = "tag"  # attribute of every grammar, in the first column
MOST_SPELLINGS: Final = 1 << 13  # number of words with tags and features whose numbers are cached
MOST_TAGS: Final = 1 << 6

Column = str | Affix


class Numbered(NamedTuple):
    """Attributes of a node in the order of columns: numbers of names, -1 for none.

    They are the bytes of a row, which can be joined with other rows at once. A name that no grammar mentions
    has the number `Asked.other`. `others` are columns with such names that may be compared.
    """

    row: bytes
    others: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Asked:
    """Attributes in columns, some of which may be `compared` with each other; and the predictors."""

    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    compared: frozenset[Column]
    predictors: tuple[str, ...]
    name_numbers: dict[str, int]

    @property
    def other(self) -> int:
        """Number of all names that are not mentioned; names to be distinguished are numbered from there."""
        return len(self.name_numbers)

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def label_names(self) -> dict[str | None, tuple[int, int]]:
        """Numbers of the names of each label and its relation."""
        numbers = self.name_numbers
        return {label: (numbers[label], numbers[relation_of(label)]) for label in self.labels}

    @cached_property
    def numbered(self) -> Callable[[str, str, str], Numbered]:
        """Attributes of a word with a tag and features, cached."""
        return lru_cache(MOST_SPELLINGS)(self._numbered_word)

    def _numbered_word(self, word: str, tag: str, features: str) -> Numbered:
        return self._numbered([attribute_of(name, word, tag, features) for name in self.columns])

    @cached_property
    def numbered_tag(self) -> Callable[[str], Numbered]:
        """Attributes of a node that only has a tag, cached."""
        return lru_cache(MOST_TAGS)(self._numbered_tag)

    def _numbered_tag(self, tag: str) -> Numbered:
        return self._numbered([tag if name == TAG else None for name in self.columns])

    @cached_property
    def nothing(self) -> Numbered:
        """Attributes of a node without any."""
        return self._numbered([None] * len(self.columns))

    def _numbered(self, values: Sequence[str | None]) -> Numbered:
        known, other = self.name_numbers, self.other
        numbers = [-1 if value is None else known.get(value, other) for value in values]
        others = [
            (column, value)
            for column, value in enumerate(values)
            if value is not None and numbers[column] == other and self.columns[column] in self.compared
        ]
        return Numbered(np.array(numbers, np.int32).tobytes(), tuple(others))


def columns_of(constraints: Sequence[Constraint]) -> tuple[Column, ...]:
    """Return the attributes of words that constraints use."""
    asked = {name for constraint in constraints for name in constraint.attributes}
    affixes = {affix for constraint in constraints for affix in constraint.affixes}
    return (TAG, *sorted(asked - {TAG}), *sorted(affixes))
