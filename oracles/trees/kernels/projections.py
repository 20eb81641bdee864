"""Projections of the nodes of a tree: begin, end, gaps, and the children that inherit a gap.

The projection of a node is the node with all its descendants; its blocks are the parts between its gaps.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel

# Rows of the projections, [row, node]; all are of the node's projection.
ROWS = 6
(
    FIRST,  # its first node
    LAST,
    SIZE,
    NUMBER,  # number in an order of heads before dependents, without a break in a projection
    BLOCKS,
    LAST_BLOCK,  # the first node of its last block
) = range(ROWS)


@helper
def dominates(projections, upper, lower):
    """Return whether a node lies in the projection of another."""
    below = projections[NUMBER, lower] - projections[NUMBER, upper]
    return 0 <= below < projections[SIZE, upper]


@kernel
def find_projections(heads):
    n = heads.size - 1
    projections = np.empty((ROWS, n + 1), np.int32)
    for node in range(n + 1):
        projections[FIRST, node] = projections[LAST, node] = projections[LAST_BLOCK, node] = node
        projections[SIZE, node], projections[BLOCKS, node] = 1, 0
    _number(heads, projections, _join_upwards(heads, projections))
    projections[BLOCKS, 0] = 1
    for word in range(1, n + 1):
        node = word
        while not dominates(projections, node, word - 1):
            projections[BLOCKS, node] += 1
            projections[LAST_BLOCK, node] = word
            node = heads[node]
    return projections


@kernel
def _join_upwards(heads, projections):
    """Merge projections into those of the heads; return the words in an order in which heads come last."""
    n = heads.size - 1
    awaited = np.zeros(n + 1, np.int32)  # [node]: children that are still to be joined
    for word in range(1, n + 1):
        awaited[heads[word]] += 1
    order, done = np.empty(n, np.int32), 0
    for word in range(1, n + 1):
        node = word
        while node > 0 and awaited[node] == 0:
            head = heads[node]
            projections[FIRST, head] = min(projections[FIRST, head], projections[FIRST, node])
            projections[LAST, head] = max(projections[LAST, head], projections[LAST, node])
            projections[SIZE, head] += projections[SIZE, node]
            order[done] = node
            done += 1
            awaited[node] = -1
            awaited[head] -= 1
            node = head
    return order


@kernel
def _number(heads, projections, order):
    free = np.empty(heads.size, np.int32)  # [node]: the number of its next child
    projections[NUMBER, 0], free[0] = 0, 1
    for word in order[::-1]:
        head = heads[word]
        projections[NUMBER, word], free[word] = free[head], free[head] + 1
        free[head] += projections[SIZE, word]


@kernel
def gap_degree(projections):
    return projections[BLOCKS].max() - 1


@kernel
def inheritance_degree(heads, projections):
    """Return the greatest number of children on both sides of the gap of a node with one gap."""
    inherited = np.zeros(heads.size, np.int32)
    for word in range(1, heads.size):
        head = heads[word]
        behind_gap = projections[LAST_BLOCK, head]
        if (
            projections[BLOCKS, head] == 2
            and projections[FIRST, word] < behind_gap <= projections[LAST, word]
        ):
            inherited[head] += 1
    return inherited.max()
