"""Conflicts of an analysis by the checked terms, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from treewhile.incremental.constraints.language.terms import Constraint, Relation, Term
from treewhile.incremental.constraints.machine.costs import WEAKEST, constant_cost, cost_of
from treewhile.incremental.constraints.machine.definition import FaultError, NamedEdge, View, Violation, value
from treewhile.incremental.constraints.machine.situations import Situation


def cost_in(view: View, constraint: Constraint) -> int:
    """The cost of the constraint for the edges in view, 0 if there is no conflict; may raise `FaultError`."""
    if value(view, constraint.formula):
        return 0
    if not isinstance(constraint.penalty, Term):
        return constant_cost(constraint.penalty)
    penalty = value(view, constraint.penalty)
    return 0 if penalty is None else cost_of(min(max(penalty, WEAKEST), 1))


def stands(relation: Relation, situation: Situation, x: NamedEdge, y: NamedEdge) -> bool:
    """Whether two edges are in a relation, in this order."""
    match relation:
        case Relation.UNDER_ONE_HEAD:
            return x.head == y.head < situation.later
        case Relation.IN_A_CHAIN:
            return x.head == y.dependent
        case Relation.CROSSING:
            return situation.unused not in (x.head, y.head) and _cross(x, y)
    return True


def _cross(x: NamedEdge, y: NamedEdge) -> bool:
    (a, b), (c, d) = sorted((sorted(x[:2]), sorted(y[:2])))
    return a < c < b < d


def edges_judged(
    constraint: Constraint, situation: Situation, edges: Sequence[NamedEdge]
) -> Iterator[tuple[NamedEdge, ...]]:
    """The edges, or pairs of them, that a constraint is about; edges come by their dependents."""
    if constraint.relation == Relation.ONE_EDGE:
        yield from ((edge,) for edge in edges)
        return
    is_ordered = constraint.relation == Relation.IN_A_CHAIN
    for x, y in permutations(edges, 2) if is_ordered else combinations(edges, 2):
        if stands(constraint.relation, situation, x, y):
            yield x, y


def judge(
    situation: Situation, heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[Violation], set[str]]:
    """All conflicts of an analysis, and the names of constraints that could not be computed somewhere.

    Heads and labels are by node, with anything at 0.
    """
    edges = [NamedEdge(node, heads[node], labels[node]) for node in range(1, situation.later)]
    conflicts, faulty = [], set()
    for number, constraint in enumerate(situation.program.grammar.constraints):
        if not situation.is_judged(number):
            continue
        for judged in edges_judged(constraint, situation, edges):
            if not constraint.judges_unused and any(edge.head == situation.unused for edge in judged):
                continue
            try:
                cost = cost_in(View(situation, heads, labels, *judged), constraint)
            except FaultError:
                faulty.add(constraint.name)
                continue
            if cost:
                y = judged[1].dependent if len(judged) == 2 else 0
                conflicts.append(Violation(number, judged[0].dependent, y, cost))
    return conflicts, faulty
