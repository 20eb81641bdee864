"""The best MH4 tree of a sentence that grows by words: items stand as long as the scores that they rest on.

What ends at one place rests on nothing behind it, so a new word fills its own column and that of the end.
An item over i..j rests on the edges between two places of it whose dependent is inside. So where the score of
h -> d has changed, items are filled again from i = min(h, d), or d - 1 where d is first, in all columns from
max(h, d) on, or d + 1 where d is last; everything else stands.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads
from treewhile.oracles.trees.best_trees import HeadArray
from treewhile.oracles.trees.four_heads import Numbers, Places, Weights
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, ROOT

ROOM = 16  # places for which there is room at once: fewer would have the chart copied at every word


class KeptMh4Chart:
    """Gives the best tree for the scores of the moment, and fills only what these have changed."""

    def __init__(self, single_root: bool = True, kind: npt.DTypeLike = np.float64) -> None:
        self.single_root = single_root
        self.filled = 0  # items over i..j that the last call had to fill
        self._places = four_heads.sentence_places(np.zeros((1, 1), kind), single_root)
        self._chart = four_heads.new_chart(ROOM, kind)
        self._known = FIRST_WORD - 1  # the last column that is filled

    def heads(self, scores: Weights, interrupt: Interrupt | None = None) -> HeadArray | None:
        """The heads for checked scores[head, dependent], as `mh4_decoding.decode` gives them."""
        places = four_heads.sentence_places(scores.astype(self._chart.pairs.dtype), self.single_root)
        self._make_room(len(places.weight))
        stale = self._stale(places)
        first_stale = np.flatnonzero(stale[FIRST_WORD:] >= 0)
        first = FIRST_WORD + int(first_stale[0]) if first_stale.size else places.last + 1
        left = four_heads.fill_plain_columns(
            places, self._chart, first, places.last, stale, interrupt or Interrupt()
        )
        self.filled = int((stale[FIRST_WORD:left] + 1).sum())
        self._places, self._known = places, left - 1
        if left <= places.last:
            return None
        return four_heads.heads_of(places, self._chart, ROOT, len(scores))

    def _stale(self, places: Places) -> Numbers:
        """For each column the last place from which its items are to be filled, -1 for none."""
        count = len(places.weight)
        stale = four_heads.all_stale(count)
        known = min(self._known + 1, count)
        common = min(len(self._places.weight), count)
        stale[:known] = _touched(
            self._places.weight[:common, :common] != places.weight[:common, :common], known
        )
        return stale

    def _make_room(self, count: int) -> None:
        """A larger chart with all that is known, where this one is too small."""
        if count <= len(self._chart.pairs):
            return
        old, known = self._chart, self._known + 1
        self._chart = four_heads.new_chart(count + ROOM, old.pairs.dtype)
        self._chart.pairs[:known, :known] = old.pairs[:known, :known]
        self._chart.triples[:known, :known, :known] = old.triples[:known, :known, :known]


def _touched(changed: npt.NDArray[np.bool_], columns: int) -> Numbers:
    """For each column the last place from which items rest on any of changed[head, dependent], or -1."""
    heads, dependents = np.nonzero(changed)
    last = np.where(heads < dependents, heads, dependents - 1)
    first_column = np.where(heads < dependents, dependents + 1, heads)
    touched = np.full(columns, -1, np.int32)
    in_reach = first_column < columns
    np.maximum.at(touched, first_column[in_reach], last[in_reach].astype(np.int32))
    return np.maximum.accumulate(touched)
