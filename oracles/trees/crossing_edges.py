"""Which edges of a tree cross others: each is known by its dependent.

Two edges cross if just one end of one lies strictly between the ends of the other; edges from the root count,
which stands before word 1. So an edge is crossed exactly if some node between its ends has a neighbour beyond
them, and it is enough to know the farthest neighbours of each node. O(n) times the length of the edges.
"""

from __future__ import annotations

from collections.abc import Sequence


def which_cross(heads: Sequence[int]) -> list[bool]:
    """[word - 1]: whether the edge to the word crosses another one, for a tree with all its heads."""
    first, last = _farthest_neighbours(heads)
    spans = (sorted(edge) for edge in enumerate(heads, 1))
    return [
        min(first[left + 1 : right], default=left) < left
        or max(last[left + 1 : right], default=right) > right
        for left, right in spans
    ]


def _farthest_neighbours(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """[node], to the left and to the right: the node itself where there is none."""
    first, last = [*range(len(heads) + 1)], [*range(len(heads) + 1)]
    for edge in enumerate(heads, 1):
        left, right = sorted(edge)
        first[right], last[left] = min(first[right], left), max(last[left], right)
    return first, last
