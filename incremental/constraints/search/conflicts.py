"""Where an analysis breaks the constraints, for people: which one, how much it counts, which words."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.terms import Constraint, Kind, MessageText, Term
from treewhile.incremental.constraints.machine import kernels
from treewhile.incremental.constraints.machine.definition import Edge, View, value
from treewhile.incremental.constraints.machine.programs import penalty_of
from treewhile.incremental.constraints.machine.situations import Situation

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Rows = Longs

LONGEST_TOLD: Final = 40  # characters of a word in a message
NOTHING: Final = "..."  # stands for what does not exist


class Conflict(NamedTuple):
    """A constraint that is broken, its cost and penalty, its words from 1, and what it says to people, or "".

    The words are the one that it marks, or those at the ends of its edges. One without a penalty has 1.
    """

    constraint: str
    section: str
    cost: int
    penalty: float
    words: tuple[int, ...]
    message: str


def find_conflicts(situation: Situation, heads: Ints, labels: Ints) -> list[Conflict]:
    """All conflicts of an analysis, which is given by node; the hardest first, then as in the grammar."""
    return conflicts_of(situation, heads.astype(np.int64), labels.astype(np.int64))


def conflicts_of(situation: Situation, heads: Longs, labels: Longs) -> list[Conflict]:
    """The same for arrays as kernels have them."""
    rows = rows_of(situation, heads, labels)
    return _told_all(situation, heads, labels, rows) if len(rows) else []


def rows_of(situation: Situation, heads: Longs, labels: Longs) -> Rows:
    """The same in numbers: constraint, dependents (0 if one edge) and cost of each conflict."""
    rows, arguments = (
        np.empty((kernels.ROWS, 4), np.int64),
        (situation.program.arrays, situation.arrays, heads, labels),
    )
    while (found := kernels.conflicts(*arguments, rows)) > len(rows):
        rows = np.empty((found, 4), np.int64)
    return rows[:found]


def _told_all(situation: Situation, heads: Longs, labels: Longs, rows: Rows) -> list[Conflict]:
    """Conflicts as people read them."""
    names = [situation.program.labels[label] for label in labels.tolist()]
    nodes = heads.tolist()
    edges = [Edge(*edge) for edge in zip(range(len(nodes)), nodes, names, strict=True)]
    constraints = situation.program.grammar.constraints
    return [
        _told(constraints[number], cost, View(situation, nodes, names, edges[x], edges[y] if y else None))
        for number, x, y, cost in rows.tolist()
    ]


def _told(constraint: Constraint, cost: int, view: View) -> Conflict:
    message = constraint.message
    return Conflict(
        constraint.name,
        constraint.section,
        cost,
        1.0 if constraint.penalty is None else penalty_of(cost),
        _words(view, None if message is None else message.marks),
        "" if message is None else _sentence(view, message),
    )


def _words(view: View, marks: Term | None) -> tuple[int, ...]:
    """The words that are meant, each once."""
    ends = [end for edge in (view.x, view.y) if edge for end in edge[:2]]
    nodes = {*ends} if marks is None else {value(view, marks)}
    return tuple(word for word in range(1, view.situation.t + 1) if word in nodes)


def _sentence(view: View, message: MessageText) -> str:
    return "".join(part if isinstance(part, str) else _shown(view, part) for part in message.parts)


def _shown(view: View, part: Term) -> str:
    """A name, or the form of a node."""
    found = value(view, part)
    is_node = part.kind == Kind.NODE and found is not None
    name: str | None = view.situation.attribute(found, "form") if is_node else found
    if name is None:
        return NOTHING
    return name if len(name) <= LONGEST_TOLD else name[:LONGEST_TOLD] + "..."
