"""Recurrence of gap-minding trees with siblings, in plain Python."""

from __future__ import annotations

from functools import cache
from math import inf

from treewhile.oracles.trees.best_trees import EdgeArray
from treewhile.oracles.trees.sibling_decoding import SiblingArray


def best_by_definition(scores: EdgeArray, siblings: SiblingArray, single_root: bool) -> float:
    """The score of the best tree by the recursion as it stands above; minus infinity, if there is none."""
    n = len(scores) - 1

    def w(p: int, inner: int, x: int) -> float:
        return float(scores[p, x] + siblings[p, inner, x])

    @cache
    def best(i: int, j: int, p: int, u: int, v: int) -> float:
        if i > j or i == j == p:
            return 0 if u == v == p else -inf
        if p == i:
            return best(i + 1, j, p, u, v) if u == p else -inf
        if p == j:
            return best(i, j - 1, p, u, v) if v == p else -inf
        return max(parted(i, j, p, u, v), single(i, j, p, u, v), gapped(i, j, p, u, v))

    @cache
    def below(i: int, j: int, x: int, left: int, right: int) -> float:
        """F, with 0 for a mark that is not named."""
        marks = range(1, n + 1)
        return max(
            best(i, j, x, u, v) for u in ([left] if left else marks) for v in ([right] if right else marks)
        )

    def parted(i: int, j: int, p: int, u: int, v: int) -> float:
        parts = ((k, m) for k in range(i, j) for m in range(n + 1))
        return max((best(i, k, p, u, m) + best(k + 1, j, p, m, v) for k, m in parts), default=-inf)

    def single(i: int, j: int, p: int, u: int, v: int) -> float:
        x, inner = (v, u) if p < i else (u, v)
        if i <= p <= j or not i <= x <= j or i <= inner <= j or not min(p, x) <= inner <= max(p, x):
            return -inf
        return w(p, inner, x) + below(i, j, x, 0, 0)

    def gapped(i: int, j: int, p: int, u: int, v: int) -> float:
        return max(
            (
                below(i, a - 1, x, 0, m) + gap(i, j, p, u, v, x, a, b) + below(b, j, x, m, 0)
                for a in range(i + 1, j)
                for b in range(a + 1, j + 1)
                if a <= p < b or not i <= p <= j
                for x in (*range(i, a), *range(b, j + 1))
                for m in range(1, n + 1)
            ),
            default=-inf,
        )

    def gap(i: int, j: int, p: int, u: int, v: int, x: int, a: int, b: int) -> float:
        if p < i and x < a:
            return w(p, u, x) + best(a, b - 1, p, x, v) if p <= u < i else -inf
        if p > j and x >= b:
            return w(p, v, x) + best(a, b - 1, p, u, x) if j < v <= p else -inf
        if x >= b:
            return max(w(p, t, x) + best(a, b - 1, p, u, t) for t in range(n + 1)) if v == x else -inf
        return max(w(p, t, x) + best(a, b - 1, p, t, v) for t in range(n + 1)) if u == x else -inf

    if single_root:
        return max(w(0, 0, x) + below(1, n, x, 0, 0) for x in range(1, n + 1))
    return max(best(1, n, 0, 0, v) for v in range(1, n + 1))
