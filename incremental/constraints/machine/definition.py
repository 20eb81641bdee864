"""What constraints mean, in plain Python over the checked terms: the judge of the compiled machine.

Names are texts, nodes and numbers are Python numbers, and what does not exist is None. A comparison in which
a value does not exist is false (so `!=`, the contrary of `=`, is true then); arithmetic with it gives
nothing. What cannot be computed, a division by zero or a result that is no number, is a `FaultError`: the
formula then counts as holding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any, Final, NamedTuple

from treewhile.incremental.constraints.language.terms import ARITHMETIC, Constraint, Relation, Term
from treewhile.incremental.constraints.machine.costs import WEAKEST, constant_cost, cost_of
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.machine.views import (
    EDGES,
    NODES,
    WITH_VALUES,
    NamedEdge,
    View,
    dominates,
    is_between,
    predicted,
)


class FaultError(ArithmeticError):
    """A term cannot be computed."""


class Violation(NamedTuple):
    """A conflict: the number of the constraint, the dependents (y = 0 for one edge), and what it costs."""

    constraint: int
    x: int
    y: int
    cost: int


# --- logic and numbers --------------------------------------------------------------------------------------


COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "same": lambda a, b: a == b,
    "equal": lambda a, b: a == b,
    "less": lambda a, b: a < b,
    "at_most": lambda a, b: a <= b,
}


def computed(operation: str, values: Sequence[float | None]) -> float | None:
    if None in values:
        return None
    try:
        result = ARITHMETIC[operation](*(float(value) for value in values if value is not None))
    except ZeroDivisionError:
        raise FaultError("division by zero") from None
    if math.isnan(result):
        raise FaultError("the result is no number")
    return result


def connected(view: View, term: Term) -> bool:
    """A connective; what stands to the right is looked at only where it matters."""
    match term.operation:
        case "not":
            return not value(view, term.operands[0])
        case "and":
            return all(value(view, operand) for operand in term.operands)
        case "or":
            return any(value(view, operand) for operand in term.operands)
        case "implies":
            return not value(view, term.operands[0]) or bool(value(view, term.operands[1]))
    return bool(value(view, term.operands[0]) == value(view, term.operands[1]))


def value(view: View, term: Term) -> Any:
    """The value of a term."""
    operation = term.operation
    if operation in ("number", "word", "truth"):
        return term.value
    if operation in EDGES:
        return EDGES[operation](view, view.edge(term.value))
    if operation == "between":
        return is_between(view, view.edge(term.value[0]), term.value[1])
    if operation in ("not", "and", "or", "implies", "equivalent"):
        return connected(view, term)
    values = [value(view, operand) for operand in term.operands]
    if operation in NODES:
        return NODES[operation](view, values[0])
    if operation in WITH_VALUES:
        return WITH_VALUES[operation](view, values[0], term.value)
    if operation == "agree":
        return None in values or values[0] == values[1]
    if operation in COMPARISONS:
        return None not in values and COMPARISONS[operation](*values)
    if operation in ("exists", "number_exists"):
        return values[0] is not None
    if operation == "dominates":
        return dominates(view, *values)
    if operation in ARITHMETIC:
        return computed(operation, values)
    return predicted(view, operation, term.value, values[0])


# --- conflicts ----------------------------------------------------------------------------------------------


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
            try:
                cost = cost_in(View(situation, heads, labels, *judged), constraint)
            except FaultError:
                faulty.add(constraint.name)
                continue
            if cost:
                y = judged[1].dependent if len(judged) == 2 else 0
                conflicts.append(Violation(number, judged[0].dependent, y, cost))
    return conflicts, faulty
