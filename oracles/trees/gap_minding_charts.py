"""Gap-minding trees: a chart that keeps its values while words are added, and the best tree in it.

A tree is gap-minding if no node has more than one gap, no two disjoint subtrees interleave, and no child has
words on both sides of a gap of its head (Pitler, Kannan & Marcus 2012, Definition 6). Its nodes therefore
have children in single spans: C[i, j, p] is the best score of subtrees under p over the words i to j without
p, wherever p stands. It is 0 for no words, and else the greatest of (Claim 2)

    score(p, x) + C[i, j, x]                                       one child x of i..j, p not among i..j
    C[i, k, p] + C[k + 1, j, p]                                    children that do not reach both ends
    score(p, x) + C[i, a - 1, x] + C[a, b - 1, p] + C[b, j, x]     a child x with a gap, which p fills

where x is in one of its two parts, and p is outside i..j or in the gap. With scores of grandparents p stands
for the edge from its head g (Claim 3), and C[i, j, (g, p)] uses the words from i to j without g. Both are the
same to the chart: its states are heads, or edges into heads, and a link leads from a state to that of a
child. For k heads a word this takes O(k n^4), with grandparents O(k^2 n^4), unpruned O(n^5) and O(n^6). The
sum of the last two terms of the third line is kept for each link and each a while spans that end in one j are
filled, and then dropped, so the memory is O(n^3) or O(k n^3).

C[i, j, p] depends only on those words and p: a new word adds the columns of states in which it occurs, and
the spans that end in it; all other values stay valid.

The tie rule, from the outside in. If several trees are best over a span of p, the chosen tree is the one
1. whose child with the first word of the span reaches least far to the right,
2. whose child with that word is furthest left,
3. in which that child has no gap, or else one that begins, and then ends, furthest left.
The rule refers to trees alone, so it chooses the same tree however the sums are computed, if they are exact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import HeadArray
from treewhile.oracles.trees.kernels.gap_minding import States, fill_words, write_heads

WORDS_TO_SPARE: Final = 8  # additional room once a sentence has grown


class GapMindingChart:
    """Chart of a growing sentence: columns of words whose links have not changed are kept."""

    def __init__(self, single_root: bool) -> None:
        self.kept = 0  # number of words whose columns were still valid at the last call
        self._single_root = single_root
        self._done = 0  # number of words whose columns are filled
        self._chart: npt.NDArray[Any] = np.empty((0, 0, 0))

    def decode(self, states: States, unchanged: int, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads of the best tree, or None if interrupted; -1 for all words, if there is none.

        The first `unchanged` words have the same states, links and weights as in the last call.
        """
        self.kept = self._done = min(self._done, unchanged)
        if not self._makes_room(states, interrupt):
            return None
        self._done = self._fill(states, interrupt)
        heads = np.full(states.since.size - 1, -1, np.int32)
        if 0 < self._done == heads.size - 1:
            write_heads(self._chart, states, self._single_root, heads, interrupt.flag)
        return None if interrupt.is_set else heads

    def _fill(self, states: States, interrupt: Interrupt) -> int:
        rest = np.empty((states.child.size, states.since.size - 1), self._chart.dtype)
        first_state = int(self._single_root)  # only whole sentences hang on a root with one child
        return int(fill_words(self._chart, states, rest, self._done + 1, first_state, interrupt.flag))

    def _makes_room(self, states: States, interrupt: Interrupt) -> bool:
        """Enlarge the chart if needed, a column at a time; return False if interrupted."""
        rows, columns = states.head.size, states.since.size - 1
        if rows <= self._chart.shape[1] and columns <= self._chart.shape[0]:
            return True
        if self._done:
            rows, columns = rows + rows * WORDS_TO_SPARE // columns, columns + WORDS_TO_SPARE
        larger, used = np.empty((columns, rows, columns), states.weight.dtype), states.since[self._done + 1]
        for word in range(1, self._done + 1):
            if interrupt.is_set:
                return False
            larger[word, :used, : word + 1] = self._chart[word, :used, : word + 1]
        self._chart = larger
        return True


def bytes_needed(states: int, links: int, n: int) -> int:
    """Return the memory that the chart of n words takes, in bytes."""
    return 8 * (n + 1) * (states * (n + 1) + links)


def unchanged_words(last_word: npt.NDArray[Any], is_changed: npt.NDArray[np.bool_], n: int) -> int:
    """Return the number of words before the first one that completes a changed item."""
    return int(last_word[is_changed].min(initial=n + 1)) - 1
