"""Recognition of MH4 trees, by the items of heads that can derive a tree; `tree_classes` explains them."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel

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
