"""Functions of a whole analysis that constraints use."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, part


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
