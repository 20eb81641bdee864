"""Reasons why a constraint is not broken: the first condition that fails, for every edge or pair of edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from treewhile.incremental.constraints.language.terms import Constraint, Kind, Relation, Term
from treewhile.incremental.constraints.machine.definition import NamedEdge, View, value
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.workbench.formula_texts import text_of_term


class Silence(NamedTuple):
    """Edge, or pair, of a constraint: its dependents, how many conditions hold, and the first that fails.

    The condition is empty if all hold: then the constraint is broken there. The values are those that the
    condition compares.
    """

    words: tuple[int, ...]
    held: int
    condition: str
    values: dict[str, str]


def silences(
    situation: Situation, constraint: Constraint, heads: Sequence[int], labels: Sequence[str]
) -> list[Silence]:
    """Return the reasons for all edges of a tree, given by node; those that come closest stand first."""
    edges = [NamedEdge(d, heads[d], labels[d]) for d in range(1, situation.t + 1)]
    conditions = broken_if(constraint.formula)
    found = [
        _silence(View(situation, heads, labels, *pair), conditions) for pair in _pairs(constraint, edges)
    ]
    return sorted(found, key=lambda silence: (-silence.held, silence.words))


def broken_if(formula: Term) -> list[Term]:
    """Return the conditions under which a formula does not hold, in order."""
    match formula.operation:
        case "implies":
            return holds_if(formula.operands[0]) + broken_if(formula.operands[1])
        case "not":
            return holds_if(formula.operands[0])
        case "or":
            return [condition for operand in formula.operands for condition in broken_if(operand)]
    is_false = formula.operation == "truth" and not formula.value
    return [] if is_false else [Term("not", Kind.TRUTH, (formula,))]


def holds_if(formula: Term) -> list[Term]:
    """Return the conditions under which a formula holds, in order."""
    if formula.operation == "and":
        return [condition for operand in formula.operands for condition in holds_if(operand)]
    return broken_if(formula.operands[0]) if formula.operation == "not" else [formula]


def _silence(view: View, conditions: Sequence[Term]) -> Silence:
    words = (view.x.dependent, *([view.y.dependent] if view.y else []))
    for held, condition in enumerate(conditions):
        if not value(view, condition):
            return Silence(words, held, text_of_term(condition), dict(_values(view, condition)))
    return Silence(words, len(conditions), "", {})


def _values(view: View, condition: Term) -> Iterator[tuple[str, str]]:
    """Yield the texts and values of what a condition compares."""
    (condition,) = condition.operands if condition.operation == "not" else (condition,)
    for operand in condition.operands:
        if operand.operation not in ("word", "number"):
            found = value(view, operand)
            is_node = operand.kind == Kind.NODE and found is not None
            yield text_of_term(operand), _node(view, found) if is_node else str(found)


def _node(view: View, node: int) -> str:
    names = {0: "the root", view.situation.later: "LATER", view.situation.unused: "UNUSED"}
    return names.get(node) or f"{node} {view.situation.attribute(node, 'form') or ''}".strip()


def _pairs(
    constraint: Constraint, edges: Sequence[NamedEdge]
) -> Iterator[tuple[NamedEdge, NamedEdge | None]]:
    if constraint.relation == Relation.ONE_EDGE:
        yield from ((edge, None) for edge in edges)
        return
    for x, y in permutations(edges, 2):
        if _are_related(constraint.relation, x, y):
            yield x, y


def _are_related(relation: Relation, x: NamedEdge, y: NamedEdge) -> bool:
    if relation == Relation.IN_A_CHAIN:
        return x.head == y.dependent
    if x.dependent > y.dependent:
        return False
    if relation == Relation.UNDER_ONE_HEAD:
        return x.head == y.head
    if relation == Relation.OF_ANY_KIND:
        return True
    (a, b), (c, d) = (sorted(edge[:2]) for edge in (x, y))
    return a < c < b < d or c < a < d < b
