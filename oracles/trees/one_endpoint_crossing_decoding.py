"""Best 1-endpoint-crossing tree, by the rules of `crossing_regions`: O(n^4) time and O(n^3) space.

One root is exact: the root has two places, as in `four_heads`. One of them has no edges, and an item with the
other has at most one; if several parts of an item include the root, one part has it in that place.

Ties: the first way into an item is taken, in the order of the rules, then by k, m, the part that may have the
edge of the root, and the rows of the rule's table; and an item without the edge i - j on top is preferred to
one with it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray
from treewhile.oracles.trees.crossing_regions import INSIDE_STATES, MOST_STATES, OUTSIDE_KINDS, joins, tables
from treewhile.oracles.trees.kernels.crossing_region_traces import trace_regions
from treewhile.oracles.trees.kernels.crossing_regions import (
    ALL_UNDER_FIRST,
    Chart,
    fill_regions,
)
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, PLAIN_ROOT, ROOT

ITEMS_WITH_EDGES: Final = 3  # number of kinds of items that are kept with an edge of the node outside


def decode(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    edges, begin = place_edges(scores, single_root), ROOT if single_root else PLAIN_ROOT
    chart = _empty_chart(len(edges))
    heads = np.full(len(scores), -1, np.int32)
    if not fill_regions(chart, joins(), edges, single_root, interrupt.flag):
        return None
    is_tree = chart.inside[begin, -1, ALL_UNDER_FIRST] > -np.inf
    if is_tree and not trace_regions(chart, edges, *tables(), begin, heads, interrupt.flag):
        return None
    return heads


def place_edges(scores: EdgeArray, single_root: bool) -> npt.NDArray[np.float64]:
    """Return scores by [place, direction, place], for `fill_regions`."""
    size = len(scores) + 1
    edges = np.zeros((size, 3, size))
    edges[:, :2] = edges[:2] = -np.inf
    edges[FIRST_WORD:, 0, FIRST_WORD:] = scores[1:, 1:].T
    edges[FIRST_WORD:, 0, ROOT if single_root else PLAIN_ROOT] = scores[0, 1:]
    edges[FIRST_WORD:, 1, FIRST_WORD:] = scores[1:, 1:]
    return edges


def _empty_chart(places: int) -> Chart:
    rows = (places, places, MOST_STATES, places)
    inside = np.empty((places, places, INSIDE_STATES))
    return Chart(inside, np.empty((OUTSIDE_KINDS, *rows)), *(np.empty(rows) for _ in range(ITEMS_WITH_EDGES)))


def bytes_needed(n: int) -> int:
    return 8 * (OUTSIDE_KINDS + ITEMS_WITH_EDGES) * MOST_STATES * (n + 2) ** 3
