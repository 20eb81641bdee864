"""Loops along rows of numbers: sums, and the maximum of old and new values."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper


@helper
def improve(best, gain, value):
    """Update a row with better values. A call, or a branch round the assignment, is four times as slow."""
    for q in range(best.size):
        way = gain + value[q]
        best[q] = way if way > best[q] else best[q]


@helper
def best_way(a, b):
    """Return the first index at which a + b is greatest, and the sum."""
    place, best = 0, a[0] + b[0]
    for k in range(1, a.size):
        if a[k] + b[k] > best:
            place, best = k, a[k] + b[k]
    return place, best


@helper
def raise_row(target, row, source, other, value, begin, end):
    """Raise the row to the sums of the other row and the value, where these are greater."""
    for at in range(np.uint64(begin), np.uint64(end)):
        target[row, at] = max(target[row, at], target.dtype.type(source[other, at] + value))


@helper
def raise_by_rows(target, row, first, one, second, other, begin, end):
    """Raise the row to the sums of the two other rows, where these are greater."""
    for at in range(np.uint64(begin), np.uint64(end)):
        target[row, at] = max(target[row, at], target.dtype.type(first[one, at] + second[other, at]))
