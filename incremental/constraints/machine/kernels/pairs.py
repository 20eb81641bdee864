"""Constraints on two edges."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine import list_numbers
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, inlined, part
from treewhile.incremental.constraints.machine.kernels.lists import PLAIN, judge_list
from treewhile.incremental.constraints.machine.kernels.operations import (
    CROSSING,
    IN_A_CHAIN,
    OF_ANY_KIND,
    UNDER_ONE_HEAD,
)

list_of_pair = part(list_numbers.list_of_pair)


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
