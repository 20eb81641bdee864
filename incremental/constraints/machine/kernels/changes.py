"""A new head for a dependent, and the changes that this entails; `search.changes` defines these."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.arcs import judge_arc
from treewhile.incremental.constraints.machine.kernels.context import is_below
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry, inlined
from treewhile.incremental.constraints.machine.kernels.references import by_reference


@inlined
def hang(desk, edges, tree, d, h):
    """Give a dependent a head, with the label that is best by itself."""
    judge_arc(desk, edges, d, h)
    tree.heads[d], tree.labels[d] = h, edges.label[d, h]


@inlined
def best_head(desk, edges, heads, d, keeps_tree):
    """Return the head but for UNUSED with the best single edge of a dependent; of equal ones the lowest."""
    later = desk.situation.later
    best = later
    judge_arc(desk, edges, d, later)
    for h in range(later - 1, -1, -1):
        if edges.least[d, h] <= edges.least[d, best] and not (keeps_tree and is_below(heads, later, h, d)):
            judge_arc(desk, edges, d, h)
            if edges.least[d, h] <= edges.least[d, best]:
                best = h
    return best


@bare
def count_on(heads, node):
    """Return the number of dependents of a node."""
    count = 0
    for d in range(1, heads.size):
        count += heads[d] == node
    return count


@inlined
def is_idle(situation, heads, node):
    """Return whether a node is a virtual one that is not in use."""
    return situation.t < node < situation.later and heads[node] == situation.unused


@bare
def release(situation, tree, node):
    """Unuse virtual nodes that have lost their last dependent, from a node upwards."""
    heads, unused = tree.heads, situation.unused
    while situation.t < node < situation.later and heads[node] != unused and count_on(heads, node) == 0:
        above = heads[node]
        heads[node], tree.labels[node] = unused, 0
        node = above


@bare
def child_of_root(heads, d):
    """Return the first other child of the root, or 0."""
    for child in range(1, heads.size):
        if child != d and heads[child] == 0:
            return child
    return 0


@bare
def change(desk, edges, tree, d, h):
    """Give a dependent another head, and move other nodes where needed; the caller sets the label."""
    heads, later = tree.heads, desk.situation.later
    before = heads[d]
    if 1 <= h < later and is_below(heads, later, h, d):
        child = h
        while heads[child] != d:
            child = heads[child]
        hang(desk, edges, tree, child, before)
    heads[d] = h
    if is_idle(desk.situation, heads, h):
        hang(desk, edges, tree, h, best_head(desk, edges, heads, h, True))
    release(desk.situation, tree, before)


@bare
def copy_tree(tree, to):
    for node in range(tree.heads.size):
        to.heads[node], to.labels[node] = tree.heads[node], tree.labels[node]


# --- for Python ---------------------------------------------------------------------------------------------


@entry
def place_words(desk, edges, tree, interrupt, first, step, hangs):
    """Judge the possible edges of every `step`th word from the first on, until interrupted.

    With `hangs`, each word gets the edge that is best by itself.
    """
    desk, edges, tree = by_reference(desk), by_reference(edges), by_reference(tree)
    for d in range(first, desk.situation.t + 1, step):
        if interrupt[0]:
            return
        h = best_head(desk, edges, tree.heads, d, False)
        if hangs:
            change(desk, edges, tree, d, h)
            tree.labels[d] = edges.label[d, h]


@entry
def label_words(desk, edges, tree):
    """Give each word the label that is best by itself, under the head that it has."""
    desk, edges, tree = by_reference(desk), by_reference(edges), by_reference(tree)
    for d in range(1, desk.situation.t + 1):
        hang(desk, edges, tree, d, tree.heads[d])


@entry
def hang_elsewhere(desk, edges, tree, d):
    """Give a word the best single edge from another head, if there is one; of equal ones the lowest."""
    desk, edges, tree = by_reference(desk), by_reference(edges), by_reference(tree)
    best, least = 0, IMPOSSIBLE
    for h in range(desk.situation.later + 1):
        if h != tree.heads[d]:
            judge_arc(desk, edges, d, h)
            if edges.least[d, h] < least:
                best, least = h, edges.least[d, h]
    if least < IMPOSSIBLE:
        change(desk, edges, tree, d, best)
        tree.labels[d] = edges.label[d, best]
