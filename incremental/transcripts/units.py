"""Analyses as incremental units: words and arcs that are added, revoked and committed.

Whoever replays all edits of a turn has its last analysis beyond `initial` at any moment. Arcs are revoked
before their words, and added after them. What is committed is never revoked, unless its turn is discarded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from treewhile.incremental.sessions.messages import Head


@dataclass(frozen=True, slots=True)
class WordUnit:
    """A word of an analysis, counted from 1 in its turn, with its time in seconds as far as it is known.

    A word whose time alone has changed is the same word; once it is committed, it has its last time.
    """

    turn: int
    number: int
    form: str
    start: float | None = field(default=None, compare=False)
    end: float | None = field(default=None, compare=False)


class ArcUnit(NamedTuple):
    """The arc of a word: its head is a word's number in the turn, 0 for the root, or, as in analyses, -k or
    "later" for one that is still to come."""

    turn: int
    word: int
    head: Head
    label: str | None


Unit: TypeAlias = WordUnit | ArcUnit


class UnitEdit(NamedTuple):
    """What happens to a unit."""

    kind: Literal["add", "revoke", "commit"]
    unit: Unit


class TurnUnits:
    """The units of one turn that have been added and not revoked."""

    def __init__(self) -> None:
        self._words: dict[int, WordUnit] = {}
        self._arcs: dict[int, ArcUnit] = {}
        self._committed = 0  # words, the first ones

    def become(self, words: Sequence[WordUnit], arcs: Sequence[ArcUnit], committed: int) -> list[UnitEdit]:
        """The edits that lead to these units, of whose words so many first ones are certain, with their arcs.

        What was committed before has to be the same.
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
        """Commits what stands."""
        return [*self._commit(len(self._words))]

    def revoke_all(self) -> list[UnitEdit]:
        """Revokes what stands, also what was committed."""
        return self.become([], [], 0)

    def _commit(self, committed: int) -> Iterator[UnitEdit]:
        numbers = range(self._committed + 1, committed + 1)
        self._committed = max(self._committed, committed)
        yield from (UnitEdit("commit", self._words[number]) for number in numbers)
        yield from (UnitEdit("commit", self._arcs[number]) for number in numbers if number in self._arcs)


def joined_edits(before: Sequence[UnitEdit], after: Sequence[UnitEdit]) -> list[UnitEdit]:
    """Return edits that lead where both lead, one after the other, without what came and went between."""
    edits: list[UnitEdit | None] = []
    places: dict[Unit, list[int]] = {}  # of edits of units that have come
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
    """What has come, in the order of words."""
    return [UnitEdit("add", unit) for number, unit in after.items() if number in gone or number not in before]
