"""What constraints mean, in plain Python over the checked terms: the judge of the compiled machine.

Names are texts, nodes and numbers are Python numbers, and what does not exist is None. A comparison in which
a value does not exist is false (so `!=`, the contrary of `=`, is true then); arithmetic with it gives
nothing. What cannot be computed, a division by zero or a result that is no number, is a `FaultError`: the
formula then counts as holding.
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
