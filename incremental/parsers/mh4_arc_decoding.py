"""Best MH4 tree by arc scores, in which arcs may cross, of a sentence or of an open prefix.

The tree of a prefix spans the same nodes as in `arc_decoding`: the root 0, words 1 to t, virtual nodes t+1 to
t+k and LATER = t+k+1, the last child of the root. Again the root has at most one more child, and each virtual
node has a word below it or is UNUSED, beside the tree. But the tree need not be projective: it must be in
MH4, with the arc from the root to LATER included. Consequences:

- An arc may cover a child of LATER, also an arc of the root: the head that is still to come may stand
  anywhere behind the prefix, and the arc from that head crosses the arcs that cover the word.
- A virtual node may have dependents to its right, virtual ones. All used virtual nodes have a word below them
  if and only if each of them has a dependent.

The recurrence is that of `oracles.trees.four_heads`, and so is the rule for ties. The root has two places,
each virtual node two, the second one with a dependent, and all other nodes one. The items without an edge are
neighbours, or nodes with only UNUSED nodes between them: start(i, j) is the sum of their scores. The goal is
P(0, LATER), whether the root has a child or not; LATER makes arcs and never leaves. O((t + k)^4) time and
O((t + k)^3) space; in single precision.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from treewhile.incremental.parsers.arc_decoding import (
    Scores,
    Weights,
    possible,
)
from treewhile.incremental.parsers.kernels.mh4_columns import fill_virtual_columns
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads
from treewhile.oracles.trees.four_heads import Before, Chart, Places
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD, PLAIN_ROOT, ROOT

MOST_BYTES = 2 << 30


def best_mh4_tree(weights: Weights) -> tuple[Numbers, float]:
    """Return the best tree, with heads as numbers of nodes, and the sum of its scores."""
    return cast(tuple[Numbers, float], best_mh4_tree_until(weights, Interrupt()))


def best_mh4_tree_until(
    weights: Weights, interrupt: Interrupt, openings: Openings | None = None
) -> tuple[Numbers, float] | None:
    """Return the best tree and its score, with closed cells if openings are given; None if interrupted."""
    if weights.t == 0:
        return _with_score(weights, np.full(weights.later - 1, weights.unused, np.int32))
    places = prefix_places(weights, openings)
    _check_size(places)
    chart = four_heads.new_chart(len(places.weight), np.float32)
    if not _filled(places, chart, weights.t, interrupt):
        return None
    values = chart.pairs[:, places.last]
    first = ROOT if values[ROOT] > values[PLAIN_ROOT] else PLAIN_ROOT
    heads = four_heads.heads_of(places, chart, first, weights.later + 1)[1:-1]
    return _with_score(weights, np.where(heads < 0, np.int32(weights.unused), heads))


def prefix_places(weights: Weights, openings: Openings | None = None) -> Places:
    """Return the places over the nodes of a prefix, free virtual nodes before those with a dependent."""
    t, later = weights.t, weights.later
    virtual = np.arange(t + 1, later)
    node = np.concatenate([[0], np.arange(t + 1), virtual.repeat(2), [later]]).astype(np.int32)
    before = np.arange(len(node))
    with_dependent = np.arange(FIRST_WORD + t + 1, len(node) - 1, 2)
    before[ROOT], before[with_dependent] = PLAIN_ROOT, with_dependent - 1
    weight = weights.weight[np.ix_(node, node)]
    weight[PLAIN_ROOT] = -np.inf
    weight[:, [ROOT, PLAIN_ROOT, len(node) - 1]] = weight[:, with_dependent - 1] = -np.inf
    cells = four_heads.open_cells(node, openings)
    return Places(weight, before, node, _starts(weights, node, before), cells)


def _starts(weights: Weights, node: Numbers, before: Before) -> Scores:
    """Return start[i, j]: from the last word on, all nodes between i and j may be UNUSED."""
    start = four_heads.neighbours(len(node), np.float32)
    begin = FIRST_WORD + weights.t - 1
    unused = weights.weight[weights.unused, node]
    plain = [place for place in range(begin, len(node)) if before[place] == place]
    start[begin:, begin:] = -np.inf
    for at, i in enumerate(plain):
        skipped = np.float32(0)
        for j in plain[at + 1 :]:
            start[i, j] = skipped
            skipped += unused[j]
    return start


def _filled(places: Places, chart: Chart, t: int, interrupt: Interrupt) -> bool:
    """Fill all items; return False if interrupted."""
    virtual, count = FIRST_WORD + t, len(places.weight)
    left = four_heads.fill_plain_columns(places, chart, virtual - 1, interrupt)
    if left < virtual:
        return False
    order = np.lexsort((places.before != np.arange(count), -places.node))
    by_dependent = np.ascontiguousarray(places.weight.T)
    return bool(
        fill_virtual_columns(
            places.weight,
            by_dependent,
            places.before,
            places.start,
            places.is_open,
            order,
            *chart,
            virtual,
            interrupt.flag,
        )
    )


def _check_size(places: Places) -> None:
    count = len(places.weight)
    if 4 * count**3 > MOST_BYTES:
        raise InputError(
            f"{count} places of nodes need {4 * count**3 / 2**30:,.1f} GiB for mh4 trees, and at most "
            f"{MOST_BYTES >> 30} are taken: split the sentence, or parse it projectively"
        )


def _with_score(weights: Weights, heads: Numbers) -> tuple[Numbers, float]:
    score = float(weights.weight[heads, np.arange(1, len(heads) + 1)].sum(dtype=np.float64))
    possible(score)
    return heads, score
