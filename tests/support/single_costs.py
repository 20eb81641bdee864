"""Costs of single edges, pairs and analyses, by the kernels that searches are made of."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.judging import new_desk
from treewhile.incremental.constraints.machine.kernels.analyses import (
    cost_of_all,
    cost_of_conflict,
    judge_all_again,
    judge_analysis,
    judge_context_again,
)
from treewhile.incremental.constraints.machine.kernels.inside_numba import entry
from treewhile.incremental.constraints.machine.kernels.lists import (
    ALL_LABELS,
    CONTEXTUAL,
    PLAIN,
    cost_of_list,
    cost_of_pair,
    fill_costs,
    list_of_label,
)
from treewhile.incremental.constraints.machine.kernels.records import (
    Bytes,
    Edge,
    Ints,
    JudgedArrays,
    Longs,
    TreeArrays,
)
from treewhile.incremental.constraints.machine.kernels.references import by_reference
from treewhile.incremental.constraints.machine.situations import Situation


def edge_cost(situation: Situation, edge: Edge) -> int:
    """The cost of an edge by itself."""
    return int(cost_of_edge(new_desk(situation), edge))


def pair_cost(situation: Situation, x: Edge, y: Edge) -> int:
    """The cost of two edges together, beyond that of each; 0 for edges of one dependent."""
    return int(cost_of_two(new_desk(situation), x, y))


def judge_edges(situation: Situation, arcs: Ints | Longs, cost: Longs, interrupt: Bytes) -> int:
    """Fills cost[d, h, label] for arcs[i] = (d, h) and all labels, until interrupt[0]; how many were judged.

    Arcs can be any that an analysis may have: whether they make a tree is the caller's business.
    """
    return int(fill_all(new_desk(situation), arcs.astype(np.int64), cost, interrupt))


def plain_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of edges by themselves and in pairs."""
    return int(cost_of_analysis(new_desk(situation), tree, PLAIN))


def context_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of all that looks at the whole analysis."""
    return int(cost_of_analysis(new_desk(situation), tree, CONTEXTUAL))


def analysis_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of everything: that of edges, of pairs, and that of the context."""
    return plain_cost(situation, tree) + context_cost(situation, tree)


def watched(situation: Situation, tree: TreeArrays, room: int = 1 << 16) -> JudgedArrays:
    """An analysis with what its contextual constraints cost and have read."""
    desk = new_desk(situation, watched=room)
    cost_of_all(desk, tree)
    assert desk.watching[0] <= room
    return JudgedArrays(tree, desk.watched[: desk.watching[0]])


def judged_again(
    situation: Situation, tree: TreeArrays, before: JudgedArrays, conflicts: Longs, room: int
) -> tuple[int, Longs]:
    """The plain cost and the conflicts there is room for, given all conflicts of another analysis before."""
    desk = new_desk(situation, room)
    plain = cost_of_all_again(desk, tree, before, conflicts)
    return int(plain), desk.rows[: int(desk.found[0])]


def context_cost_again(situation: Situation, tree: TreeArrays, before: JudgedArrays) -> int:
    """The cost of all that looks at the whole analysis, given another one before."""
    return int(cost_of_context_again(new_desk(situation), tree, before))


def conflict_cost(situation: Situation, tree: TreeArrays, constraint: int, dx: int, dy: int) -> int:
    """The cost of one constraint for the edges of some dependents (dy = 0 for one edge), 0 if none."""
    return int(cost_of_one(new_desk(situation), tree, constraint, dx, dy))


@entry
def cost_of_analysis(desk, tree, is_contextual):
    return judge_analysis(by_reference(desk), by_reference(tree), is_contextual)


@entry
def cost_of_all_again(desk, tree, before, conflicts):
    return judge_all_again(by_reference(desk), by_reference(tree), by_reference(before), conflicts)


@entry
def cost_of_context_again(desk, tree, before):
    return judge_context_again(by_reference(desk), by_reference(tree), by_reference(before))


@entry
def cost_of_edge(desk, edge):
    desk = by_reference(desk)
    which = list_of_label(desk.program.label_names.shape[0], PLAIN, edge.label)
    return cost_of_list(desk, ALL_LABELS, edge) + cost_of_list(desk, which, edge)


@entry
def cost_of_two(desk, x, y):
    return cost_of_pair(by_reference(desk), x, y)


@entry
def cost_of_one(desk, tree, constraint, dx, dy):
    return cost_of_conflict(by_reference(desk), by_reference(tree), constraint, dx, dy)


@entry
def fill_all(desk, arcs, cost, interrupt):
    desk = by_reference(desk)
    for i in range(arcs.shape[0]):
        if interrupt[0]:
            return i
        fill_costs(desk, arcs[i, 0], arcs[i, 1], cost[arcs[i, 0], arcs[i, 1]])
    return arcs.shape[0]
