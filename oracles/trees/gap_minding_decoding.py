"""The best gap-minding tree by the scores of its edges, from scratch or after words were added.

`treewhile.oracles.trees.gap_minding_charts` has the recurrence, the tie rule and the chart. A state is a
head, and its links lead to the words that may hang on it. O(n^5), or O(k n^4) where words have k heads that
may be, and memory O(n^3).
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import gap_minding_charts
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray, check_size
from treewhile.oracles.trees.gap_minding_charts import GapMindingChart
from treewhile.oracles.trees.kernels.gap_minding import States


def decode(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
    """The heads of the best tree, or None if interrupted; -1 for words without one, if there is none."""
    return GapMindingDecoder(single_root).decode(scores, interrupt)


def bytes_needed(n: int) -> int:
    """About how much memory the chart of n words takes, if all edges may be."""
    return gap_minding_charts.bytes_needed(n + 1, n * n, n)


class GapMindingDecoder:
    """Decodes a sentence that grows; what was computed for its first words stands with their scores."""

    def __init__(self, single_root: bool) -> None:
        self._chart = GapMindingChart(single_root)
        self._scores: EdgeArray = np.full((1, 1), -np.inf)

    @property
    def kept(self) -> int:
        """How many words stood when a tree was asked for last."""
        return self._chart.kept

    def decode(self, scores: EdgeArray, interrupt: Interrupt) -> HeadArray | None:
        """The heads of the best tree, as the function has it."""
        links = int((scores > -np.inf).sum())
        check_size(
            "gap-minding", len(scores) - 1, gap_minding_charts.bytes_needed(len(scores), links, len(scores))
        )
        unchanged = unchanged_words(self._scores, scores)
        self._scores = scores.copy()
        return self._chart.decode(states_of(scores), unchanged, interrupt)


def unchanged_words(before: EdgeArray, after: EdgeArray) -> int:
    """How many words two sentences begin with that have the same scores among them and with the root."""
    size = min(len(before), len(after))
    words = np.arange(size)
    is_changed = before[:size, :size] != after[:size, :size]
    return gap_minding_charts.unchanged_words(np.maximum.outer(words, words), is_changed, size - 1)


def states_of(scores: EdgeArray) -> States:
    """A state for each head, and links to all words that may hang on it."""
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
