"""Best tree without a given conflict: all changes of its edges, tried; `search.changes` defines it."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.analyses import (
    cost_of_conflict,
    edge_of,
    judge_analysis,
)
from treewhile.incremental.constraints.machine.kernels.arcs import judge_arc
from treewhile.incremental.constraints.machine.kernels.changes import (
    change,
    child_of_root,
    copy_tree,
    count_on,
    hang,
    is_idle,
)
from treewhile.incremental.constraints.machine.kernels.context import is_below
from treewhile.incremental.constraints.machine.kernels.floors import floor_of_others
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, inlined
from treewhile.incremental.constraints.machine.kernels.lists import CONTEXTUAL
from treewhile.incremental.constraints.machine.kernels.pairs import cost_of_pair
from treewhile.incremental.constraints.machine.kernels.records import Edge, RemovedColumn

INTERRUPTED = -1


@inlined
def pairs_with(desk, tree, d):
    """Return the summed cost of the pairs of an edge with each other edge."""
    heads, labels, total = tree.heads, tree.labels, 0
    edge = Edge(d, heads[d], labels[d])
    for other in range(1, heads.size):
        total += cost_of_pair(desk, edge, Edge(other, heads[other], labels[other]))
    return total


@inlined
def rest_of(attack, d, plain):
    """Return the cost of all edges but a dependent's, alone and in pairs, given the cost with that edge."""
    edge = edge_of(attack.tree, d)
    judge_arc(attack.desk, attack.edges, d, edge.head)
    return plain - attack.edges.cost[d, edge.head, edge.label] - pairs_with(attack.desk, attack.tree, d)


@inlined
def has_moved(attack, d):
    tree, changed = attack.tree, attack.changed
    return tree.heads[d] != changed.heads[d] or tree.labels[d] != changed.labels[d]


@inlined
def rest_after(attack, d, before):
    """Return `rest_of` for the changed tree, given its value before the change."""
    desk, edges, total = attack.desk, attack.edges, before
    for one in range(1, attack.tree.heads.size):
        if one == d or not has_moved(attack, one):
            continue
        was, now = edge_of(attack.tree, one), edge_of(attack.changed, one)
        judge_arc(desk, edges, one, was.head)
        judge_arc(desk, edges, one, now.head)
        total += edges.cost[one, now.head, now.label] - edges.cost[one, was.head, was.label]
        for other in range(1, attack.tree.heads.size):
            if other != d and not (has_moved(attack, other) and other < one):
                total += cost_of_pair(desk, now, edge_of(attack.changed, other))
                total -= cost_of_pair(desk, was, edge_of(attack.tree, other))
    return total


@inlined
def has_edge(tree, d, h, label):
    return tree.heads[d] == h and tree.labels[d] == label


@inlined
def keeps_out(desk, tree, removed, length):
    """Return whether none of the first removed conflicts is in a tree."""
    for i in range(length):
        dx, dy = removed[i, RemovedColumn.X], removed[i, RemovedColumn.Y]
        x_head, x_label = removed[i, RemovedColumn.X_HEAD], removed[i, RemovedColumn.X_LABEL]
        if not has_edge(tree, dx, x_head, x_label):
            continue
        y_head, y_label = removed[i, RemovedColumn.Y_HEAD], removed[i, RemovedColumn.Y_LABEL]
        if dy > 0 and not has_edge(tree, dy, y_head, y_label):
            continue
        if cost_of_conflict(desk, tree, removed[i, RemovedColumn.CONSTRAINT], dx, dy) > 0:
            return False
    return True


@bare
def write_change(attack, d, h, takes_over):
    """Write the tree where a dependent has another head, but for its label."""
    copy_tree(attack.tree, attack.changed)
    if takes_over:
        hang(attack.desk, attack.edges, attack.changed, child_of_root(attack.tree.heads, d), d)
    change(attack.desk, attack.edges, attack.changed, d, h)


@bare
def moves_others(situation, heads, d, h):
    """Return whether another dependent moves along with a change of head; `change` defines this."""
    later, before = situation.later, heads[d]
    if 1 <= h < later and (is_below(heads, later, h, d) or is_idle(situation, heads, h)):
        return True
    if not situation.t < before < later or before == h:
        return False
    return count_on(heads, before) == 1


@bare
def best_change(attack, plain, length, limit):
    """Return the cost of the best tree that an attack on the last of the first removed conflicts finds.

    The plain cost of the tree is given. Return IMPOSSIBLE if no tree costs less than a limit, INTERRUPTED if
    interrupted.
    """
    desk, edges, tree, changed = attack.desk, attack.edges, attack.tree, attack.changed
    situation, removed, least = desk.situation, attack.removed, limit
    for number in range(2):
        d = removed[length - 1, RemovedColumn.Y if number else RemovedColumn.X]
        if d == 0:
            continue
        unmoved, floor = rest_of(attack, d, plain), floor_of_others(edges, d)
        for h in range(situation.later + 1 + (d > situation.t)):
            for takes_over in range(1 + (h == 0 and child_of_root(tree.heads, d) > 0)):
                if attack.interrupt[0]:
                    return INTERRUPTED
                if h == d or floor + edges.least[d, h] >= least:
                    continue
                rest = unmoved
                if takes_over or moves_others(situation, tree.heads, d, h):
                    write_change(attack, d, h, takes_over)
                    if changed.heads[d] != h:
                        continue
                    rest = rest_after(attack, d, unmoved)
                if rest + edges.least[d, h] >= least:
                    continue
                judge_arc(desk, edges, d, h)
                if rest + edges.least[d, h] >= least:
                    continue
                if rest == unmoved:
                    write_change(attack, d, h, takes_over)
                for label in range(edges.cost.shape[2]):
                    cost = rest + edges.cost[d, h, label]
                    if cost >= least or has_edge(tree, d, h, label):
                        continue
                    changed.labels[d] = label
                    attack.tried[0] += 1
                    cost += pairs_with(desk, changed, d)
                    if cost >= least:
                        continue
                    cost += judge_analysis(desk, changed, CONTEXTUAL)
                    if cost < least and keeps_out(desk, changed, removed, length):
                        least = cost
                        copy_tree(changed, attack.found)
    return least if least < limit else IMPOSSIBLE
