"""Recurrence of projective trees with closed cells, in plain Python, and the number of its steps."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.trees.closed_projective_decoding import flags_of_nodes


def ways(openings: Openings) -> int:
    """How many sums of two items are compared, but for the one into each item that is there in any case."""
    begins, ends = flags_of_nodes(openings)
    nodes = np.arange(len(begins))
    behind = nodes[-1] - nodes
    over_arcs = (ends * nodes * behind + begins * nodes * behind).sum()
    within_halves = (begins * behind * (behind - 1) // 2 + ends * nodes * (nodes - 1) // 2).sum()
    return int(over_arcs + within_halves)


def best_score_by_definition(scores: npt.NDArray[np.float64], openings: Openings, single_root: bool) -> float:
    """What the recurrence says, as it stands above: the judge of the kernel, for a few dozen words."""
    (b, e), n = flags_of_nodes(openings), len(scores) - 1

    @cache
    def left(i: int, j: int) -> float:
        if i == j:
            return 0
        longer = (left(i, k) + max(left_1(k, j), left_0(k, j) if e[k] else -inf) for k in range(i + 1, j))
        return _best([left_0(i, j), left_1(i, j), *longer]) if b[i] else left_0(i, j)

    @cache
    def right(i: int, j: int) -> float:
        if i == j:
            return 0
        longer = (max(right_1(i, k), right_0(i, k) if b[k] else -inf) + right(k, j) for k in range(i + 1, j))
        return _best([right_0(i, j), right_1(i, j), *longer]) if e[j] else right_0(i, j)

    def left_0(i: int, j: int) -> float:
        return left(i + 1, j) + float(scores[j, i])

    def right_0(i: int, j: int) -> float:
        return right(i, j - 1) + float(scores[i, j])

    @cache
    def left_1(i: int, j: int) -> float:
        return _best(right(i, k) + left(k + 1, j) for k in range(i + 1, j) if e[k]) + float(scores[j, i])

    @cache
    def right_1(i: int, j: int) -> float:
        return _best(right(i, k) + left(k + 1, j) for k in range(i, j - 1) if b[k + 1]) + float(scores[i, j])

    if single_root:
        return _best(float(scores[0, r]) + left(1, r) + right(r, n) for r in range(1, n + 1))
    return right(0, n)


def _best(ways: Iterable[float]) -> float:
    return max(ways, default=-inf)
