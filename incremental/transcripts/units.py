"""Analyses as incremental units: words and arcs that are added, revoked and committed.

A replay of all edits of a turn gives its last analysis beyond `initial` at any moment. Arcs are revoked
before their words, and added after them. Committed units are never revoked, unless their turn is discarded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from treewhile.incremental.sessions.messages import Head


@dataclass(frozen=True, slots=True)
class WordUnit:
    """Word of an analysis, counted from 1 in its turn, with its times in seconds, if known.

    A word with a changed time is still the same word; once committed, it has its last time.
    """

    turn: int
    number: int
    form: str
    start: float | None = field(default=None, compare=False)
    end: float | None = field(default=None, compare=False)


class ArcUnit(NamedTuple):
    """Arc of a word: its head is a word's number in the turn, 0 for the root, -k, or "later"."""

    turn: int
    word: int
    head: Head
    label: str | None


Unit: TypeAlias = WordUnit | ArcUnit


class UnitEdit(NamedTuple):
    """Edit of one unit."""

    kind: Literal["add", "revoke", "commit"]
    unit: Unit


class TurnUnits:
    """Units of one turn that have been added and not revoked."""

    def __init__(self) -> None:
        self._words: dict[int, WordUnit] = {}
        self._arcs: dict[int, ArcUnit] = {}
        self._committed = 0  # number of committed words, the first ones

    def become(self, words: Sequence[WordUnit], arcs: Sequence[ArcUnit], committed: int) -> list[UnitEdit]:
        """Return the edits that lead to these units, and commit the first `committed` words with their arcs.

        Units committed before must be unchanged.
        """
        new_words, new_arcs = {one.number: one for one in words}, {one.word: one for one in arcs}
        others = {number for number, unit in self._words.items() if new_words.get(number) != unit}
        gone = [arc for arc in self._arcs.values() if new_arcs.get(arc.word) != arc or _touches(arc, others)]
        edits = [UnitEdit("revoke", arc) for arc in reversed(gone)]
        edits += [UnitEdit("revoke", self._words[number]) for number in sorted(others, reverse=True)]
        edits += _added(self._words, others, new_words)
        edits += _added(self._arcs, {arc.word for arc in gone}, new_arcs)
        self._words, self._arcs = new_words, new_arcs
        return [*edits, *self._commit(committed)]

    def commit_all(self) -> list[UnitEdit]:
        return [*self._commit(len(self._words))]

    def revoke_all(self) -> list[UnitEdit]:
        """Revoke all units, also committed ones."""
        return self.become([], [], 0)

    def _commit(self, committed: int) -> Iterator[UnitEdit]:
        numbers = range(self._committed + 1, committed + 1)
        self._committed = max(self._committed, committed)
        yield from (UnitEdit("commit", self._words[number]) for number in numbers)
        yield from (UnitEdit("commit", self._arcs[number]) for number in numbers if number in self._arcs)


def joined_edits(before: Sequence[UnitEdit], after: Sequence[UnitEdit]) -> list[UnitEdit]:
    """Return edits equivalent to both in sequence, without units added and revoked between."""
    edits: list[UnitEdit | None] = []
    places: dict[Unit, list[int]] = {}  # indices of edits of added units
    for edit in (*before, *after):
        if edit.kind == "revoke" and edit.unit in places:
            for place in places.pop(edit.unit):
                edits[place] = None
            continue
        if edit.kind == "add":
            places[edit.unit] = []
        if edit.unit in places:
            places[edit.unit].append(len(edits))
        edits.append(edit)
    return [edit for edit in edits if edit]


def _touches(arc: ArcUnit, words: set[int]) -> bool:
    return arc.word in words or arc.head in words


def _added(before: Mapping[int, Unit], gone: set[int], after: Mapping[int, Unit]) -> list[UnitEdit]:
    """Return the added units, in the order of words."""
    return [UnitEdit("add", unit) for number, unit in after.items() if number in gone or number not in before]
