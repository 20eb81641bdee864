"""Recurrence of gap-minding trees, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf

from treewhile.oracles.trees.kernels.gap_minding import States


def best_by_definition(states: States, single_root: bool) -> float:
    """The score of the best tree by the recursion as it stands above; minus infinity, if there is none."""
    n = states.since.size - 2

    def children(s: int, i: int, j: int) -> Iterable[tuple[int, float]]:
        for link in range(states.links[s], states.links[s + 1]):
            if i <= states.word[link] <= j:
                yield int(states.child[link]), float(states.weight[link])

    @cache
    def best(i: int, j: int, s: int) -> float:
        p = int(states.head[s])
        if i > j or i == j == p:
            return 0
        if p in (i, j):
            return best(i + (p == i), j - (p == j), s)
        return max(max(single(i, j, s), parted(i, j, s)), gapped(i, j, s))

    def single(i: int, j: int, s: int) -> float:
        if i <= states.head[s] <= j:
            return -inf
        return max((weight + best(i, j, t) for t, weight in children(s, i, j)), default=-inf)

    def parted(i: int, j: int, s: int) -> float:
        return max((best(i, k, s) + best(k + 1, j, s) for k in range(i, j)), default=-inf)

    def gapped(i: int, j: int, s: int) -> float:
        p = int(states.head[s])
        return max(
            (
                weight + best(i, a - 1, t) + best(a, b - 1, s) + best(b, j, t)
                for t, weight in children(s, i, j)
                for a in range(i + 1, j)
                for b in range(a + 1, j + 1)
                if not a <= states.head[t] < b and (a <= p < b or not i <= p <= j)
            ),
            default=-inf,
        )

    if single_root:
        return single(1, n, 0)
    return best(1, n, 0)
