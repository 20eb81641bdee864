"""Constraints on one edge, by lists, and on two edges; and the costs of all labels of an arc at once."""

from __future__ import annotations

import math

import numpy as np

from treewhile.incremental.constraints.machine.kernels import operations
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, inlined, part
from treewhile.incremental.constraints.machine.kernels.interpreter import (
    cost_of,
    log_of_label,
    run_formula,
)
from treewhile.incremental.constraints.machine.kernels.operations import (
    CROSSING,
    IN_A_CHAIN,
    OF_ANY_KIND,
    UNDER_ONE_HEAD,
)
from treewhile.incremental.constraints.machine.kernels.records import (
    BY_PROBABILITY,
    IN_USE,
    NO_EDGE,
    NO_LABEL,
    UNJUDGED,
    AlikeColumn,
    Edge,
    ListedColumn,
    NameColumn,
    PredictedColumn,
    ReadColumn,
    WatchedColumn,
)

ALL_LABELS = np.int64(operations.ALL_LABELS)
PLAIN, CONTEXTUAL = np.int64(0), np.int64(1)  # without and with a look at the analysis

list_of_label = part(operations.list_of_label)


@bare
def judge_formula(desk, tree, constraint, at, x, y):
    """Return `run_formula`, which is large, without inlining it; 0 for one that is not judged here."""
    later, judged = desk.situation.later, desk.situation.judged[constraint]
    if judged == UNJUDGED or (judged == IN_USE and (x.head > later or y.head > later)):
        return 0
    return run_formula(desk, tree, constraint, at, x, y)


@bare
def judge_list(desk, tree, which, x, y):
    """Return the summed cost of a list of constraints for one edge or two; conflicts go to the desk."""
    total, listed = 0, desk.program.listed
    for i in range(desk.program.lists[which], desk.program.lists[which + 1]):
        constraint, at = listed[i, ListedColumn.CONSTRAINT], listed[i, ListedColumn.START]
        if desk.watched.shape[0] > 0 and desk.program.is_contextual[constraint]:
            total += watch_formula(desk, tree, constraint, at, x, y)
        else:
            total += judge_formula(desk, tree, constraint, at, x, y)
    return total


@bare
def watch_formula(desk, tree, constraint, at, x, y):
    """Return `judge_formula`, and write down what it has read, unless it is free and has read nothing."""
    read = desk.read
    read[ReadColumn.NODES] = read[ReadColumn.CHILDREN] = 0
    cost = judge_formula(desk, tree, constraint, at, x, y)
    if cost == 0 and read[ReadColumn.NODES] == 0 and read[ReadColumn.CHILDREN] == 0:
        return cost
    row, rows = desk.watching[0], desk.watched
    if row < rows.shape[0]:
        rows[row, WatchedColumn.CONSTRAINT], rows[row, WatchedColumn.START] = constraint, at
        rows[row, WatchedColumn.X], rows[row, WatchedColumn.Y] = x.dependent, max(y.dependent, 0)
        rows[row, WatchedColumn.COST] = cost
        rows[row, WatchedColumn.NODES] = read[ReadColumn.NODES]
        rows[row, WatchedColumn.CHILDREN] = read[ReadColumn.CHILDREN]
    desk.watching[0] = row + 1
    return cost


@inlined
def judge_one(desk, tree, constraint, x, y):
    """Return the cost of one constraint, as `judge_list`."""
    at = desk.program.formula[constraint]
    return judge_formula(desk, tree, np.int32(constraint), at, x, y)


@inlined
def cost_of_list(desk, which, edge):
    """Return the cost of a list that does not look at the analysis."""
    return judge_list(desk, desk.no_tree, which, edge, NO_EDGE)


@inlined
def cost_of_formula(desk, constraint, edge):
    """Return the cost of a constraint that does not look at the analysis."""
    return judge_one(desk, desk.no_tree, constraint, edge, NO_EDGE)


# --- all labels ---------------------------------------------------------------------------------------------


@bare
def fill_costs(desk, d, h, cost):
    """Fill cost[label] for the edge from d to h, for all labels."""
    alike, shared = desk.program.alike, cost_of_list(desk, ALL_LABELS, Edge(d, h, NO_LABEL))
    for label in range(cost.size):
        cost[label] = shared
    for i in range(alike.shape[0]):
        constraint, count = alike[i, AlikeColumn.CONSTRAINT], alike[i, AlikeColumn.COUNT]
        judged = desk.situation.judged[constraint]
        if judged == UNJUDGED or (judged == IN_USE and h > desk.situation.later):
            continue
        if count > 0:
            add_alike(desk, alike[i], d, h, cost)
        elif count == BY_PROBABILITY:
            add_scored(desk, constraint, d, h, cost)
        else:
            add_named(desk, constraint, -1 - count, d, h, cost)


