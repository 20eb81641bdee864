"""Constituents shown at once when the words of a sentence change, and those promised.

They are carried to the current words. A constituent without remaining words is dropped; one that has lost the
words up to the end of the sentence becomes open. Open ones include new words; ended ones do not, except one
over all words: new words open it again. In a whole sentence none is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TypeAlias

from treewhile.oracles.constituents.phrase_trees import Constituent

Constituents: TypeAlias = tuple[Constituent, ...]  # outer ones first


def carried_constituents(
    constituents: Constituents, places: Sequence[int | None], words: int, is_whole: bool
) -> Constituents:
    """Return constituents for new words, given the old index of each, counted from 0; None if new."""
    if not constituents:
        return constituents
    end = len(places) if is_whole else None
    if words == len(places) and None not in places:
        stands: Iterator[Constituent] | Constituents = constituents
    else:
        stands = _renumbered(constituents, places, words)
    carried = tuple([one._replace(last=end) if one.last is None else one for one in stands])
    goes_on = constituents[0].first == 1 and constituents[0].last in (None, words) and places[-1:] == [None]
    return (carried[0]._replace(last=end), *carried[1:]) if carried and goes_on else carried


def _renumbered(
    constituents: Constituents, places: Sequence[int | None], words: int
) -> Iterator[Constituent]:
    """Yield the constituents with a remaining word, with the new numbers of their words."""
    firsts, lasts = _first_numbers(places, words), _last_numbers(places, words)
    kept = max([place for place in places if place is not None], default=-1) + 1
    for label, first, last in constituents:
        new_first, new_last = firsts[first - 1], lasts[(last or words) - 1]
        if new_first <= new_last:
            yield Constituent(label, new_first, None if last is None or last > kept else new_last)


def _first_numbers(places: Sequence[int | None], words: int) -> list[int]:
    """Return for each old index the number of the first word from there on; beyond all if none."""
    numbers = [len(places) + 1] * words
    for number in range(len(places), 0, -1):
        place = places[number - 1]
        if place is not None:
            numbers[place] = number
    for place in range(words - 2, -1, -1):
        numbers[place] = min(numbers[place], numbers[place + 1])
    return numbers


def _last_numbers(places: Sequence[int | None], words: int) -> list[int]:
    """Return for each old index the number of the last word up to there; 0 if none."""
    numbers = [0] * words
    for number, place in enumerate(places, 1):
        if place is not None:
            numbers[place] = number
    for place in range(1, words):
        numbers[place] = max(numbers[place], numbers[place - 1])
    return numbers


def with_promised(found: Constituents, shown: Constituents, promised: int) -> Constituents:
    """Return the found constituents, but keep those shown that end in the first `promised` words."""
    kept = [one for one in shown if one.last is not None and one.last <= promised]
    if not kept:
        return found
    spans = {(one.first, one.last) for one in kept}
    others = [
        one
        for one in found
        if (one.first, one.last) not in spans
        and not (one.first <= promised and any(_cross(one, other) for other in kept))
    ]
    return tuple(sorted([*kept, *others], key=_outer_first))


def _cross(one: Constituent, other: Constituent) -> bool:
    first, last = one.first, inf if one.last is None else one.last
    other_last = inf if other.last is None else other.last
    return first < other.first <= last < other_last or other.first < first <= other_last < last


def _outer_first(one: Constituent) -> tuple[int, float]:
    return one.first, -inf if one.last is None else -one.last
