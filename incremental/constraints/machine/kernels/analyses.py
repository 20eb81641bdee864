"""All conflicts of an analysis, with their costs, the hardest first."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.kernels.context import bit_of
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry, inlined, part
from treewhile.incremental.constraints.machine.kernels.interpreter import note_conflict
from treewhile.incremental.constraints.machine.kernels.lists import (
    ALL_LABELS,
    CONTEXTUAL,
    PLAIN,
    judge_formula,
    judge_list,
    judge_one,
    judge_pair,
    list_of_label,
    may_be_judged,
    stand_in,
)
from treewhile.incremental.constraints.machine.kernels.operations import ONE_EDGE
from treewhile.incremental.constraints.machine.kernels.records import (
    NO_EDGE,
    ConflictColumn,
    Edge,
    WatchedColumn,
)
from treewhile.incremental.constraints.machine.kernels.references import by_reference


@part
def edge_of(tree, d):
    """Return the edge of a dependent."""
    return Edge(d, tree.heads[d], tree.labels[d])


@bare
def judge_analysis(desk, tree, is_contextual):
    """Return the summed cost as `judge_list`, for an analysis: of contextual constraints, or others."""
    heads, labels, total, end = tree.heads, tree.labels, 0, desk.situation.later
    count = desk.program.label_names.shape[0]
    for d in range(1, end):
        edge = Edge(d, heads[d], labels[d])
        if not is_contextual:
            total += judge_list(desk, tree, ALL_LABELS, edge, NO_EDGE)
        total += judge_list(desk, tree, list_of_label(count, is_contextual, edge.label), edge, NO_EDGE)
        for other in range(d + 1, end):
            if may_be_judged(desk, is_contextual, edge.label, labels[other]):
                y = Edge(other, heads[other], labels[other])
                total += judge_pair(desk, tree, is_contextual, edge, y)
    return total


@inlined
def is_kept(tree, before, d):
    """Return whether a dependent has the same edge as before; 0 is none, and stands for no edge."""
    return d == 0 or (tree.heads[d] == before.heads[d] and tree.labels[d] == before.labels[d])


@inlined
def copy_conflict(desk, conflict):
    """Write a conflict to the desk, if there is room, and count it."""
    rows, row = desk.rows, desk.found[0]
    if row < rows.shape[0]:
        for column in range(rows.shape[1]):
            rows[row, column] = conflict[column]
    desk.found[0] = row + 1


@inlined
def changed_sets(tree, before):
    """Return the nodes whose edges differ in two analyses, and their heads in both, as sets of bits."""
    nodes, heads = np.int64(0), np.int64(0)
    for d in range(1, tree.heads.size):
        if not is_kept(tree, before, d):
            nodes |= bit_of(d)
            heads |= bit_of(tree.heads[d]) | bit_of(before.heads[d])
    return nodes, heads


@bare
def judge_watched(desk, tree, watched, constraint):
    """Return the cost of a watched constraint in another analysis."""
    x = edge_of(tree, watched[WatchedColumn.X])
    y = edge_of(tree, watched[WatchedColumn.Y]) if watched[WatchedColumn.Y] > 0 else NO_EDGE
    return judge_formula(desk, tree, constraint, watched[WatchedColumn.START], x, y)


@bare
def judge_kept(desk, tree, known):
    """Return the cost of contextual constraints on edges that an analysis shares with a judged one."""
    total, watched = np.int64(0), known.watched
    nodes, heads = changed_sets(tree, known.tree)
    for i in range(watched.shape[0]):
        x, y, cost = watched[i, WatchedColumn.X], watched[i, WatchedColumn.Y], watched[i, WatchedColumn.COST]
        if nodes and not (is_kept(tree, known.tree, x) and is_kept(tree, known.tree, y)):
            continue
        constraint = np.int32(watched[i, WatchedColumn.CONSTRAINT])
        if watched[i, WatchedColumn.NODES] & nodes or watched[i, WatchedColumn.CHILDREN] & heads:
            total += judge_watched(desk, tree, watched[i], constraint)
        elif cost > 0:
            total += cost
            note_conflict(desk, constraint, edge_of(tree, x), edge_of(tree, y), cost)
    return total


@bare
def judge_context_again(desk, tree, known):
    """Return the cost of contextual constraints, given what they have read in a similar analysis."""
    heads, labels, end = tree.heads, tree.labels, desk.situation.later
    count, total = desk.program.label_names.shape[0], judge_kept(desk, tree, known)
    for d in range(1, end):
        if is_kept(tree, known.tree, d):
            continue
        edge = edge_of(tree, d)
        total += judge_list(desk, tree, list_of_label(count, CONTEXTUAL, edge.label), edge, NO_EDGE)
        for other in range(1, end):
            if other == d or (other < d and not is_kept(tree, known.tree, other)):
                continue
            if may_be_judged(desk, CONTEXTUAL, edge.label, labels[other]):
                y = Edge(other, heads[other], labels[other])
                first, second = (y, edge) if other < d else (edge, y)
                total += judge_pair(desk, tree, CONTEXTUAL, first, second)
    return total


@bare
def keep_plain(desk, tree, before, conflicts):
    """Copy earlier conflicts that are not contextual and whose edges are kept; return their summed cost."""
    total = 0
    for i in range(conflicts.shape[0]):
        x, y = conflicts[i, ConflictColumn.X], conflicts[i, ConflictColumn.Y]
        is_contextual = desk.program.is_contextual[conflicts[i, ConflictColumn.CONSTRAINT]]
        if not is_contextual and is_kept(tree, before, x) and is_kept(tree, before, y):
            copy_conflict(desk, conflicts[i])
            total += conflicts[i, ConflictColumn.COST]
    return total


@bare
def judge_plain_again(desk, tree, before, conflicts):
    """Return the cost of an analysis without the context, given all conflicts of a similar tree."""
    heads, labels, end = tree.heads, tree.labels, desk.situation.later
    count, total = desk.program.label_names.shape[0], keep_plain(desk, tree, before, conflicts)
    for d in range(1, end):
        edge, is_new = Edge(d, heads[d], labels[d]), not is_kept(tree, before, d)
        if is_new:
            total += judge_list(desk, tree, ALL_LABELS, edge, NO_EDGE)
            total += judge_list(desk, tree, list_of_label(count, PLAIN, edge.label), edge, NO_EDGE)
        for other in range(d + 1, end):
            if not is_new and is_kept(tree, before, other):
                continue
            if may_be_judged(desk, PLAIN, edge.label, labels[other]):
                y = Edge(other, heads[other], labels[other])
                total += judge_pair(desk, tree, PLAIN, edge, y)
    return total


@bare
def is_harder(conflict, other):
    """Return whether a conflict is attacked before another: by cost, then by constraint and dependents."""
    if conflict[ConflictColumn.COST] != other[ConflictColumn.COST]:
        return conflict[ConflictColumn.COST] > other[ConflictColumn.COST]
    for column in range(ConflictColumn.COST):
        if conflict[column] != other[column]:
            return conflict[column] < other[column]
    return False


@bare
def put_hardest_first(rows, count):
    """Sort the first conflicts, which are few, by insertion."""
    for i in range(1, count):
        for j in range(i, 0, -1):
            if not is_harder(rows[j], rows[j - 1]):
                break
            for column in range(rows.shape[1]):
                rows[j, column], rows[j - 1, column] = rows[j - 1, column], rows[j, column]


@bare
def judge_all(desk, tree):
    """Return the costs of an analysis without and with context; conflicts go to the desk, sorted."""
    desk.found[0] = desk.watching[0] = 0
    plain = judge_analysis(desk, tree, PLAIN)
    contextual = judge_analysis(desk, tree, CONTEXTUAL)
    put_hardest_first(desk.rows, min(desk.found[0], desk.rows.shape[0]))
    return plain, contextual


@bare
def judge_all_again(desk, tree, known, conflicts):
    """Return the cost without context, given all conflicts of a similar analysis; write all conflicts."""
    desk.found[0] = 0
    plain = judge_plain_again(desk, tree, known.tree, conflicts)
    judge_context_again(desk, tree, known)
    if desk.found[0] > desk.rows.shape[0]:  # the order of conflicts decides for which of them there is room
        plain, _ = judge_all(desk, tree)
    else:
        put_hardest_first(desk.rows, desk.found[0])
    return plain


@inlined
def cost_of_conflict(desk, tree, constraint, dx, dy):
    """Return the cost of one constraint for the edges of some dependents (dy = 0 for one edge), 0 if none."""
    x, y = edge_of(tree, dx), edge_of(tree, dy)
    relation, cost = desk.program.relation[constraint], 0
    if (relation == ONE_EDGE) == (dy == 0) and (dy == 0 or stand_in(desk.situation.later, relation, x, y)):
        cost = judge_one(desk, tree, constraint, x, y)
    return cost


# --- for Python; `judging` calls them -----------------------------------------------------------------------


@entry
def cost_of_all(desk, tree):
    return judge_all(by_reference(desk), by_reference(tree))
