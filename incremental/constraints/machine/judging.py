"""Costs and conflicts of edges, pairs and whole analyses; `definition` computes the same slowly.

Each call makes its own desk for the machine, so threads do not share one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treewhile.incremental.constraints.machine.kernels import analyses
from treewhile.incremental.constraints.machine.kernels.records import (
    ConflictColumn,
    Desk,
    Longs,
    ReadColumn,
    TreeArrays,
    WatchedColumn,
)
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation

ROWS: Final = 256  # expected maximum of conflicts; more of them take a second pass
NO_TREE: Final = TreeArrays(np.empty(0, np.int64), np.empty(0, np.int64))


def new_rows(room: int) -> Longs:
    """Return an array with room for a number of conflicts."""
    return np.empty((room, len(ConflictColumn)), np.int64)


def new_desk(situation: Situation, room: int = 0, other: Program | None = None, watched: int = 0) -> Desk:
    """Return a desk with room for a number of conflicts, for the situation's program or another one.

    There may also be room for a number of constraints that are watched.
    """
    program, arrays = situation.program.arrays, situation.arrays
    if other is not None:
        program, arrays = other.arrays, situation.arrays_under(other)
    return Desk(
        program,
        arrays,
        np.empty(program.depth),
        new_rows(room),
        np.zeros(1, np.int64),
        NO_TREE,
        np.zeros(len(ReadColumn), np.int64),
        np.empty((watched, len(WatchedColumn)), np.int64),
        np.zeros(1, np.int64),
    )


def conflicts_in(situation: Situation, tree: TreeArrays, other: Program | None = None) -> Longs:
    """Return all conflicts by ConflictColumn, the hardest first, under another program if given."""
    room, found = 0, ROWS
    while found > room:
        room = found
        desk = new_desk(situation, room, other)
        analyses.cost_of_all(desk, tree)
        found = int(desk.found[0])
    return desk.rows[:found]
