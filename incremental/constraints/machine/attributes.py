"""Attributes of words for constraints, in columns; the attributes that grammars use.

A column is the name of an attribute, or what a term asks of single words. Programs that share columns read
the same arrays of a situation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from treewhile.incremental.constraints.language.lexicon import Pattern, Table
from treewhile.incremental.constraints.language.spellings import shape_of
from treewhile.incremental.constraints.language.terms import (
    FEATURE,
    LEARNT,
    SPELLING_OPERATIONS,
    Constraint,
    Term,
    relation_of,
)


class Affix(NamedTuple):
    """Affixes in `starts` or `ends`: the longest one that the word has counts."""

    operation: str
    affixes: tuple[str, ...]  # longest first


class Cell(NamedTuple):
    """Column of a table, where the row is that of the word."""

    table: Table
    column: str


class Containing(NamedTuple):
    """Values of a feature or a cell: the first one that the word has counts."""

    of: str | Cell
    values: tuple[str, ...]


class Matching(NamedTuple):
    """Pattern for a form or a case-folded form: the value is the pattern."""

    attribute: str
    pattern: Pattern


class Values(NamedTuple):
    """Values of a feature or a cell as a set: bits, whose meaning holds in columns of one group."""

    of: str | Cell
    group: str


Column: TypeAlias = str | Affix | Containing | Matching | Cell | Values


class Learnt(NamedTuple):
    """Lemma and XPOS of a word, None where nobody knows them."""

    lemma: str | None = None
    xpos: str | None = None


UNKNOWN: Final = Learnt()


def attribute_of(name: Column, word: str, tag: str, features: str, learnt: Learnt = UNKNOWN) -> str | None:
    """Return the value of a column for a word; None if missing."""
    match name:
        case Affix():
            return affix_of_word(name, word)
        case Containing():
            found = (attribute_of(name.of, word, tag, features) or "").split(",")
            return next((value for value in name.values if value in found), None)
        case Matching():
            matches = name.pattern.matches(spellings(word)[name.attribute])
            return name.pattern.text if matches else None
        case Cell():
            return name.table.rows.get(word.casefold(), {}).get(name.column)
        case Values():
            return attribute_of(name.of, word, tag, features)
    if name == "tag":
        return tag
    if name == "lemma":
        return learnt.lemma
    if name == "xpos":
        return learnt.xpos
    if name.startswith(FEATURE):
        return values_of(features).get(name.removeprefix(FEATURE))
    return spellings(word)[name]


def column_of(term: Term) -> Column:
    """Return the column of an attribute, an entry, or a term of SPELLING_OPERATIONS."""
    match term.operation:
        case "contains":
            of, words = term.value
            return Containing(of if isinstance(of, str) else Cell(*of), (*sorted(words),))
        case "matches":
            return Matching(*term.value)
        case "entry":
            return Cell(*term.value)
        case "attribute":
            return str(term.value)
    return Affix(term.operation, (*sorted(term.value, key=lambda affix: (-len(affix), affix)),))


def values_column(term: Term, other: Term) -> Values:
    """Return the column of the values of one operand of `meet`, given the other one."""
    columns = [column_of(one) for one in (term, other)]
    return Values(columns[0], " ".join(sorted({_name_of(column) for column in columns})))  # type: ignore[arg-type]


def _name_of(column: Column) -> str:
    return f"{column.table.name}.{column.column}" if isinstance(column, Cell) else str(column)


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


WITH_COLUMN: Final = frozenset({"attribute", "entry", *SPELLING_OPERATIONS})
TAG: Final = "tag"  # attribute of every grammar, in the first column
MOST_SPELLINGS: Final = 1 << 13  # number of words with tags and features whose numbers are cached
MOST_TAGS: Final = 1 << 6


class Numbered(NamedTuple):
    """Attributes of a node in the order of columns: numbers of names, -1 for none.

    They are the bytes of a row, which can be joined with other rows at once. A name that no grammar mentions
    has the number `Asked.other`. `others` are columns with such names that may be compared; of sets, only a
    situation knows the numbers.
    """

    row: bytes
    others: tuple[tuple[int, str], ...] = ()
    sets: tuple[tuple[int, str, tuple[str, ...]], ...] = ()  # columns of sets, with their groups and values


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
    def asks_learnt(self) -> bool:
        """True if some column is a lemma or XPOS."""
        return not {*LEARNT}.isdisjoint(self.columns)

    @cached_property
    def numbered(self) -> Callable[..., Numbered]:
        """Attributes of a word with a tag and features, and perhaps what is learnt of it; cached."""
        return lru_cache(MOST_SPELLINGS)(self._numbered_word)

    def _numbered_word(self, word: str, tag: str, features: str, learnt: Learnt = UNKNOWN) -> Numbered:
        return self._numbered([attribute_of(name, word, tag, features, learnt) for name in self.columns])

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
        sets = [
            (number, column.group, (*value.split(","),))
            for number, (column, value) in enumerate(zip(self.columns, values, strict=True))
            if isinstance(column, Values) and value is not None
        ]
        return Numbered(np.array(numbers, np.int32).tobytes(), tuple(others), tuple(sets))


def columns_of(constraints: Sequence[Constraint]) -> tuple[Column, ...]:
    """Return the attributes of words that constraints use."""
    asked = {column for constraint in constraints for part in constraint.parts for column in _columns(part)}
    return (TAG, *sorted(asked - {TAG}, key=lambda column: (type(column).__name__, repr(column))))


def _columns(term: Term) -> Iterator[Column]:
    if term.operation in WITH_COLUMN:
        yield column_of(term)
    if term.operation == "meet":
        yield from (values_column(one, other) for one, other in (term.operands, term.operands[::-1]))
