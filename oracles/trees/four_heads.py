"""Items of at most four heads, which build trees whose edges may cross: the class MH4.

An item is a row of 2 to 4 nodes; all nodes between neighbours of the row have their heads already. After
Gómez-Rodríguez, Carroll & Weir (2011), "Dependency parsing schemata and mildly non-projective dependency
parsing": neighbours in the sentence are an item; two items that share an end are joined; and a node inside an
item gets another node of the item as its head, and then leaves the item. With s(h, d) the score of h -> d:

    P(i, j)       = start(i, j), or best over m, h of  T(i, m, j) + s(h, m)              h in i, j
    T(i, m, j)    = P(i, m) + P(m, j), or best over b, h of  Q(i, m, b, j) + s(h, b)     h in i, m, j
                                       or best over a, h of  Q(i, a, m, j) + s(h, a)     likewise
    Q(i, a, b, j) = max(P(i, a) + T(a, b, j), T(i, a, b) + P(b, j))                      i < a < b < j

start(i, j) is 0 for neighbours. Q is used as soon as it is made and is not stored, so the chart takes O(n^4)
time and O(n^3) space. Items that end at j depend only on items that end at j or before: a new word adds a
column of items.

A *place* is a node in one of its states; `before` is the state in which an edge finds its head.

- The root that takes one child is two places: PLAIN_ROOT has no child yet and makes no edge, ROOT has a
  child, and its `before` is PLAIN_ROOT. So both are exact, and no penalty costs precision.
- A node that needs a dependent is two places side by side: with any number of dependents, and with at least
  one. Only the second may take a head. As the joint of two items the node needs its dependent in one of them.
- Every other node is one place, which is its own `before`.

With x = before(m), m is a joint as P(i, m) + P(x, j) or as P(i, x) + P(m, j), and so on; and an edge from the
head h is added to the item that has before(h) instead of h.

Cells may be closed (after Roark, Hollingshead & Bodenstab 2012): Q(i, a, b, j) exists only if the first word
behind i may begin a subtree of several words, and the last one before j may end one. In other cells triples
are joints, in O(1), and the crossing edges that only this item would make are lost, so only the share of open
cells remains of O(n^4). All projective trees are built in any case. The flags do not have their usual meaning
for a tree: if edges cross, an item does not know where its subtrees begin.

A tree can have several derivations (edges and joints come in several orders), which does not matter for the
best tree, but a sum over derivations is not a sum over trees.

Ties: of the best ways into an item the first is taken. A pair is a start rather than made by an edge, and is
made by the leftmost node that can leave, under its left end rather than its right one. A triple is a joint
rather than made by an edge; its head is as far to the left as can be, and what leaves stands on the right of
m rather than on the left. What has four heads was joined at a rather than at b.

The goal is the item from the root to a
place without edges behind the last word: with a single root, the item from ROOT, which has its child.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Flags, Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, HeadArray
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, PLAIN_ROOT, ROOT, fill_columns, trace_tree

WeightArray = npt.NDArray[Any]  # float32 or float64
Numbers = npt.NDArray[np.int32]
Before = npt.NDArray[np.int64]  # of the integer type that kernels use for indices


class Places(NamedTuple):
    """Places of a sentence: ROOT, PLAIN_ROOT, words, and any places after the words."""

    weight: WeightArray  # [head, dependent]; -inf if a place makes no edge, or must not leave
    before: Before
    node: Numbers
    start: WeightArray  # [i, j]: value of an item without edges; -inf if there is none
    is_open: Flags  # [i, j]: whether items of four heads over i..j may exist

    @property
    def last(self) -> int:
        return len(self.weight) - 1


def sentence_places(scores: WeightArray, single_root: bool, openings: Openings | None = None) -> Places:
    """Return the places for scores[head, dependent] of a sentence, with a place without edges at its end."""
    n = len(scores) - 1
    weight = np.full((n + 3, n + 3), -np.inf, scores.dtype)
    weight[ROOT, FIRST_WORD:-1] = scores[0, 1:]
    weight[FIRST_WORD:-1, FIRST_WORD:-1] = scores[1:, 1:]
    before, node = plain_places(n + 3)
    start = neighbours(n + 3, weight.dtype)
    if single_root:
        before[ROOT] = PLAIN_ROOT
    else:
        start[ROOT] = start[PLAIN_ROOT]
    return Places(weight, before, node, start, open_cells(node, openings))


def plain_places(count: int) -> tuple[Before, Numbers]:
    """Return `before` and `node` if each node is one place, except the root, which may take any children."""
    before = np.arange(count)
    return before, np.maximum(before - 1, 0).astype(np.int32)


def neighbours(count: int, kind: npt.DTypeLike) -> WeightArray:
    """Return `start` of plain places."""
    start = np.full((count, count), -np.inf, kind)
    start[np.arange(PLAIN_ROOT, count - 1), np.arange(FIRST_WORD, count)] = 0
    return start


def open_cells(node: Numbers, openings: Openings | None) -> Flags:
    """Return the cells [i, j] that may have items of four heads: all, if the openings are unknown."""
    if openings is None:
        return np.ones((len(node), len(node)), np.bool_)
    begins, ends = np.ones((2, node[-1] + 2), np.bool_)
    words = len(openings.begins)
    begins[2 : words + 1], ends[1:words] = openings.begins[1:], openings.ends[:-1]
    cells: Flags = begins[node + 1][:, None] & ends[node - 1]
    return cells


class Chart(NamedTuple):
    """Tables for all items over some places, as the kernels use them."""

    pairs: WeightArray
    triples: WeightArray


def new_chart(count: int, kind: npt.DTypeLike) -> Chart:
    return Chart(np.empty((count, count), kind), np.empty((count, count, count), kind))


def fill_plain_columns(places: Places, chart: Chart, last: int, interrupt: Interrupt) -> int:
    """Fill the columns of plain places, and return the first that is not filled."""
    by_dependent = np.ascontiguousarray(places.weight.T)
    return int(
        fill_columns(
            places.weight,
            by_dependent,
            places.before,
            places.start,
            places.is_open,
            *chart,
            last,
            interrupt.flag,
        )
    )


def heads_of(places: Places, chart: Chart, first: int, nodes: int) -> Numbers:
    """Return the heads in the best P(first, last); -1 if a node has none or there is no such item."""
    heads = np.full(nodes, -1, np.int32)
    if chart.pairs[first, places.last] > -np.inf:
        trace_tree(*places, *chart, first, places.last, heads)
    return heads


def decode(
    scores: EdgeArray, single_root: bool, interrupt: Interrupt, openings: Openings | None = None
) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    places = sentence_places(scores, single_root, openings)
    chart = new_chart(len(places.weight), scores.dtype)
    left = fill_plain_columns(places, chart, places.last, interrupt)
    return None if left <= places.last else heads_of(places, chart, ROOT, len(scores))


def bytes_needed(n: int) -> int:
    return 8 * (n + 3) ** 3
