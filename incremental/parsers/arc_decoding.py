"""Best projective tree by arc scores, of a sentence or of an open prefix (after Eisner 1996).

The tree of a prefix spans the root 0, words 1 to t, virtual nodes t+1 to t+k and LATER = t+k+1, the last
child of the root: children of LATER have a head that is still to come. The tree is projective, so no arc
covers a child of LATER; the root has at most one more child; and each virtual node has a word below it, or is
UNUSED: then it stands beside the tree. A whole sentence is a prefix for which nothing comes later, so its
root has exactly one child.

With s(h, d) the score of the arc h -> d, over nodes i < j, best = max, from narrow to wide:

    L(i, i) = 0, but -inf for a virtual node            R(i, i) = 0
    B(i, j) = best over k of R(i, k) + L(k+1, j)                                                   i <= k < j
    L'(i, j) = max(B(i, j), R(i, j-1)) + s(j, i)         R'(i, j) = B(i, j) + s(i, j)
    L(i, j) = best over k of L(i, k) + L'(k, j)                                                    i <= k < j
    R(i, j) = best over k of R'(i, k) + R(k, j), or R(i, j-1) + s(UNUSED, j)                       i < k <= j
    whole   = best over r of s(0, r) + L(1, r) + B(r, LATER), or L(1, LATER)

L and R are a head at the right or left end with all its dependents on the other side, L' and R' end in its
outermost dependent, B is the pair of halves between two nodes before there is an arc. Neither a word nor
LATER can be UNUSED, and LATER is a child of the root only.

Proof of exactness: a virtual node has no dependents to its right, as they would be virtual, with a word below
them, and arcs to that word would cross. So a virtual node has a word below it if and only if it has a
dependent to its left; hence its empty L counts nowhere but in L', where the first dependent comes. An unused
node is skipped by the half that ends before it, and every node of the tree has one. O(n^3) time, O(n^2)
space.

Ties: the same scores always give the same tree, and more is not promised. Sums are in single precision.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.kernels.decoding import PLANES, best_arcs
from treewhile.incremental.parsers.nodes import Numbers, to_signed
from treewhile.oracles.errors import InputError
from treewhile.oracles.tabular_parsing import check_length

Scores = npt.NDArray[np.float32]

# Largest score; greater ones could overflow in sums, and infinity minus infinity is not a number.
LARGEST_SCORE: Final = np.float32(1e30)


class Decoded(NamedTuple):
    """Best tree, heads[node - 1] with -2 for LATER and -3 for UNUSED, and the sum of its scores."""

    heads: Numbers
    score: float


class Weights(NamedTuple):
    """Checked scores in the layout that decoders read.

    weight[head, dependent] has the rows root, words, virtual nodes, LATER, UNUSED, and the columns root (not
    read), words, virtual nodes, LATER. The last column is 0, so that R'(i, LATER) is B(i, LATER).
    """

    weight: Scores
    t: int

    @property
    def later(self) -> int:
        return len(self.weight) - 2

    @property
    def unused(self) -> int:
        return len(self.weight) - 1


def sentence_weights(scores: Scores) -> Weights:
    """Return the weights for scores[head, dependent] of a whole sentence, as in `decode_sentence`."""
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or not scores.size:
        raise InputError(
            f"the scores have shape {scores.shape}: give the root and each word a row and a column"
        )
    n = len(scores) - 1
    return _weights(scores, n, n)


def prefix_weights(scores: Scores, virtual: int) -> Weights:
    """Return the weights for scores[head, dependent] of a prefix, as in `decode_prefix`."""
    if (
        scores.ndim != 2
        or scores.shape[0] != scores.shape[1] + 2
        or scores.shape[1] <= virtual
        or virtual < 0
    ):
        raise InputError(
            f"the scores have shape {scores.shape} for {virtual} virtual nodes: give the root and each node "
            "a row and a column, then LATER and UNUSED a row"
        )
    nodes = scores.shape[1] - 1
    return _weights(scores, nodes, nodes - virtual)


def _weights(scores: Scores, nodes: int, t: int) -> Weights:
    check_length(nodes)
    weight = np.full((nodes + 3, nodes + 2), -np.inf, np.float32)
    weight[: len(scores), :-1] = scores
    weight[:, 0] = weight[-1, : t + 1] = -np.inf
    weight.ravel()[:: nodes + 3] = -np.inf  # no node is its own head
    if not weight.max() <= LARGEST_SCORE:
        head, dependent = np.argwhere(~(weight <= LARGEST_SCORE))[0]
        raise InputError(
            f"the score in row {head}, column {dependent} is {weight[head, dependent]}: "
            f"give a number up to {LARGEST_SCORE:.0e}, or -inf for an arc that may not be"
        )
    weight[:, -1] = 0
    return Weights(weight, t)


def decode_sentence(scores: Scores) -> Decoded:
    """Return the best projective tree with a single root, by scores[head 0..n, dependent 0..n].

    -inf forbids an arc. Column 0 and the diagonal are not read.
    """
    return _decoded(sentence_weights(scores))


def decode_prefix(scores: Scores, virtual: int) -> Decoded:
    """Return the best tree of a prefix by scores[head, dependent] over its words, then the virtual nodes.

    There are rows for the root, words, virtual nodes, LATER and UNUSED, and columns for the root, words and
    virtual nodes: t + k + 3 rows, t + k + 1 columns. -inf forbids an arc. Not read: column 0, the diagonal, a
    word's score for UNUSED, and that of a virtual node whose head is a virtual node to its left.
    """
    return _decoded(prefix_weights(scores, virtual))


def best_tree(weights: Weights) -> tuple[Numbers, float]:
    """Return the best tree, with heads as numbers of nodes, and the sum of its scores."""
    weight, later = weights.weight, weights.later
    heads = np.full(later + 1, weights.unused, np.int32)
    if weights.t == 0:
        score = float(weight[weights.unused, 1:later].sum(dtype=np.float64))
    else:
        chart = np.empty((PLANES, later + 1, later + 1), np.float32)
        score = best_arcs(weight, weights.t, chart, heads)
    possible(score)
    return heads[1:later], score


def _decoded(weights: Weights) -> Decoded:
    heads, score = best_tree(weights)
    return Decoded(to_signed(heads), score)


def possible(score: float) -> None:
    """Refuse scores that allow no tree, given the score of the best one."""
    if score == -math.inf:
        raise InputError(
            "every tree has an arc with the score -inf: allow each word a head, and the root a child"
        )
