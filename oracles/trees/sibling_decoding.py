"""Best projective tree by scores of edges and of siblings, O(n^3), and a good one of any class.

Siblings are neighbours among the dependents of one head on one side. A dependent's edge scores s(h, d), plus
p(h, a, d), where a is the next dependent of h towards h, or h itself if there is none. The items are those of
`projective_decoding`, except for B, which now parts two siblings i and j, and for open items:

    R'(i, j) = s(i, j) + best of L(i+1, j) + p(i, i, j), R'(i, k) + B(k, j) + p(i, k, j)             i < k < j
    L'(i, j) = s(j, i) + best of R(i, j-1) + p(j, j, i), B(i, k) + L'(k, j) + p(j, k, i)             i < k < j
    whole    = R(0, n), or with one root the best over r of s(0, r) + p(0, 0, r) + L(1, r) + R(r, n)

Each tree has one derivation (McDonald & Pereira 2006).

Ties: as for projective trees, and of equally good siblings none comes first, then the one furthest left.

Rearrangement, by the same authors. The best of all trees by scores of siblings is NP-hard to find. So the
best projective one is changed, an edge at a time: among all changes of one word's head that leave a tree the
one that raises the score most is made, as long as one does. With one root the word under it stays there. A
change concerns the siblings at both heads and is worth the difference of two numbers that are kept up, so
that a change takes O(n^2) to find and to make.

Ties: of the best projective trees the one above; of equally good changes that of the
first word, to the smallest head.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import LARGEST_SCORE, Scores
from treewhile.oracles.trees.best_trees import BestTree, Edge, EdgeArray, HeadArray, check_size, edge_array
from treewhile.oracles.trees.kernels.projective import PLANES, fill_columns, trace_heads
from treewhile.oracles.trees.kernels.rearranging import rearrange

SiblingArray = npt.NDArray[np.float64]  # [head, inner or the head itself, dependent]


def best_sibling_tree(
    scores: Scores,
    sibling_scores: npt.ArrayLike,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> BestTree:
    """Return the best projective tree by scores[head, dependent] and sibling_scores[head, inner, dependent].

    `inner` is the neighbour of the dependent among its head's dependents, towards the head, or the head
    itself if the dependent is the first on its side. -inf forbids. The other arguments are as in `best_tree`.
    """
    edges = edge_array(scores, forced, barred)
    siblings = sibling_array(sibling_scores, len(edges))
    return cast(BestTree, decode_siblings(edges, siblings, single_root, Interrupt()))


def decode_siblings(
    scores: EdgeArray, siblings: SiblingArray, single_root: bool, interrupt: Interrupt
) -> BestTree | None:
    """Return the best tree by scores that were checked, or None if interrupted."""
    if len(scores) == 1:
        return BestTree([], 0.0)
    heads = sibling_heads(scores, siblings, single_root, interrupt)
    if heads is None:
        return None
    score = sibling_score(heads[1:].tolist(), scores, siblings)
    if score == -inf:
        raise InputError(
            "every projective tree has an edge or siblings with the score -inf: allow more of them"
        )
    return BestTree(heads[1:].tolist(), score)


def sibling_heads(
    scores: EdgeArray, siblings: SiblingArray, single_root: bool, interrupt: Interrupt
) -> HeadArray | None:
    """Return the heads of the best tree, or None if interrupted; not a tree if every tree scores -inf."""
    chart = np.empty((PLANES, *scores.shape), scores.dtype)
    if fill_columns(scores, siblings, chart, 0, len(scores), interrupt.flag) < len(scores):
        return None
    heads: HeadArray = trace_heads(scores, siblings, chart, len(scores) - 1, single_root)
    return heads


def sibling_array(given: npt.ArrayLike, nodes: int) -> SiblingArray:
    """Return the checked scores of siblings."""
    array = np.asarray(given)
    if array.shape != (nodes,) * 3 or array.dtype.kind not in "biuf":
        raise InputError(
            f"the scores of siblings have shape {array.shape} and type {array.dtype}: give numbers, "
            f"[head, inner, dependent] over the root and each word, so {nodes} each way"
        )
    check_size("sibling", nodes - 1, 8 * nodes**3)
    siblings = np.ascontiguousarray(array, np.float64)
    is_right = (np.abs(siblings) <= LARGEST_SCORE) | (siblings == -inf)
    if not is_right.all():
        place = tuple(map(int, np.argwhere(~is_right)[0]))
        raise InputError(
            f"the score of siblings at {place} is {siblings[place]}: give a number up to "
            f"{LARGEST_SCORE:.0e}, or -inf for what may not be"
        )
    return siblings


def sibling_score(heads: Sequence[int], scores: npt.NDArray[Any], siblings: npt.NDArray[Any]) -> float:
    """Return the score of any tree, projective or not."""
    inner = inner_siblings(heads)
    return sum(
        float(scores[head, word] + siblings[head, inner[word - 1], word])
        for word, head in enumerate(heads, 1)
    )


def inner_siblings(heads: Sequence[int]) -> list[int]:
    """Return for each word the next dependent of its head towards the head, or the head itself; O(n)."""
    inner = [*heads]
    for words in (range(1, len(heads) + 1), range(len(heads), 0, -1)):
        nearest: dict[int, int] = {}
        for word in words:
            head = heads[word - 1]
            if (head < word) == (words.step > 0):
                inner[word - 1] = nearest.get(head, head)
                nearest[head] = word
    return inner


def rearranged_sibling_tree(
    scores: Scores,
    sibling_scores: npt.ArrayLike,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> BestTree:
    """Return a good tree of any class by edges and siblings, at least as good as the best projective one.

    The arguments are those of `best_sibling_tree`.
    """
    edges = edge_array(scores, forced, barred)
    siblings = sibling_array(sibling_scores, len(edges))
    return cast(BestTree, decode_rearranged(edges, siblings, single_root, Interrupt()))


def decode_rearranged(
    scores: EdgeArray, siblings: SiblingArray, single_root: bool, interrupt: Interrupt
) -> BestTree | None:
    """Return a good tree by checked scores; the tree so far if interrupted, or None before there is one."""
    found = decode_siblings(scores, siblings, single_root, interrupt)
    if found is None:
        return None
    heads = np.array([-1, *found.heads], np.int32)
    rearrange(scores, siblings, heads, single_root, interrupt.flag)
    rearranged = heads[1:].tolist()
    return BestTree(rearranged, sibling_score(rearranged, scores, siblings))
