"""Functions of a whole analysis that constraints use."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, part
from treewhile.incremental.constraints.machine.kernels.operations import (
    ABOVE,
    BELOW,
    BESIDE,
    BETWEEN,
    LEFT_OF,
    RIGHT_OF,
)
from treewhile.incremental.constraints.machine.kernels.records import ReadColumn


@bare
def is_below(heads, later, node, above):
    """Return whether `above` is the node or an ancestor; the walk up ends in circles, too."""
    for _ in range(later + 1):
        if node == above:
            return True
        if node < 1 or node >= later:
            return False
        node = heads[node]
    return False


@part
def bit_of(node):
    """Return the bit of a node in a set; nodes a multiple of 64 apart share one."""
    return np.int64(1) << (node & 63)


@part
def note_node(desk, node):
    """Note that the head or the label of a node is read."""
    desk.read[ReadColumn.NODES] |= bit_of(np.int64(node))


@part
def note_children(desk, node):
    """Note that the dependents of a node are read, and their labels."""
    desk.read[ReadColumn.CHILDREN] |= bit_of(np.int64(node))


@bare
def note_way_up(desk, heads, node):
    """Note that the heads of a node and of all nodes above it are read."""
    for _ in range(desk.situation.later):
        if node < 1 or node >= desk.situation.later:
            return
        note_node(desk, node)
        node = heads[node]


@bare
def note_extent(desk, heads, extent, start):
    """Note what a search for the nodes of an extent reads: also which nodes are in use, for most extents."""
    later = desk.situation.later
    if extent == BELOW:
        note_children(desk, start)
    elif extent == ABOVE:
        note_way_up(desk, heads, start)
    else:
        if 1 <= start < later:
            note_node(desk, start)
        if extent == BESIDE:
            note_children(desk, heads[start] if 1 <= start < later else start)
        note_children(desk, desk.situation.unused)


@part
def note_all(desk):
    """Note that anything may be read."""
    desk.read[ReadColumn.NODES] = -1


@part
def covers_outsider(heads, later, d, h):
    if h > later:
        return False
    for node in range(min(d, h) + 1, max(d, h)):
        if heads[node] <= later and not is_below(heads, later, node, h):
            return True
    return False


@part
def is_under(tree, later, node, members, words):
    heads, labels = tree.heads, tree.labels
    for _ in range(later + 1):
        if node < 1 or node >= later:
            return False
        if members[words, labels[node]]:
            return True
        node = heads[node]
    return False


@part
def count_below(tree, later, node, members, words):
    heads, labels, count = tree.heads, tree.labels, 0
    if node >= 0:
        for dependent in range(1, later):
            if heads[dependent] == node and members[words, labels[dependent]]:
                count += 1
    return count


@bare
def next_in_extent(heads, later, extent, start, node):
    """Return the next node of an extent after another one; `later` if there is none."""
    if start < 0:
        return later
    head = heads[start] if 1 <= start < later else later
    for one in range(node + 1, later):
        if heads[one] > later:
            continue
        if extent == BELOW:
            is_in = heads[one] == start
        elif extent == ABOVE:
            is_in = one != start and is_below(heads, later, start, one)
        elif extent == BESIDE:
            is_in = one != start and heads[one] == head and head < later
        elif extent == LEFT_OF:
            is_in = one < start
        elif extent == RIGHT_OF:
            is_in = one > start
        elif extent == BETWEEN:
            is_in = 1 <= start < later and head <= later and min(start, head) < one < max(start, head)
        else:
            is_in = True
        if is_in:
            return one
    return later


@part
def is_between(situation, d, h, members, words):
    """Return whether a word whose tag is in a set stands between; tags are column 0."""
    if h > situation.later:
        return False
    for node in range(min(d, h) + 1, min(max(d, h), situation.t + 1)):
        tag = situation.attributes[node, 0]
        if 0 <= tag < members.shape[1] and members[words, tag]:
            return True
    return False
