"""Best projective tree, first order, in O(n^3), and in O(n^2) for one more word (after Eisner 1996).

With s(h, d) the score of the edge h -> d, over nodes i < j, best = max:

    L(i, i) = R(i, i) = 0
    B(i, j)  = best over k of R(i, k) + L(k+1, j)                                        i <= k < j
    L'(i, j) = B(i, j) + s(j, i)                    R'(i, j) = B(i, j) + s(i, j)
    L(i, j)  = best over k of L(i, k) + L'(k, j)                                         i <= k < j
    R(i, j)  = best over k of R'(i, k) + R(k, j)                                         i < k <= j
    whole    = R(0, n), or with one root the best over r of s(0, r) + L(1, r) + R(r, n)

L and R are a head at the right or left end with all its dependents on the other side, L' and R' end in its
outermost dependent, B is the pair of halves between two nodes before there is an edge. All items that end in
j depend on items that end in j or before, and on scores between nodes up to j. So the chart has a column for
each right end, a new word adds one, and a changed score of the edge h -> d leaves all columns before max(h,
d) valid. Each tree has one derivation.

Ties: among trees with the same sum, the chosen tree has its choices furthest left, from the top down. The
choices are the word under the root, with a single root; each node's outermost dependent on a side; and the
split among the words between these two, where the dependent's descendants end or begin. The result does not
depend on how the chart was filled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.closed_projective_decoding import decode_closed
from treewhile.oracles.trees.kernels.projective import PLANES, fill_columns, trace_heads

Scores = npt.NDArray[Any]  # [head, dependent], float32 or float64
Heads = npt.NDArray[np.int32]  # [node]


def decode(
    scores: Scores, single_root: bool, interrupt: Interrupt, openings: Openings | None = None
) -> Heads | None:
    """Return the heads of the best tree, or None if interrupted; not a tree if every tree scores -inf."""
    if openings is not None:
        return decode_closed(scores, openings, single_root, interrupt)
    return ProjectiveChart().best_heads(scores, single_root, interrupt)


def bytes_needed(n: int) -> int:
    return 8 * PLANES * (n + 1) ** 2


class ProjectiveChart:
    """Chart of a growing sentence: columns are filled anew from the first changed score on."""

    def __init__(self) -> None:
        self.filled = 0  # number of columns that are filled
        self._scores: Scores = np.empty((0, 0))
        self._planes: Scores = np.empty((PLANES, 0, 0))

    def best_heads(self, scores: Scores, single_root: bool, interrupt: Interrupt) -> Heads | None:
        """Return the heads as `decode` does; the scores are those of all edges, old ones included."""
        self.filled = self.standing(scores)
        self._make_room(scores)
        self._scores = scores.copy()
        self.filled = fill_columns(scores, None, self._planes, self.filled, len(scores), interrupt.flag)
        if self.filled < len(scores):
            return None
        heads: Heads = trace_heads(scores, None, self._planes, len(scores) - 1, single_root)
        return heads

    def standing(self, scores: Scores) -> int:
        """Return the number of columns that are still valid for the scores."""
        if scores.dtype != self._scores.dtype:
            return 0
        size = min(self.filled, len(scores))
        head, dependent = np.nonzero(scores[:size, :size] != self._scores[:size, :size])
        return int(np.maximum(head, dependent).min(initial=size))

    def _make_room(self, scores: Scores) -> None:
        """Enlarge the planes to fit the scores, to twice the room for a growing sentence."""
        size, room = len(scores), len(self._planes[0])
        if scores.dtype == self._planes.dtype and size <= room:
            return
        grown = np.empty((PLANES, *[max(size, 2 * room)] * 2), scores.dtype)
        grown[:, : self.filled, : self.filled] = self._planes[:, : self.filled, : self.filled]
        self._planes = grown
