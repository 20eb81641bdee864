"""Items of at most four heads, of which trees are built whose edges may cross: the class MH4.

An item is a row of nodes, 2 to 4 of them, with all that stands between neighbours hung up already. After
Gómez-Rodríguez, Carroll & Weir (2011), "Dependency parsing schemata and mildly non-projective dependency
parsing": neighbours in the sentence are an item; two items that share an end are joined; and a node inside an
item hangs on another one of it, whereby it leaves the item. With s(h, d) the score of the edge h -> d:

    P(i, j)       = start(i, j), or best over m, h of  T(i, m, j) + s(h, m)              h in i, j
    T(i, m, j)    = P(i, m) + P(m, j), or best over b, h of  Q(i, m, b, j) + s(h, b)     h in i, m, j
                                       or best over a, h of  Q(i, a, m, j) + s(h, a)     likewise
    Q(i, a, b, j) = max(P(i, a) + T(a, b, j), T(i, a, b) + P(b, j))                      i < a < b < j

start(i, j) is 0 for neighbours. Q is used where it is made and needs no place to be kept, so it takes O(n^4)
time and O(n^3) space. What ends at j rests on nothing that ends later: a new word adds a column of items.

A *place* is a node in one of its states; `before` says in which state an edge finds its head.

- The root that takes one child is two places: PLAIN_ROOT has none yet and makes no edge, ROOT has its child,
  and `before` that was PLAIN_ROOT. So both are exact, and no penalty costs precision.
- A node that needs a dependent is two places side by side: whatever it has, and with a dependent for certain.
  Only the second may hang on others. As the joint of two items it needs its dependent in one of both.
- Every other node is one place, which is its own `before`.

With x = before(m), m is a joint as P(i, m) + P(x, j) or as P(i, x) + P(m, j), and so on; and on the head h
goes from the item that has before(h) in its stead.

Cells may be closed (after Roark, Hollingshead & Bodenstab 2012): Q(i, a, b, j) is there only where the first
word behind i may begin a subtree of several words, and the last one before j may end one. Elsewhere triples
are joints, in O(1), and no two edges cross that only this item would have made, so that of O(n^4) the share
of open cells is left. All projective trees are there, whatever is closed. That is not what the flags say of
a tree: where edges cross, an item does not know where the subtrees in it begin.

A tree can have several derivations (edges and joints come in several orders), which is no matter for the best
one, but no sum over derivations is one over trees.

Ties: of the best ways into an item the first is taken. A pair is a start rather than made by an edge, and is
made by the leftmost node that can leave, under its left end rather than its right one. A triple is a joint
rather than made by an edge; its head is as far to the left as can be, and what leaves stands on the right of
m rather than on the left. What has four heads was joined at a rather than at b.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Flags, Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.kernels.four_head_traces import trace_tree
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, PLAIN_ROOT, ROOT, fill_columns

WeightArray = npt.NDArray[Any]  # float32 or float64
Numbers = npt.NDArray[np.int32]
Before = npt.NDArray[np.int64]  # of the type that kernels count in


class Places(NamedTuple):
    """The places of a sentence: ROOT, PLAIN_ROOT, words, and whatever comes after them."""

    weight: WeightArray  # [head, dependent], -inf where a place makes no edge, and where it may not leave
    before: Before
    node: Numbers
    start: WeightArray  # [i, j], what an item without edges is worth; -inf where there is none
    is_open: Flags  # [i, j], whether there may be items of four heads over them

    @property
    def last(self) -> int:
        return len(self.weight) - 1


def sentence_places(scores: WeightArray, single_root: bool, openings: Openings | None = None) -> Places:
    """The places for scores[head, dependent] of a sentence; behind its last word is one without edges."""
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
    """`before` and `node`, where all nodes are one place each, but the root, which may take any children."""
    before = np.arange(count)
    return before, np.maximum(before - 1, 0).astype(np.int32)


def neighbours(count: int, kind: npt.DTypeLike) -> WeightArray:
    """`start` of plain places."""
    start = np.full((count, count), -np.inf, kind)
    start[np.arange(PLAIN_ROOT, count - 1), np.arange(FIRST_WORD, count)] = 0
    return start


def open_cells(node: Numbers, openings: Openings | None) -> Flags:
    """Which cells [i, j] may have items of four heads: all, where nothing is known of the words in them."""
    if openings is None:
        return np.ones((len(node), len(node)), np.bool_)
    begins, ends = np.ones((2, node[-1] + 2), np.bool_)
    words = len(openings.begins)
    begins[2 : words + 1], ends[1:words] = openings.begins[1:], openings.ends[:-1]
    cells: Flags = begins[node + 1][:, None] & ends[node - 1]
    return cells


class Chart(NamedTuple):
    """Room for all items over some places, as the kernels have them."""

    pairs: WeightArray
    triples: WeightArray


def new_chart(count: int, kind: npt.DTypeLike) -> Chart:
    return Chart(np.empty((count, count), kind), np.empty((count, count, count), kind))


def fill_plain_columns(places: Places, chart: Chart, last: int, interrupt: Interrupt) -> int:
    """Fills the columns of plain places, and returns the first that is not filled."""
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
    """The heads in the best P(first, last), -1 where a node has none or there is no such item."""
    heads = np.full(nodes, -1, np.int32)
    if chart.pairs[first, places.last] > -np.inf:
        trace_tree(*places, *chart, first, places.last, heads)
    return heads
