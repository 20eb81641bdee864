"""Best MH4 tree of a sentence that grows by words: items stay valid as long as their scores do.

Items that end at one place depend on nothing behind it, so a new word fills its own column and that of the
end. An item over i..j depends on the edges between two of its places whose dependent is inside. So if the
score of h -> d has changed, items are filled again from i = min(h, d), or d - 1 if d is first, in all columns
from max(h, d) on, or d + 1 if d is last; all other items stay valid.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads
from treewhile.oracles.trees.best_trees import HeadArray
from treewhile.oracles.trees.four_heads import Numbers, Places, WeightArray
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, ROOT

ROOM = 16  # number of spare places: with fewer the chart would be copied at every word


class Mh4Chart:
    """Chart of a growing sentence, which fills only items that depend on changed scores."""

    def __init__(self) -> None:
        self.items_filled = 0  # number of items over i..j that the last call filled
        self._single_root = True
        self._places = four_heads.sentence_places(np.zeros((1, 1)), True)
        self._chart = four_heads.new_chart(ROOM, np.float64)
        self._known = FIRST_WORD - 1  # last column that is filled

    def best_heads(self, scores: WeightArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads as `mh4_decoding.decode` does; the scores are those of all edges, new and old."""
        places = four_heads.sentence_places(scores, single_root)
        self._make_room(places, single_root)
        stale = self._stale(places)
        left = four_heads.fill_plain_columns(
            places, self._chart, _first_stale(stale), places.last, stale, interrupt
        )
        self.items_filled = int((stale[FIRST_WORD:left] + 1).sum())
        self._places, self._known = places, left - 1
        if left <= places.last:
            return None
        return four_heads.heads_of(places, self._chart, ROOT, len(scores))

    def _stale(self, places: Places) -> Numbers:
        """Return for each column the last place from which its items are to be filled, -1 for none."""
        count = len(places.weight)
        stale = four_heads.all_stale(count)
        known = min(self._known + 1, count)
        common = min(len(self._places.weight), count)
        stale[:known] = _touched(
            self._places.weight[:common, :common] != places.weight[:common, :common], known
        )
        return stale

    def _make_room(self, places: Places, single_root: bool) -> None:
        """Enlarge the chart with its values, or start an empty one if precision or root rule differ."""
        count, old = len(places.weight), self._chart
        if single_root != self._single_root or places.weight.dtype != old.pairs.dtype:
            self._single_root, self._known = single_root, FIRST_WORD - 1
            self._chart = four_heads.new_chart(count + ROOM, places.weight.dtype)
        elif count > len(old.pairs):
            known = self._known + 1
            self._chart = four_heads.new_chart(count + ROOM, old.pairs.dtype)
            self._chart.pairs[:known, :known] = old.pairs[:known, :known]
            self._chart.triples[:known, :known, :known] = old.triples[:known, :known, :known]


def _first_stale(stale: Numbers) -> int:
    """Return the first column with a stale item; the number of columns if there is none."""
    columns = np.flatnonzero(stale[FIRST_WORD:] >= 0)
    return FIRST_WORD + int(columns[0]) if columns.size else len(stale)


def _touched(changed: npt.NDArray[np.bool_], columns: int) -> Numbers:
    """Return for each column the last place whose items depend on changed[head, dependent], or -1."""
    heads, dependents = np.nonzero(changed)
    last = np.where(heads < dependents, heads, dependents - 1)
    first_column = np.where(heads < dependents, dependents + 1, heads)
    touched = np.full(columns, -1, np.int32)
    in_reach = first_column < columns
    np.maximum.at(touched, first_column[in_reach], last[in_reach].astype(np.int32))
    return np.maximum.accumulate(touched)
