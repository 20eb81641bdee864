"""Meaning of constraints, in plain Python over the checked terms: the judge of the compiled machine.

Names are texts, nodes and numbers are Python numbers, and missing values are None. A comparison with a
missing value is false (so `!=`, the negation of `=`, is true then); arithmetic with it has no value. A term
that cannot be computed, by a division by zero or a NaN, is a `FaultError`: the formula then counts as true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from treewhile.incremental.constraints.language.terms import ARITHMETIC, Term
from treewhile.incremental.constraints.machine.views import (
    EDGES,
    NODES,
    WITH_VALUES,
    View,
    dominates,
    is_between,
    predicted,
)


class FaultError(ArithmeticError):
    """Error for a term that cannot be computed."""


class Violation(NamedTuple):
    """Conflict: the number of the constraint, the dependents (y = 0 for one edge), and the cost."""

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
    """Return the value of a connective; right operands are evaluated only if they matter."""
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
    """Return the value of a term."""
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
