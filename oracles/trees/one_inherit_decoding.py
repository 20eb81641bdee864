"""Best 1-Inherit tree by the scores of its edges.

A tree is 1-Inherit if no node has more than one gap, no two disjoint subtrees interleave, and no node with a
gap has more than one child with words on both sides of the gap (Pitler, Kannan & Marcus 2012, Section 4). The
best score of subtrees under p over the words i to j without p, wherever p stands, is C[i, j, p]; over i..k
and m..j with a gap between them, if one child of p has words in both, it is H[i, k, m, j, p]:

    C[i, j, p] = max  score(p, x) + C[i, j, x]                      one child x of i..j, p not among i..j
                      C[i, k, p] + C[k + 1, j, p]                   children that do not reach both ends
                      H[i, k, m, j, p] + C[k + 1, m - 1, p]         a child whose gap p fills

    H[i, k, m, j, p] = max  score(p, x) + H[i, k, m, j, x]          the child x has one in both spans itself
                            score(p, x) + C[i, k, x] + C[m, j, x]   or none
                            C[i, a - 1, p] + H[a, k, m, j, p]       further children at one of four ends, such
                            H[i, a, m, j, p] + C[a + 1, k, p]       as have their words in one of the spans
                            C[m, a - 1, p] + H[i, k, a, j, p]
                            H[i, k, m, a, p] + C[a + 1, j, p]

with x in i..k or m..j, and p in neither in the first two lines of H. H has C(n + 1, 4) (n + 1) values, each
of which takes O(n), so the time is O(n^6) and the memory O(n^5), with a factor of 1/24. A forbidden edge from
a head saves no time, since all heads of a pair are computed together.

Both depend only on those words and p: a new word adds itself as a head of all old items, and items that end
in the new word.

The tie rule, from the outside in. Over a span of p the best tree is the one whose children can be divided
furthest left, else whose only child is furthest left, else whose child with a gap can have it begin, and then
end, furthest left. Over a pair, children are taken off its ends as long as possible: those furthest left
before the first end, those furthest left behind the last one, then those before and behind the gap; the child
that is left is the one furthest left, and has no child in both spans if possible.
"""

from __future__ import annotations

from math import comb
from typing import Final

import numpy as np

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray, check_size
from treewhile.oracles.trees.gap_minding_decoding import unchanged_words
from treewhile.oracles.trees.kernels.one_inherit import (
    Chart,
    copy_words,
    empty_chart,
    fill_chart,
    write_heads,
)

WORDS_TO_SPARE: Final = 2  # additional room once a sentence has grown


def decode(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    return OneInheritDecoder(single_root).decode(scores, interrupt)


class OneInheritDecoder:
    """Decoder of a growing sentence, which keeps the chart of its first words while their scores stand."""

    def __init__(self, single_root: bool) -> None:
        self.kept = 0  # number of words whose columns were still valid at the last call
        self._single_root = single_root
        self._done = 0  # number of words whose columns are filled
        self._scores: EdgeArray = np.full((1, 1), -np.inf)
        self._chart: Chart = empty_chart(0, self._scores)

    def decode(self, scores: EdgeArray, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads of the best tree, as the function `decode` does."""
        n = len(scores) - 1
        self.kept = self._done = min(self._done, unchanged_words(self._scores, scores))
        self._scores = scores.copy()
        if not self._makes_room(n, interrupt):
            return None
        by_dependent = np.ascontiguousarray(scores.T)
        if not fill_chart(self._chart, by_dependent, self._done, interrupt.flag):
            return None
        self._done = n
        heads = np.full(n + 1, -1, np.int32)
        if n:
            write_heads(self._chart, by_dependent, self._single_root, heads, interrupt.flag)
        return None if interrupt.is_set else heads

    def _makes_room(self, n: int, interrupt: Interrupt) -> bool:
        """Enlarge the chart if needed; return False if interrupted."""
        if n < len(self._chart.spans) and self._chart.spans.dtype == self._scores.dtype:
            return True
        size = n + WORDS_TO_SPARE if self._done else n
        check_size("1-inherit", n, bytes_needed(size))
        larger = empty_chart(size, self._scores)
        if not copy_words(self._chart, larger, self._done, interrupt.flag):
            return False
        self._chart = larger
        return True


def bytes_needed(n: int) -> int:
    """Return the memory that the chart of n words takes, in bytes."""
    return 8 * (n + 1) * (comb(n + 1, 4) + (n + 1) ** 2)
