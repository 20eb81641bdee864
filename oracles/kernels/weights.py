"""Weights of edges for a reference: gold edges alone, or the tie rule of projectivization."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.values import NEVER, UNKNOWN


@kernel
def gold_weights(heads, nodes):
    """Return weight[head, child] over increasing nodes: 1 for gold edges, NEVER for node 0, else 0."""
    weight = np.zeros((nodes.size, nodes.size), np.int64)
    weight[:, 0] = NEVER
    place = np.full(heads.size, -1, np.int32)
    for at in range(nodes.size):
        place[nodes[at]] = at
    for at in range(1, nodes.size):
        head = heads[nodes[at]]
        if head != UNKNOWN and place[head] >= 0:
            weight[place[head], at] = 1
    return weight


@kernel
def preference_weights(heads, single_root):
    """Return weight[head, child] of the tie rule, in one integer: gold edges, few roots, short edges.

    Each unit outweighs the maximum sum of all lesser ones over a tree. Few roots come first if a single root
    is required: some projective tree always has just one.
    """
    width = heads.size
    if single_root:
        gold = width * width
        root = width * gold + gold
    else:
        root = width * width
        gold = width * root + root
    weight = np.empty((width, width), np.int64)
    for head in range(width):
        for child in range(width):
            weight[head, child] = -abs(head - child)
    for child in range(1, width):
        weight[0, child] -= root
        if heads[child] != UNKNOWN:
            weight[heads[child], child] += gold
    weight[:, 0] = NEVER
    return weight
