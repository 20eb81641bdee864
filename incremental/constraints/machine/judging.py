"""What edges, pairs of them and whole analyses cost, and what they break; `definition` says the same slowly.

Each call makes a desk for the machine, so that threads do not share one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treewhile.incremental.constraints.machine.kernels import analyses
from treewhile.incremental.constraints.machine.kernels.records import (
    ConflictColumn,
    Desk,
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


def conflicts_in(situation: Situation, tree: TreeArrays, other: Program | None = None) -> Longs:
    """All conflicts by ConflictColumn, the hardest first; those under another program if there is one."""
    room, found = 0, ROWS
    while found > room:
        room = found
        desk = new_desk(situation, room, other)
        analyses.cost_of_all(desk, tree)
        found = int(desk.found[0])
    return desk.rows[:found]
