"""Conflicts of an analysis, for people: the constraint, its weight, and the words."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.constraints.language.terms import Constraint, Kind, MessageText, Term
from treewhile.incremental.constraints.machine.costs import penalty_of
from treewhile.incremental.constraints.machine.definition import NamedEdge, View, value
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import Ints, Longs, TreeArrays
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation

LONGEST_TOLD: Final = 40  # maximum length of a word in a message, in characters
NOTHING: Final = "..."  # stands for a missing value


class BrokenConstraint(NamedTuple):
    """Violated constraint with its cost and penalty, its words from 1, and its message, or "".

    The words are the marked one, or those at the ends of its edges; x is the word that the formula calls X,
    or None. The penalty is 1 if there is none.
    """

    constraint: str
    section: str
    cost: int
    penalty: float
    words: tuple[int, ...]
    message: str
    x: int | None = None


def find_conflicts(situation: Situation, heads: Ints | Longs, labels: Ints | Longs) -> list[BrokenConstraint]:
    """Return all conflicts of an analysis, given by node; the hardest first, then in grammar order."""
    return conflicts_of(situation, TreeArrays(heads.astype(np.int64), labels.astype(np.int64)))


def conflicts_of(
    situation: Situation, tree: TreeArrays, other: Program | None = None
) -> list[BrokenConstraint]:
    """Return all conflicts of a tree in kernel arrays, under another program if given."""
    rows = conflicts_in(situation, tree, other)
    if len(rows) == 0:
        return []
    return _told_all(situation if other is None else situation.under(other), tree, rows)


def _told_all(situation: Situation, tree: TreeArrays, rows: Longs) -> list[BrokenConstraint]:
    """Return conflicts in readable form."""
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
        view.x.dependent if view.x.dependent <= view.situation.t else None,
    )


def _words(view: View, marks: Term | None) -> tuple[int, ...]:
    """Return the words of a conflict, each once."""
    ends = [end for edge in (view.x, view.y) if edge for end in edge[:2]]
    nodes = {*ends} if marks is None else {value(view, marks)}
    return tuple(word for word in range(1, view.situation.t + 1) if word in nodes)


def _sentence(view: View, message: MessageText) -> str:
    return "".join(part if isinstance(part, str) else _shown(view, part) for part in message.parts)


def _shown(view: View, part: Term) -> str:
    """Return a name, or the form of a node."""
    found = value(view, part)
    is_node = part.kind == Kind.NODE and found is not None
    name: str | None = view.situation.attribute(found, "form") if is_node else found
    if name is None:
        return NOTHING
    return name if len(name) <= LONGEST_TOLD else name[:LONGEST_TOLD] + "..."
