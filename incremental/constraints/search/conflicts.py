"""Where an analysis breaks the constraints, for people: which one, how much it counts, which words."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.constraints.language.terms import Constraint, Kind, MessageText, Term
from treewhile.incremental.constraints.machine.costs import penalty_of
from treewhile.incremental.constraints.machine.definition import value
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import Ints, Longs, TreeArrays
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.machine.views import NamedEdge, View

LONGEST_TOLD: Final = 40  # characters of a word in a message
NOTHING: Final = "..."  # stands for what does not exist


class BrokenConstraint(NamedTuple):
    """A constraint that is broken, its cost and penalty, its words from 1, and what it says to people, or "".

    The words are the one that it marks, or those at the ends of its edges. One without a penalty has 1.
    """

    constraint: str
    section: str
    cost: int
    penalty: float
    words: tuple[int, ...]
    message: str


def find_conflicts(situation: Situation, heads: Ints | Longs, labels: Ints | Longs) -> list[BrokenConstraint]:
    """All conflicts of an analysis, which is given by node; the hardest first, then as in the grammar."""
    return conflicts_of(situation, TreeArrays(heads.astype(np.int64), labels.astype(np.int64)))


def conflicts_of(
    situation: Situation, tree: TreeArrays, other: Program | None = None
) -> list[BrokenConstraint]:
    """The same for arrays as kernels have them, and under another program if there is one."""
    rows = conflicts_in(situation, tree, other)
    if len(rows) == 0:
        return []
    return _told_all(situation if other is None else situation.under(other), tree, rows)


def _told_all(situation: Situation, tree: TreeArrays, rows: Longs) -> list[BrokenConstraint]:
    """Conflicts as people read them."""
    names = [situation.program.labels[label] for label in tree.labels.tolist()]
    nodes = tree.heads.tolist()
    edges = [NamedEdge(*edge) for edge in zip(range(len(nodes)), nodes, names, strict=True)]
    constraints = situation.program.grammar.constraints
    return [
        _told(constraints[number], cost, View(situation, nodes, names, edges[x], edges[y] if y else None))
        for number, x, y, cost in rows.tolist()
    ]


def _told(constraint: Constraint, cost: int, view: View) -> BrokenConstraint:
    message = constraint.message
    return BrokenConstraint(
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
