"""Best gap-minding tree by scores of edges and of siblings, an open problem in Pitler et al. 2012.

Siblings are neighbours among the children of one head on one side, as in projective trees, wherever their own
descendants are. A child's edge scores s(p, x), plus q(p, u, x), where u is the next child of p towards p, or
p itself if there is none: w(p, u, x) is the sum of both.

The boundary between two words has a mark for each head p: the child of p nearest to the boundary on the side
of p, or p itself. C[i, j, p, u, v] is the best score of subtrees under p over the words i to j, wherever p
stands, where u is the mark before i and v the mark behind j. Items inside and outside share only these marks,
so spans are joined if their marks are equal, on whichever side p is. C is 0 for no words, with u = v = p, and
else the greatest of

    C[i, k, p, u, m] + C[k + 1, j, p, m, v]                    children that do not reach both ends
    w(p, u, x) + F[i, j, x]     p < i, v = x                   one child x, p not among i..j
    w(p, v, x) + F[i, j, x]     p > j, u = x
    F[i, a-1, x, m] + G[a, b-1] + F[b, j, x, m]                a child x with a gap, which p fills, where m is
                                                               the mark of x on both sides of the gap, and G =
        w(p, u, x) + C[a, b-1, p, x, v]    p < i, x < a        the gap is beyond x
        w(p, v, x) + C[a, b-1, p, u, x]    p > j, x >= b
        w(p, t, x) + C[a, b-1, p, u, t]    p < b, x >= b, v = x     or nearer to p, or has p in it; t is any
        w(p, t, x) + C[a, b-1, p, t, v]    p >= a, x < a, u = x

where F maximizes over the marks that are not named. These are the cases of Claim 2, and in each case a tree
has exactly one mark at each boundary, so the factorization is exact; listing all trees agrees. For k heads a
word, and as many children a head, the time is O(k^3 n^4), and O(n^7) unpruned; since marks and ends are
ordered, at most one in 720 of these steps is taken. Memory O(k^2 n^3) and O(n^5).

The tie rule, from the outside in: as in `gap_minding_charts`, but marks are chosen first, the left one before
the right one, and among equally good marks those furthest left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores
from treewhile.oracles.trees.best_trees import (
    BestTree,
    Edge,
    EdgeArray,
    HeadArray,
    check_size,
    complaint,
    edge_array,
)
from treewhile.oracles.trees.kernels.gap_minding_sibling_traces import write_heads
from treewhile.oracles.trees.kernels.gap_minding_siblings import Chart, Column, Sentence, fill_chart
from treewhile.oracles.trees.sibling_decoding import SiblingArray, sibling_array, sibling_score


def best_gap_minding_sibling_tree(
    scores: Scores,
    sibling_scores: npt.ArrayLike,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> BestTree:
    """Return the best gap-minding tree by scores[head, dependent] and sibling_scores[head, inner, dependent].

    `inner` is the neighbour of the dependent among its head's dependents, towards the head, or the head
    itself if the dependent is the first on its side. -inf forbids. The other arguments are as in `best_tree`.
    """
    edges = edge_array(scores, forced, barred)
    check_size("gap-minding", len(edges) - 1, bytes_needed(edges))
    siblings = sibling_array(sibling_scores, len(edges))
    if len(edges) == 1:
        return BestTree([], 0.0)
    heads = cast(HeadArray, sibling_heads(edges, siblings, single_root, Interrupt()))
    if heads[1:].min() < 0:
        raise InputError(complaint(edges, "gap-minding"))
    tree: list[int] = heads[1:].tolist()
    return BestTree(tree, sibling_score(tree, edges, siblings))


def sibling_heads(
    scores: EdgeArray, siblings: SiblingArray, single_root: bool, interrupt: Interrupt
) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    return GapMindingSiblingDecoder(single_root).decode(scores, siblings, interrupt)


class GapMindingSiblingDecoder:
    """Decoder that keeps its chart until the next call: an interrupted call has no time to free it."""

    def __init__(self, single_root: bool) -> None:
        self._single_root = single_root
        self._tables: tuple[Chart, Column] | None = None

    def decode(self, scores: EdgeArray, siblings: SiblingArray, interrupt: Interrupt) -> HeadArray | None:
        """Return the heads of the best tree, as the function `sibling_heads` does."""
        sentence = _sentence(scores, siblings)
        self._tables = None  # frees the old tables before the new ones are allocated
        self._tables = chart, column = _empty_chart(sentence)
        heads = np.full(len(scores), -1, np.int32)
        if len(heads) > 1 and fill_chart(chart, column, sentence, interrupt.flag):
            write_heads(chart, sentence, self._single_root, heads, interrupt.flag)
        return None if interrupt.is_set else heads


def bytes_needed(scores: EdgeArray) -> int:
    """Return the memory that the chart takes for the allowed edges, in bytes."""
    marks = (scores > -np.inf).sum(axis=1) + 1
    rests = int(((scores > -np.inf) * np.outer(marks, marks)).sum())
    triples = int((marks**2).sum())
    return 8 * len(scores) * (2 * len(scores) * (triples + int(marks.sum())) + rests + triples)


def _sentence(scores: EdgeArray, siblings: SiblingArray) -> Sentence:
    is_mark = scores > -np.inf
    np.fill_diagonal(is_mark, True)
    heads, marks = np.nonzero(is_mark)
    widths = is_mark.sum(axis=1)
    first, rows = np.append(0, np.cumsum(widths)), np.append(0, np.cumsum(widths[heads]))
    inner = np.repeat(np.arange(marks.size), widths[heads])
    head = heads[inner]
    child = np.arange(inner.size) - rows[inner] + first[head]
    rests = np.where(heads == marks, 0, widths[heads] * widths[marks])
    return Sentence(
        mark=marks.astype(np.int32),
        first=first,
        triples=rows[first],
        weight=scores[head, marks[child]] + siblings[head, marks[inner], marks[child]],
        rests=np.append(0, np.cumsum(rests)),
    )


def _empty_chart(sentence: Sentence) -> tuple[Chart, Column]:
    nodes, type_ = len(sentence.first) - 1, sentence.weight.dtype
    triples, places, rests = sentence.weight.size, sentence.mark.size, sentence.rests[-1]
    chart = Chart(*(np.empty((nodes, rows, nodes), type_) for rows in (triples, places, places, triples)))
    return chart, Column(
        np.empty((rests, nodes), type_), np.empty((triples, nodes), type_), np.empty(nodes, type_)
    )