@inlined
def add_alike(desk, row, d, h, cost):
    """Add the cost of a constraint to labels that it does not distinguish."""
    edge = Edge(d, h, np.int64(row[AlikeColumn.FIRST]))
    constraint, start = row[AlikeColumn.CONSTRAINT], row[AlikeColumn.START]
    more = run_formula(desk, desk.no_tree, constraint, start, edge, NO_EDGE)
    if more > 0:
        for place in range(AlikeColumn.FIRST, AlikeColumn.FIRST + row[AlikeColumn.COUNT]):
            cost[row[place]] += more


@bare
def add_scored(desk, constraint, d, h, cost):
    """Add the cost of a constraint whose penalty is the probability of the label."""
    label_log = desk.situation.label_log
    last, more = 1.0, np.int64(0)
    for label in range(cost.size):
        if h <= desk.situation.later:
            log = log_of_label(label_log, d, h, label)
            if log != last:  # all labels of an improbable arc have the same
                last, more = log, cost_of(math.exp(log))
            cost[label] += more
        else:
            cost[label] += cost_of_formula(desk, constraint, Edge(d, h, label))


@bare
def add_named(desk, constraint, predictor, d, h, cost):
    """Add the cost of a constraint that distinguishes only the label named by a predictor."""
    name, named = desk.situation.predicted[predictor, d, PredictedColumn.LABEL], -1
    for label in range(cost.size):
        if desk.program.label_names[label, NameColumn.LABEL] == name:
            named = label
    if named >= 0:
        cost[named] += cost_of_formula(desk, constraint, Edge(d, h, np.int64(named)))
    other = np.int64(named == 0)
    if other < cost.size:
        more = cost_of_formula(desk, constraint, Edge(d, h, other))
        for label in range(cost.size):
            if label != named:
                cost[label] += more


list_of_pair = part(operations.list_of_pair)


@inlined
def do_cross(later, x, y):
    a, b = min(x.dependent, x.head), max(x.dependent, x.head)
    c, d = min(y.dependent, y.head), max(y.dependent, y.head)
    return (a < c < b < d or c < a < d < b) and x.head <= later and y.head <= later


@bare
def stand_in(later, relation, x, y):
    """Return whether two edges are in a relation; but for a chain their order does not matter."""
    if relation == UNDER_ONE_HEAD:
        return x.head == y.head and x.head < later
    if relation == IN_A_CHAIN:
        return x.head == y.dependent
    if relation == CROSSING:
        return do_cross(later, x, y)
    return True


@inlined
def judge_related(desk, tree, is_contextual, relation, x, y):
    """Return the summed cost as `judge_list`, for two edges that stand in a relation."""
    which = list_of_pair(desk.program.label_names.shape[0], is_contextual, relation, x.label, y.label)
    return judge_list(desk, tree, which, x, y)


@inlined
def may_be_judged(desk, is_contextual, x_label, y_label):
    """Return whether there are constraints for edges with two labels, in any relation."""
    relations = desk.program.pair_relations
    return (relations[is_contextual, x_label, y_label] | relations[is_contextual, y_label, x_label]) != 0


@bare
def judge_pair(desk, tree, is_contextual, x, y):
    """Return the summed cost as `judge_list`, for two edges, the one of the lower dependent first."""
    total, later, relations = 0, desk.situation.later, desk.program.pair_relations
    there = relations[is_contextual, x.label, y.label]
    for relation in range(UNDER_ONE_HEAD, OF_ANY_KIND + 1):
        if there >> relation & 1 and stand_in(later, relation, x, y):
            total += judge_related(desk, tree, is_contextual, relation, x, y)
    if relations[is_contextual, y.label, x.label] >> IN_A_CHAIN & 1 and y.head == x.dependent:
        total += judge_related(desk, tree, is_contextual, np.int64(IN_A_CHAIN), y, x)
    return total


@inlined
def cost_of_pair(desk, x, y):
    """Return the cost of two edges together, beyond the cost of each; 0 for edges of one dependent."""
    cost = 0
    if may_be_judged(desk, PLAIN, x.label, y.label) and x.dependent != y.dependent:
        first, second = (y, x) if x.dependent > y.dependent else (x, y)
        cost = judge_pair(desk, desk.no_tree, PLAIN, first, second)
    return cost
