"""Recurrence of 1-Inherit trees, in plain Python."""

from __future__ import annotations

from functools import cache
from math import inf

from treewhile.oracles.trees.best_trees import EdgeArray


def best_by_definition(scores: EdgeArray, single_root: bool) -> float:
    """The score of the best tree by the recursion as it stands above; minus infinity, if there is none."""
    n = len(scores) - 1

    @cache
    def span(i: int, j: int, p: int) -> float:
        if i > j or i == j == p:
            return 0
        if p in (i, j):
            return span(i + (p == i), j - (p == j), p)
        return max(only_child(i, j, p), parted(i, j, p), filled(i, j, p))

    def only_child(i: int, j: int, p: int) -> float:
        if i <= p <= j:
            return -inf
        return max(float(scores[p, x]) + span(i, j, x) for x in range(i, j + 1))

    def parted(i: int, j: int, p: int) -> float:
        return max((span(i, k, p) + span(k + 1, j, p) for k in range(i, j)), default=-inf)

    def filled(i: int, j: int, p: int) -> float:
        gaps = ((k, m) for k in range(i, j - 1) for m in range(k + 2, j + 1))
        return max((pair(i, k, m, j, p) + span(k + 1, m - 1, p) for k, m in gaps), default=-inf)

    @cache
    def pair(i: int, k: int, m: int, j: int, p: int) -> float:
        wider = [
            *(span(i, a - 1, p) + pair(a, k, m, j, p) for a in range(i + 1, k + 1)),
            *(pair(i, a, m, j, p) + span(a + 1, k, p) for a in range(i, k)),
            *(span(m, a - 1, p) + pair(i, k, a, j, p) for a in range(m + 1, j + 1)),
            *(pair(i, k, m, a, p) + span(a + 1, j, p) for a in range(m, j)),
        ]
        within = [*range(i, k + 1), *range(m, j + 1)]
        if p in within:
            return max(wider, default=-inf)
        return max(
            *wider,
            *(float(scores[p, x]) + max(pair(i, k, m, j, x), span(i, k, x) + span(m, j, x)) for x in within),
        )

    return only_child(1, n, 0) if single_root else span(1, n, 0)
