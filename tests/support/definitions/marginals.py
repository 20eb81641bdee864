"""Marginals of edges by the matrix-tree theorem, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

Weights = Sequence[Sequence[Fraction]]  # [head][dependent]


def marginals_by_definition(weight: Weights, single_root: bool) -> list[list[Fraction]]:
    """The share of the trees with an edge in the weight of all trees, exactly: the judge of the kernel."""
    nodes, total = range(len(weight)), _weight_of_trees(weight, single_root)

    def share(head: int, word: int) -> Fraction:
        if word in (0, head):
            return Fraction(0)
        return _weight_of_trees(_with_edge(weight, head, word), single_root) / total

    return [[share(head, word) for word in nodes] for head in nodes]


def _with_edge(weight: Weights, head: int, word: int) -> Weights:
    """The weights without all other edges into the word."""
    rows = enumerate(weight)
    return [[x if d != word or h == head else Fraction(0) for d, x in enumerate(row)] for h, row in rows]


def _weight_of_trees(weight: Weights, single_root: bool) -> Fraction:
    """The sum over trees of the product of the weights of their edges, by elimination of words."""
    if single_root:
        first, *others = weight
        roots = range(1, len(weight))
        alone = ([x if d == root else Fraction(0) for d, x in enumerate(first)] for root in roots)
        return sum((_weight_of_trees([row, *others], False) for row in alone), Fraction(0))
    ways = [list(row) for row in weight]
    totals = []
    for p in range(len(ways) - 1, 0, -1):
        totals.append(sum((ways[h][p] for h in range(p)), Fraction(0)))
        if totals[-1] == 0:
            return Fraction(0)
        for m in range(1, p):
            for h in range(p):
                ways[h][m] += ways[p][m] * ways[h][p] / totals[-1]
    return prod(totals, start=Fraction(1))
