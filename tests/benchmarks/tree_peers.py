"""What trees are decoded and weighed beside; None where a peer is not installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from tree_problems import Scores

Peer = Callable[[Any], Any]


def chu_liu_edmonds() -> Peer | None:
    """`ufal.chu_liu_edmonds`, in C++: [dependent, head] to heads and the score; any number of roots."""
    try:
        found: Peer = import_module("ufal.chu_liu_edmonds").chu_liu_edmonds
    except ImportError:
        return None
    return found


def torch_struct_marginals(multiroot: bool) -> Peer | None:
    """Those of `torch-struct`: the matrix-tree theorem and its gradient; the root's edges on the diagonal."""
    try:
        torch, distribution = import_module("torch"), import_module("torch_struct").NonProjectiveDependencyCRF
    except ImportError:
        return None
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "(?s).*arg_constraints", UserWarning)

    def marginals(scores: Scores) -> Any:
        potentials = scores[1:, 1:].copy()
        np.fill_diagonal(potentials, scores[0, 1:])
        return distribution(torch.from_numpy(potentials)[None], multiroot=multiroot).marginals[0].numpy()

    return marginals


def marginals_by_inverse(scores: Scores) -> Scores:
    """The matrix-tree theorem with one root as anyone would write it, in numpy (Koo et al. 2007)."""
    weight = np.exp(scores[1:, 1:])
    root = np.exp(scores[0, 1:])
    laplacian = np.diag(weight.sum(axis=0)) - weight
    laplacian[0] = root
    inverse = np.linalg.inv(laplacian)
    by_word, by_head = np.diag(inverse).copy(), inverse.T.copy()
    by_word[0] = 0
    by_head[0] = 0
    found = np.zeros(scores.shape)
    found[1:, 1:] = weight * (by_word - by_head)
    found[0, 1:] = root * inverse[:, 0]
    return found


def plain_chu_liu_edmonds(scores: list[list[float]]) -> list[int]:
    """The heads of the best tree in plain Python, circle by circle, any number of roots."""
    n = len(scores)
    heads = [0] + [max(range(n), key=lambda h, d=d: scores[h][d]) for d in range(1, n)]
    circle = _circle(heads)
    if not circle:
        return heads
    inside, others = sorted(circle), [node for node in range(n) if node not in circle]
    leaving = {d: max(inside, key=lambda h, d=d: scores[h][d]) for d in others}
    entering = {h: max(inside, key=lambda d, h=h: scores[h][d] - scores[heads[d]][d]) for h in others}
    smaller = [[scores[h][d] for d in others] + [_gain(scores, heads, h, entering[h])] for h in others]
    smaller.append([scores[leaving[d]][d] for d in others] + [-np.inf])
    found = plain_chu_liu_edmonds(smaller)
    for place, d in enumerate(others[1:], 1):
        heads[d] = others[found[place]] if found[place] < len(others) else leaving[d]
    h = others[found[-1]]
    heads[entering[h]] = h
    return heads


def _gain(scores: list[list[float]], heads: list[int], head: int, word: int) -> float:
    return scores[head][word] - scores[heads[word]][word]


def _circle(heads: list[int]) -> set[int]:
    for start in range(1, len(heads)):
        way = [start]
        while way[-1] and heads[way[-1]] not in way:
            way.append(heads[way[-1]])
        if way[-1]:
            return {*way[way.index(heads[way[-1]]) :]}
    return set()
