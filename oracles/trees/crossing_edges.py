"""Crossing edges of a tree; each edge is identified by its dependent.

Two edges cross if exactly one end of one lies strictly between the ends of the other; edges from the root
count, which stands before word 1. So an edge is crossed if and only if some node between its ends has a
neighbour beyond them, and the farthest neighbours of each node suffice. O(n) times the length of the edges.
"""

from __future__ import annotations

from collections.abc import Sequence


def which_cross(heads: Sequence[int]) -> list[bool]:
    """Return for each word whether the edge to the word crosses another one, in a tree with all its heads."""
    first, last = _farthest_neighbours(heads)
    spans = (sorted(edge) for edge in enumerate(heads, 1))
    return [
        min(first[left + 1 : right], default=left) < left
        or max(last[left + 1 : right], default=right) > right
        for left, right in spans
    ]


def _farthest_neighbours(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the farthest left and right neighbours by node: the node itself if it has none."""
    first, last = [*range(len(heads) + 1)], [*range(len(heads) + 1)]
    for edge in enumerate(heads, 1):
        left, right = sorted(edge)
        first[right], last[left] = min(first[right], left), max(last[left], right)
    return first, last
