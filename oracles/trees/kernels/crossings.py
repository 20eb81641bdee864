"""Crossing edges of a tree, each edge known by its dependent: all pairs of edges are compared, O(n^2)."""

from __future__ import annotations

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.trees.kernels.projections import dominates


@helper
def do_cross(heads, word, other):
    """Return whether the edges to two words cross."""
    left, right = min(word, heads[word]), max(word, heads[word])
    other_left, other_right = min(other, heads[other]), max(other, heads[other])
    return left < other_left < right < other_right or other_left < left < other_right < right


@kernel
def edge_degree(heads, projections):
    """Return the greatest number of components under an edge that the head does not dominate."""
    most = 0
    for word in range(1, heads.size):
        head = heads[word]
        left, right = min(word, head), max(word, head)
        components = 0
        for top in range(left + 1, right):
            is_top = heads[top] <= left or heads[top] >= right
            if is_top and not dominates(projections, head, top):
                components += 1
        most = max(most, components)
    return most


@kernel
def is_well_nested(heads, projections):
    """Return whether edges cross only where the head of one dominates that of the other."""
    for word in range(2, heads.size):
        for other in range(1, word):
            if do_cross(heads, word, other):
                head, other_head = heads[word], heads[other]
                if not (dominates(projections, head, other_head) or dominates(projections, other_head, head)):
                    return False
    return True


@kernel
def is_one_endpoint_crossing(heads):
    """Return whether all edges that cross one edge share an end."""
    for word in range(1, heads.size):
        shared, also_shared = -1, -1
        is_crossed = False
        for other in range(1, heads.size):
            if not do_cross(heads, word, other):
                continue
            if not is_crossed:
                is_crossed, shared, also_shared = True, other, heads[other]
                continue
            if shared != other and shared != heads[other]:
                shared = -1
            if also_shared != other and also_shared != heads[other]:
                also_shared = -1
            if shared < 0 and also_shared < 0:
                return False
    return True
