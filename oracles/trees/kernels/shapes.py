"""Properties of the shape of a tree: projections and their gaps, edges that cross, recognition of MH4 trees.

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


# Inside of an item i..j, if not one word that waits for its head.
NOTHING = 0  # all words are under their heads
NO_ITEM = -1


@helper
def can_leave(heads, children, word, i, other, j):
    """Return whether a head inside i..j can leave: attached to i, j or the other, its children have left.

    Where there is no other inside head, that argument is i again.
    """
    head = heads[word]
    waits = head != i and head != j and head != other
    return not waits and children[0, word] > i and children[1, word] < j and heads[other] != word


@helper
def without_leavers(heads, children, i, inner, k, j):
    """Return the inside of an item i, inner, k, j without all that can leave; NO_ITEM if too much remains."""
    if inner == NOTHING:
        return NOTHING if can_leave(heads, children, k, i, i, j) else k
    if can_leave(heads, children, inner, i, k, j):
        return NOTHING if can_leave(heads, children, k, i, i, j) else k
    if can_leave(heads, children, k, i, inner, j):
        return NOTHING if can_leave(heads, children, inner, i, i, j) else inner
    return NO_ITEM


@kernel
def is_mh4(heads):
    n = heads.size - 1
    children = _outer_children(heads)
    ends, insides = np.empty(8 * n + 8, np.int32), np.empty(8 * n + 8, np.int32)
    begin = np.zeros(n + 3, np.int64)  # [i]: end of the items from i on, and begin of the items from i + 1 on
    row = np.empty(n + 2, np.int32)  # [j]: inside of the item i..j
    for i in range(n, -1, -1):
        row[i + 1 :] = NO_ITEM
        row[i + 1] = NOTHING
        items = begin[i + 1]
        for k in range(i + 1, n + 2):
            if row[k] == NO_ITEM:
                continue
            if items == ends.size:
                ends, insides = np.append(ends, ends), np.append(insides, insides)
            ends[items], insides[items] = k, row[k]
            items += 1
            for item in range(begin[k + 1], begin[k]):
                j = ends[item]
                if row[j] != NO_ITEM or (row[k] != NOTHING and insides[item] != NOTHING):
                    continue
                row[j] = without_leavers(heads, children, i, max(row[k], insides[item]), k, j)
        begin[i] = items
    return row[n + 1] == NOTHING


@kernel
def _outer_children(heads):
    """Return the first and the last child of each node; without children, both are beyond all nodes."""
    n = heads.size - 1
    children = np.empty((2, n + 2), np.int32)
    children[0], children[1] = n + 2, -1
    for word in range(1, n + 1):
        head = heads[word]
        children[0, head] = min(children[0, head], word)
        children[1, head] = max(children[1, head], word)
    return children


@kernel
def examine_tree(heads):
    """Return gap, edge and inheritance degree; whether well-nested, 1-endpoint-crossing, and in MH4."""
    projections = find_projections(heads)
    return (
        gap_degree(projections),
        edge_degree(heads, projections),
        inheritance_degree(heads, projections),
        is_well_nested(heads, projections),
        is_one_endpoint_crossing(heads),
        is_mh4(heads),
    )
