"""Where an analysis breaks the constraints, for people: which constraint, how much it counts, which words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints import kernels
from treewhile.incremental.constraints.programs import penalty_of
from treewhile.incremental.constraints.situations import Situation

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Heads = Sequence[int] | Ints
Rows = Longs


class Conflict(NamedTuple):
    """A constraint that is broken, its cost and penalty, and the words at the ends of its edges, from 1."""

    constraint: str
    section: str
    cost: int
    penalty: float
    words: tuple[int, ...]


def find_conflicts(situation: Situation, heads: Ints, labels: Ints) -> list[Conflict]:
    """All conflicts of an analysis, which is given by node; the hardest first, then as in the grammar."""
    return told(situation, heads, rows_of(situation, heads.astype(np.int64), labels.astype(np.int64)))


def rows_of(situation: Situation, heads: Longs, labels: Longs) -> Rows:
    """The same in numbers: constraint, dependents (0 if one edge) and cost of each conflict."""
    rows, arguments = (
        np.empty((kernels.ROWS, 4), np.int64),
        (situation.program.arrays, situation.arrays, heads, labels),
    )
    while (found := kernels.conflicts(*arguments, rows)) > len(rows):
        rows = np.empty((found, 4), np.int64)
    return rows[:found]


def told(situation: Situation, heads: Heads, rows: Rows) -> list[Conflict]:
    """Conflicts as people read them."""
    constraints = situation.program.grammar.constraints
    return [
        Conflict(
            constraints[number].name,
            constraints[number].section,
            cost,
            penalty_of(cost),
            _words(situation, heads, (x, y)),
        )
        for number, x, y, cost in rows.tolist()
    ]


def _words(situation: Situation, heads: Heads, dependents: tuple[int, int]) -> tuple[int, ...]:
    ends = {end for node in dependents if node > 0 for end in (node, int(heads[node]))}
    return tuple(sorted(end for end in ends if 1 <= end <= situation.t))
