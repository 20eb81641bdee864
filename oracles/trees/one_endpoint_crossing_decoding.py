"""The best 1-endpoint-crossing tree, by the rules of `crossing_regions`: O(n^4) time and O(n^3) space.

One root is exact: of all trees those with the fewest edges of the root are better, whatever their scores, and
a tree with one is always among them unless edges are barred. So both are added up side by side.

Ties: the first way into an item is taken, by the rules as they stand, then by k, m and the rows of the rule's
table; and an item is as it is rather than with the edge i - j on top.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray
from treewhile.oracles.trees.crossing_regions import KINDS, MOST_STATES, tables
from treewhile.oracles.trees.kernels.crossing_regions import (
    ALL_UNDER_FIRST,
    INSIDE,
    fill_regions,
    trace_regions,
)


def decode(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
    """The heads of the best tree, or None if interrupted; -1 for words without one, if there is none."""
    size = len(scores)
    shape = (len(KINDS), size, size, size, MOST_STATES)
    values, roots = np.empty(shape), np.empty(shape, np.float32)
    heads = np.full(size, -1, np.int32)
    edges = np.array([scores, np.zeros_like(scores)])
    edges[1, 0] = single_root
    if not fill_regions(edges, *tables(), values, roots, interrupt.flag):
        return None
    whole = (INSIDE, 0, size - 1, 0, ALL_UNDER_FIRST)
    is_tree = values[whole] > -np.inf and roots[whole] <= 1
    if is_tree and not trace_regions(edges, *tables(), values, roots, interrupt.flag, heads):
        return None
    return heads


def bytes_needed(n: int) -> int:
    return len(KINDS) * MOST_STATES * 12 * (n + 1) ** 3
