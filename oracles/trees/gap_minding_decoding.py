"""Best gap-minding tree by the scores of its edges, from scratch or after words were added.

`treewhile.oracles.trees.gap_minding_charts` has the recurrence, the tie rule and the chart. A state is a
head, and its links lead to the words that may be its children. O(n^5), or O(k n^4) if words have k possible
heads, and memory O(n^3).
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import gap_minding_charts
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray, check_size
from treewhile.oracles.trees.gap_minding_charts import GapMindingChart
from treewhile.oracles.trees.kernels.gap_minding import States


def decode(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    return GapMindingDecoder(single_root).decode(scores, interrupt)


def bytes_needed(n: int) -> int:
    """Return the approximate memory that the chart of n words takes with all edges allowed, in bytes."""
    return gap_minding_charts.bytes_needed(n + 1, n * n, n)


class GapMindingDecoder:
    """Decoder of a growing sentence, which keeps the chart of its first words while their scores stand."""

    def __init__(self, single_root: bool) -> None:
        self._chart = GapMindingChart(single_root)
        self._scores: EdgeArray = np.full((1, 1), -np.inf)

    @property
    def kept(self) -> int:
        """Number of words whose columns were still valid at the last call."""
        return self._chart.kept

    def decode(self, scores: EdgeArray, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads of the best tree, as the function `decode` does."""
        links = int((scores > -np.inf).sum())
        check_size(
            "gap-minding", len(scores) - 1, gap_minding_charts.bytes_needed(len(scores), links, len(scores))
        )
        unchanged = unchanged_words(self._scores, scores)
        self._scores = scores.copy()
        return self._chart.decode(states_of(scores), unchanged, interrupt)


def unchanged_words(before: EdgeArray, after: EdgeArray) -> int:
    """Return the number of leading words of two sentences whose mutual scores are the same."""
    size = min(len(before), len(after))
    words = np.arange(size)
    is_changed = before[:size, :size] != after[:size, :size]
    return gap_minding_charts.unchanged_words(np.maximum.outer(words, words), is_changed, size - 1)


def states_of(scores: EdgeArray) -> States:
    """Return a state for each head, and links to all its possible children."""
    nodes = np.arange(len(scores) + 1)
    heads, children = np.nonzero(scores > -np.inf)
    return States(
        head=nodes[:-1].astype(np.int32),
        above=np.zeros(len(scores), np.int32),
        since=nodes,
        links=np.searchsorted(heads, nodes),
        child=children.astype(np.int32),
        word=children.astype(np.int32),
        weight=scores[heads, children],
    )
