"""Heads of punctuation marks in trees whose arcs may cross."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel


@kernel
def attach_marks(tree, scores, words, is_mark):
    """Give marks that cross something the best head with which they do not, where there is one.

    tree[node - 1] are the heads of all nodes, scores[head, child] has a row for each possible head. A mark
    with dependents stays, and one below a virtual node, which may be there for it alone. Two rounds, since a
    mark between another one and its head may move first.
    """
    has_dependents = np.zeros(tree.size + 3, np.bool_)
    for node in range(tree.size):
        has_dependents[tree[node]] = True
    for _ in range(2):
        for mark in range(1, words + 1):
            head = tree[mark - 1]
            if (
                is_mark[mark - 1]
                and head > 0
                and not words < head <= tree.size
                and not has_dependents[mark]
                and not fits(tree, words, mark, head)
            ):
                tree[mark - 1] = best_fitting(tree, scores, words, mark, is_mark)


@kernel
def best_fitting(tree, scores, words, mark, is_mark):
    """Return the best head of a mark below which it crosses nothing, its own one if there is none."""
    best, greatest = tree[mark - 1], np.float32(-np.inf)
    for head in range(1, min(len(scores), tree.size + 2)):
        is_other_mark = head <= words and is_mark[head - 1]
        if scores[head, mark] > greatest and not is_other_mark and fits(tree, words, mark, head):
            best, greatest = np.int32(head), scores[head, mark]
    return best


@kernel
def fits(tree, words, mark, head):
    """Return whether a mark without dependents crosses nothing below a head, whatever its head is."""
    later = tree.size + 1
    if (head < later and tree[head - 1] > later) or is_below(tree, head, mark):
        return False
    for between in range(min(mark, head) + 1, min(max(mark, head), words + 1)):
        if between != mark and not is_below(tree, between, head):
            return False
    for child in range(1, later):
        above = tree[child - 1]
        is_covered = min(above, child) < mark < max(above, child) and above <= later and child != mark
        if is_covered and not is_below(tree, head, above):
            return False
    return True


@kernel
def is_below(tree, node, other):
    """Return whether a node is another one, or below it."""
    while node != other and 0 < node <= tree.size:
        node = tree[node - 1]
    return node == other
