"""Attacks in a row, each on the hardest conflict that the one before has left; and rows in turn."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.analyses import edge_of, judge_all_again
from treewhile.incremental.constraints.machine.kernels.attacks import INTERRUPTED, best_change
from treewhile.incremental.constraints.machine.kernels.changes import copy_tree
from treewhile.incremental.constraints.machine.kernels.floors import floor_of
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry
from treewhile.incremental.constraints.machine.kernels.records import (
    ConflictColumn,
    RemovedColumn,
)
from treewhile.incremental.constraints.machine.kernels.references import by_reference


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
def run_row(attack, best, conflicts, plain, begun, count):
    """Return the cost of the tree below the limit that a row leads to, IMPOSSIBLE or INTERRUPTED.

    The row begins at the best tree, given with all its conflicts and its cost without the context. Of the
    removed conflicts the first are `begun`, of the unsolvable ones the first `count` are there.
    """
    limit, longest = attack.limit, attack.removed.shape[0]
    for length in range(begun, 1 + longest):
        if floor_of(attack.edges, attack.removed, length) >= limit:
            return IMPOSSIBLE
        cost = best_change(attack, plain, length, limit + attack.margin)
        if cost < limit or cost == IMPOSSIBLE:
            return cost
        copy_tree(attack.found, attack.tree)
        if length < longest:
            plain = judge_all_again(attack.desk, attack.tree, best, conflicts)
            if not write_hardest(attack, count, length):
                return IMPOSSIBLE
    return IMPOSSIBLE


# --- for Python ---------------------------------------------------------------------------------------------


@entry
def run_one_row(attack, best, plain, conflicts, begun):
    return run_row(by_reference(attack), by_reference(best), conflicts, plain, begun, 0)


@entry
def run_rows(attack, best, plain, conflicts, first, step, paid):
    """Return the first conflict whose row pays, and the cost of its tree; see `search.attackers`."""
    attack, best = by_reference(attack), by_reference(best)
    unsolvable = attack.unsolvable
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
        cost = run_row(attack, best, conflicts, plain, 1, number)
        if cost < 0:
            return number, cost
        if cost < IMPOSSIBLE:
            paid[0] = min(paid[0], number)
            return number, cost
    return np.int64(conflicts.shape[0]), IMPOSSIBLE
