"""Best tree without a given conflict, by trying all changes of its edges; and attacks in a row."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.analyses import (
    cost_of_conflict,
    edge_of,
    judge_all_again,
    judge_context_again,
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
from treewhile.incremental.constraints.machine.kernels.floors import floor_of, floor_of_others
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry, inlined
from treewhile.incremental.constraints.machine.kernels.lists import cost_of_pair
from treewhile.incremental.constraints.machine.kernels.records import (
    ConflictColumn,
    Edge,
    RemovedColumn,
)
from treewhile.incremental.constraints.machine.kernels.references import by_reference

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
def write_change(attack, d, h, is_second):
    """Write the tree where a dependent has another head, but for its label; there may be a second way."""
    copy_tree(attack.tree, attack.changed)
    if is_second and h == 0:
        hang(attack.desk, attack.edges, attack.changed, child_of_root(attack.tree.heads, d), d)
    elif is_second:
        hang(attack.desk, attack.edges, attack.changed, h, attack.tree.heads[d])
    change(attack.desk, attack.edges, attack.changed, d, h)


@inlined
def has_second_way(situation, heads, d, h):
    """Return whether the root's child can be taken over, or a virtual node put below the present head."""
    if h == 0:
        return child_of_root(heads, d) > 0
    if not is_idle(situation, heads, h) or heads[d] == situation.unused:
        return False
    return not is_below(heads, situation.later, heads[d], h)


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
def best_change(attack, known, plain, length, limit):
    """Return the cost of the best tree that an attack on the last of the first removed conflicts finds.

    The plain cost of the tree is given, and a similar tree that was judged. Return IMPOSSIBLE if no tree
    costs less than a limit, INTERRUPTED if interrupted.
    """
    desk, edges, tree, changed = attack.desk, attack.edges, attack.tree, attack.changed
    situation, removed, least = desk.situation, attack.removed, limit
    for number in range(2):
        d = removed[length - 1, RemovedColumn.Y if number else RemovedColumn.X]
        if d == 0:
            continue
        unmoved, floor = rest_of(attack, d, plain), floor_of_others(edges, d)
        for h in range(situation.later + 1 + (d > situation.t)):
            for is_second in range(1 + has_second_way(situation, tree.heads, d, h)):
                if attack.interrupt[0]:
                    return INTERRUPTED
                if h == d or floor + edges.least[d, h] >= least:
                    continue
                rest = unmoved
                if is_second or moves_others(situation, tree.heads, d, h):
                    write_change(attack, d, h, is_second)
                    if changed.heads[d] != h:
                        continue
                    rest = rest_after(attack, d, unmoved)
                if rest + edges.least[d, h] >= least:
                    continue
                judge_arc(desk, edges, d, h)
                if rest + edges.least[d, h] >= least:
                    continue
                if rest == unmoved:
                    write_change(attack, d, h, is_second)
                for label in range(edges.cost.shape[2]):
                    cost = rest + edges.cost[d, h, label]
                    if cost >= least or has_edge(tree, d, h, label):
                        continue
                    changed.labels[d] = label
                    attack.tried[0] += 1
                    cost += pairs_with(desk, changed, d)
                    if cost >= least:
                        continue
                    cost += judge_context_again(desk, changed, known)
                    if cost < least and keeps_out(desk, changed, removed, length):
                        least = cost
                        copy_tree(changed, attack.found)
    return least if least < limit else IMPOSSIBLE


@bare
def write_removed(desk, tree, conflict, removed):
    """Write a conflict of a tree as one to be removed."""
    constraint = conflict[ConflictColumn.CONSTRAINT]
    x, y = edge_of(tree, conflict[ConflictColumn.X]), edge_of(tree, conflict[ConflictColumn.Y])
    removed[RemovedColumn.CONSTRAINT] = constraint
    removed[RemovedColumn.X], removed[RemovedColumn.Y] = x.dependent, y.dependent
    removed[RemovedColumn.X_HEAD], removed[RemovedColumn.Y_HEAD] = x.head, y.head
    removed[RemovedColumn.X_LABEL], removed[RemovedColumn.Y_LABEL] = x.label, y.label
    removed[RemovedColumn.FORBIDS] = y.dependent == 0 and not desk.program.is_contextual[constraint]


@bare
def is_among(removed, conflicts, count):
    """Return whether a conflict is one of the first others, by constraint and edges."""
    for i in range(count):
        same = 0
        while same < RemovedColumn.FORBIDS and conflicts[i, same] == removed[same]:
            same += 1
        if same == RemovedColumn.FORBIDS:
            return True
    return False


@bare
def write_hardest(attack, count, length):
    """Write the hardest conflict beyond the first unsolvable ones behind the first removed ones.

    Return whether there is one.
    """
    desk = attack.desk
    for i in range(min(desk.found[0], desk.rows.shape[0])):
        write_removed(desk, attack.tree, desk.rows[i], attack.removed[length])
        if not is_among(attack.removed[length], attack.unsolvable, count):
            return True
    return False


@bare
def run_row(attack, known, conflicts, plain, begun, count):
    """Return the cost of the tree below the limit that a row leads to, IMPOSSIBLE or INTERRUPTED.

    The row begins at the best tree, given as judged, with all its conflicts and its cost without the
    context. Of the removed conflicts the first are `begun`, of the unsolvable ones the first `count` are
    there.
    """
    limit, longest = attack.limit, attack.removed.shape[0]
    for length in range(begun, 1 + longest):
        if floor_of(attack.edges, attack.removed, length) >= limit:
            return IMPOSSIBLE
        cost = best_change(attack, known, plain, length, limit + attack.margin)
        if cost < limit or cost == IMPOSSIBLE:
            return cost
        copy_tree(attack.found, attack.tree)
        if length < longest:
            plain = judge_all_again(attack.desk, attack.tree, known, conflicts)
            if not write_hardest(attack, count, length):
                return IMPOSSIBLE
    return IMPOSSIBLE


# --- for Python ---------------------------------------------------------------------------------------------


@entry
def run_one_row(attack, known, plain, conflicts, begun):
    return run_row(by_reference(attack), by_reference(known), conflicts, plain, begun, 0)


@entry
def run_rows(attack, known, plain, conflicts, first, step, paid):
    """Return the first conflict whose row pays, and the cost of its tree; see `search.attackers`."""
    attack, known = by_reference(attack), by_reference(known)
    unsolvable, best = attack.unsolvable, known.tree
    for number in range(conflicts.shape[0]):
        write_removed(attack.desk, best, conflicts[number], unsolvable[number])
    for number in range(first, conflicts.shape[0], step):
        if attack.interrupt[0]:
            return number, np.int64(INTERRUPTED)
        if paid[0] < number:
            return number, IMPOSSIBLE
        copy_tree(best, attack.tree)
        for column in range(unsolvable.shape[1]):
            attack.removed[0, column] = unsolvable[number, column]
        cost = run_row(attack, known, conflicts, plain, 1, number)
        if cost < 0:
            return number, cost
        if cost < IMPOSSIBLE:
            paid[0] = min(paid[0], number)
            return number, cost
    return np.int64(conflicts.shape[0]), IMPOSSIBLE
