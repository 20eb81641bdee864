"""Rows of tables that are raised to what others make, from one place to before another."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper


@helper
def raise_row(target, row, source, other, value, begin, end):
    """Raises what is less than the other row and the value."""
    for at in range(np.uint64(begin), np.uint64(end)):
        target[row, at] = max(target[row, at], target.dtype.type(source[other, at] + value))


@helper
def raise_by_rows(target, row, first, one, second, other, begin, end):
    """Raises what is less than the two other rows together."""
    for at in range(np.uint64(begin), np.uint64(end)):
        target[row, at] = max(target[row, at], target.dtype.type(first[one, at] + second[other, at]))
