"""What edges, pairs of them and whole analyses cost, and what they break; `definition` says the same slowly.

Each call makes a desk for the machine, so that threads do not share one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treewhile.incremental.constraints.machine.kernels import analyses
from treewhile.incremental.constraints.machine.kernels.lists import CONTEXTUAL, PLAIN
from treewhile.incremental.constraints.machine.kernels.records import (
    Bytes,
    ConflictColumn,
    Desk,
    Edge,
    Ints,
    Longs,
    TreeArrays,
)
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation

ROWS: Final = 256  # conflicts that are expected at most; more of them take a second pass
NO_TREE: Final = TreeArrays(np.empty(0, np.int64), np.empty(0, np.int64))


def new_rows(room: int) -> Longs:
    """An array with room for a number of conflicts."""
    return np.empty((room, len(ConflictColumn)), np.int64)


def new_desk(situation: Situation, room: int = 0, other: Program | None = None) -> Desk:
    """A desk with room for a number of conflicts, under the situation's program or another one."""
    program, arrays = situation.program.arrays, situation.arrays
    if other is not None:
        program, arrays = other.arrays, situation.arrays_under(other)
    return Desk(program, arrays, np.empty(program.depth), new_rows(room), np.zeros(1, np.int64), NO_TREE)


def edge_cost(situation: Situation, edge: Edge) -> int:
    """The cost of an edge by itself."""
    return int(analyses.cost_of_edge(new_desk(situation), edge))


def pair_cost(situation: Situation, x: Edge, y: Edge) -> int:
    """The cost of two edges together, beyond that of each; 0 for edges of one dependent."""
    return int(analyses.cost_of_two(new_desk(situation), x, y))


def judge_edges(situation: Situation, arcs: Ints | Longs, cost: Longs, interrupt: Bytes) -> int:
    """Fills cost[d, h, label] for arcs[i] = (d, h) and all labels, until interrupt[0]; how many were judged.

    Arcs can be any that an analysis may have: whether they make a tree is the caller's business.
    """
    return int(analyses.fill_all(new_desk(situation), arcs.astype(np.int64), cost, interrupt))


def plain_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of edges by themselves and in pairs."""
    return int(analyses.cost_of_analysis(new_desk(situation), tree, PLAIN))


def context_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of all that looks at the whole analysis."""
    return int(analyses.cost_of_analysis(new_desk(situation), tree, CONTEXTUAL))


def analysis_cost(situation: Situation, tree: TreeArrays) -> int:
    """The cost of everything: that of edges, of pairs, and that of the context."""
    return plain_cost(situation, tree) + context_cost(situation, tree)


def conflicts_in(situation: Situation, tree: TreeArrays, other: Program | None = None) -> Longs:
    """All conflicts by ConflictColumn, the hardest first; those under another program if there is one."""
    room, found = 0, ROWS
    while found > room:
        room = found
        desk = new_desk(situation, room, other)
        analyses.cost_of_all(desk, tree)
        found = int(desk.found[0])
    return desk.rows[:found]


def judged_again(
    situation: Situation, tree: TreeArrays, before: TreeArrays, conflicts: Longs, room: int
) -> tuple[int, Longs]:
    """The plain cost and the conflicts there is room for, given all conflicts of another analysis before."""
    desk = new_desk(situation, room)
    plain = analyses.cost_of_all_again(desk, tree, before, conflicts)
    return int(plain), desk.rows[: int(desk.found[0])]


def conflict_cost(situation: Situation, tree: TreeArrays, constraint: int, dx: int, dy: int) -> int:
    """The cost of one constraint for the edges of some dependents (dy = 0 for one edge), 0 if none."""
    return int(analyses.cost_of_one(new_desk(situation), tree, constraint, dx, dy))
