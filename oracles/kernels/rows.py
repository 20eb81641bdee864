"""Rows of numbers, in loops that vectorize."""

from __future__ import annotations

from treewhile.oracles.compilation import helper


@helper
def improve(best, gain, value):
    """The better of both along a row. A call, or a branch round the assignment, takes four times as long."""
    for q in range(best.size):
        way = gain + value[q]
        best[q] = way if way > best[q] else best[q]
