"""Margins of arcs: the score of the best tree with an arc less that of the best one without it.

In projective trees one chart gives the best tree with each arc, in O(n^3): inside values as in
`arc_decoding`, and outside values, the best sum of what completes an item to a whole tree, by the same
recurrence from wide items to narrow ones. Then the best tree with h -> d scores inside(h -> d) +
outside(h -> d), and the best one without it is the best with another head of d. In other classes each arc
asked about is forbidden, and the class's own decoder looks for another tree: most often the best of all trees
is in the class, in O(n^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.alternatives import Alternative
from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.arc_decoding import Scores, Weights
from treewhile.incremental.parsers.kernels.decoding import PLANES, best_with_arcs
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.oracles.errors import InputError

Decode = Callable[[Weights], Numbers | None]  # None if interrupted; an InputError if there is no tree


class ArcMargin(NamedTuple):
    """Margin of the arc to a word, in natural logarithms of probabilities, and the arc's best rival.

    The margin is negative for an arc that the best tree does not have, inf if no tree has another, and then
    there is no rival, and -inf if no tree has this one. The rival is the other head in the best tree without
    the arc, with its likeliest label. The alternatives are as in `alternatives_to`.
    """

    word: int
    arc: Decision
    margin: float
    rival: Decision | None
    alternatives: tuple[Alternative, ...] = ()


class Lead(NamedTuple):
    """Margin of an arc, and the other head as the number of a node; None if there is none."""

    margin: float
    rival: int | None


SURE: Final = Lead(math.inf, None)


def best_with_each_arc(weights: Weights) -> Scores:
    """Return [head, dependent]: the sum of the best projective tree with each arc; -inf if there is none.

    Rows and columns are those of the weights; UNUSED and LATER have no arcs of their own here.
    """
    size = weights.later + 1
    best = np.empty((size, size), np.float32)
    best_with_arcs(weights.weight, weights.t, np.empty((2, PLANES, size, size), np.float32), best)
    return best


def leads_in_chart(weights: Weights, heads: Mapping[int, int]) -> dict[int, Lead]:
    """Return the leads of arcs, given by dependent, among projective trees. InputError if there are none."""
    best = best_with_each_arc(weights)
    if heads and best[:, next(iter(heads))].max() == -math.inf:
        raise InputError("every tree has an arc with the score -inf: allow each word a head")
    return {word: _lead(best[:, word], head) for word, head in heads.items()}


def _lead(best: Scores, head: int) -> Lead:
    """Return the lead of a head, given the best sums with each head."""
    others = best.copy()
    others[head] = -math.inf
    rival = int(others.argmax())
    return SURE if others[rival] == -math.inf else Lead(float(best[head] - others[rival]), rival)


def leads_by_decoding(weights: Weights, heads: Mapping[int, int], decode: Decode) -> dict[int, Lead]:
    """Return the leads of arcs, given by dependent, among the trees of a decoder, until interrupted."""
    best, leads = decode(weights), dict[int, Lead]()
    if best is None:
        return leads
    for word, head in heads.items():
        is_best = best[word - 1] == head
        having = best if is_best else _decoded(decode, with_arc(weights, head, word))
        other = _decoded(decode, without_arc(weights, head, word)) if is_best else best
        if having is None or other is None:
            break
        score, rival_score = _score(weights, having), _score(weights, other)
        leads[word] = SURE if rival_score == -math.inf else Lead(score - rival_score, int(other[word - 1]))
    return leads


NO_TREE: Final[Numbers] = np.zeros(0, np.int32)


def _decoded(decode: Decode, weights: Weights) -> Numbers | None:
    """Return the best tree, or NO_TREE if there is none."""
    try:
        return decode(weights)
    except InputError:
        return NO_TREE


def _score(weights: Weights, heads: Numbers) -> float:
    if not len(heads):
        return -math.inf
    return float(weights.weight[heads, np.arange(1, len(heads) + 1)].sum(dtype=np.float64))


def without_arc(weights: Weights, head: int, dependent: int) -> Weights:
    """Return the weights without an arc."""
    weight = weights.weight.copy()
    weight[head, dependent] = -np.inf
    return weights._replace(weight=weight)


def with_arc(weights: Weights, head: int, dependent: int) -> Weights:
    """Return the weights without the other arcs to a dependent."""
    weight = weights.weight.copy()
    weight[:, dependent] = -np.inf
    weight[head, dependent] = weights.weight[head, dependent]
    return weights._replace(weight=weight)
