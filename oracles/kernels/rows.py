"""Rows of numbers, in loops that add along them."""

from __future__ import annotations

from treewhile.oracles.compilation import helper


@helper
def improve(best, gain, value):
    """The better of both along a row. A call, or a branch round the assignment, takes four times as long."""
    for q in range(best.size):
        way = gain + value[q]
        best[q] = way if way > best[q] else best[q]


@helper
def best_way(a, b):
    """The first place at which a + b is greatest, and what it is there."""
    place, best = 0, a[0] + b[0]
    for k in range(1, a.size):
        if a[k] + b[k] > best:
            place, best = k, a[k] + b[k]
    return place, best
