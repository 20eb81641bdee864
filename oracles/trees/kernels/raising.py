"""Rows of tables that are raised to the maximum of old and new values, from one place to before another."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper


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
