"""Meaning of constraints, in plain Python over the checked terms: the judge of the compiled machine.

Names are texts, nodes and numbers are Python numbers, and missing values are None. A comparison with a
missing value is false (so `!=`, the negation of `=`, is true then); arithmetic with it has no value. A term
that cannot be computed, by a division by zero or a NaN, is a `FaultError`: the formula then counts as true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from treewhile.incremental.constraints.language.lexicon import Pattern, Table
from treewhile.incremental.constraints.language.terms import (
    ARITHMETIC,
    QUANTIFIERS,
    Term,
    relation_of,
)
from treewhile.incremental.constraints.machine.attributes import Cell, Column
from treewhile.incremental.constraints.machine.situations import Situation


class NamedEdge(NamedTuple):
    """Edge with the name of its label."""

    dependent: int
    head: int
    label: str


@dataclass(frozen=True)
class View:
    """Edges of an analysis, on which formulas are evaluated. Heads and labels are by node, from 1."""

    situation: Situation
    heads: Sequence[int]
    labels: Sequence[str]
    x: NamedEdge
    y: NamedEdge | None = None
    bound: tuple[int, ...] = ()  # the nodes of the variables of quantifiers, the outermost first

    def edge(self, name: str) -> NamedEdge:
        edge = self.x if name == "X" else self.y
        assert edge is not None
        return edge

    def is_dependent(self, node: int | None) -> bool:
        return node is not None and 1 <= node < self.situation.later

    def head(self, node: int | None) -> int | None:
        return self.heads[node] if node is not None and self.is_dependent(node) else None

    def label(self, node: int | None) -> str | None:
        return self.labels[node] if node is not None and self.is_dependent(node) else None

    def way_up(self, node: int | None) -> Iterator[int]:
        """Yield the node and its ancestors, each once."""
        seen: set[int] = set()
        while node is not None and node not in seen:
            yield node
            seen.add(node)
            node = self.head(node)

    def labels_below(self, node: int | None) -> Iterator[str]:
        for dependent in range(1, self.situation.later):
            if node is not None and self.heads[dependent] == node:
                yield self.labels[dependent]


def neighbour(view: View, node: int | None, offset: int) -> int | None:
    """Return the word next to a word, if there is one."""
    words = range(1, view.situation.t + 1)
    return node + offset if node is not None and {node, node + offset} <= {*words} else None


def has_affix(view: View, node: int | None, operation: str, affixes: frozenset[str]) -> bool:
    form = attribute(view, node, "form")
    has = str.startswith if operation == "starts" else str.endswith
    return form is not None and any(has(form.casefold(), affix) for affix in affixes)


def attribute(view: View, node: int | None, name: Column) -> str | None:
    return None if node is None else view.situation.attribute(node, name)


def contains(view: View, node: int | None, of: str | tuple[Table, str], words: frozenset[str]) -> bool:
    values = attribute(view, node, of if isinstance(of, str) else Cell(*of))
    return values is not None and not words.isdisjoint(values.split(","))


def matches(view: View, node: int | None, name: str, pattern: Pattern) -> bool:
    form = attribute(view, node, name)
    return form is not None and pattern.matches(form)


def nodes_in(view: View, extent: str, start: int | None) -> Iterator[int]:
    """Yield the nodes in use in an extent, in order."""
    used = (node for node in range(1, view.situation.later) if view.heads[node] != view.situation.unused)
    if start is not None:
        yield from (node for node in used if is_in_extent(view, extent, start, node))


def is_in_extent(view: View, extent: str, start: int, node: int) -> bool:
    head = view.head(start)
    match extent:
        case "below":
            return view.heads[node] == start
        case "above":
            return node != start and node in view.way_up(start)
        case "beside":
            return node != start and head is not None and head == view.heads[node] < view.situation.later
        case "left of":
            return node < start
        case "right of":
            return node > start
        case "between":
            is_in_use = head is not None and head != view.situation.unused
            return is_in_use and node in range(min(start, head or 0) + 1, max(start, head or 0))
    return True


def edge_of(view: View, node: int | None) -> NamedEdge | None:
    head, label = view.head(node), view.label(node)
    return None if node is None or head is None or label is None else NamedEdge(node, head, label)


def is_in(label: str | None, words: frozenset[str] | None) -> bool:
    """Return whether a label or its relation is one of the words; None stands for all words."""
    return label is not None and (words is None or not words.isdisjoint((label, relation_of(label))))


# --- edges and nodes ----------------------------------------------------------------------------------------


def distance(view: View, edge: NamedEdge) -> float:
    return abs(edge.head - edge.dependent) if view.is_dependent(edge.head) else 0


def direction(view: View, edge: NamedEdge) -> str | None:
    if edge.head == view.situation.unused:
        return None
    return "left" if edge.dependent < edge.head else "right"


def covered(view: View, edge: NamedEdge) -> range:
    """Return the dependents strictly between the ends of an edge; LATER is behind all words."""
    if edge.head == view.situation.unused:
        return range(0)
    return range(min(edge[:2]) + 1, max(edge[:2]))


def is_between(view: View, edge: NamedEdge, tags: frozenset[str]) -> bool:
    words = (node for node in covered(view, edge) if node <= view.situation.t)
    return any(view.situation.attribute(node, "tag") in tags for node in words)


def covers_outsider(view: View, edge: NamedEdge) -> bool:
    used = (node for node in covered(view, edge) if view.heads[node] != view.situation.unused)
    return any(edge.head not in view.way_up(node) for node in used)


def dominates(view: View, above: int | None, below: int | None) -> bool:
    return above is not None and above != below and above in view.way_up(below)


def is_under(view: View, node: int | None, words: frozenset[str] | None) -> bool:
    return any(is_in(view.label(above), words) for above in view.way_up(node))


def log_of_head(view: View, edge: NamedEdge) -> float:
    assert view.situation.head_log is not None
    return float(view.situation.head_log[edge.head, edge.dependent])


def log_of_label(view: View, edge: NamedEdge) -> float:
    labels = view.situation.label_log
    if labels is None:
        return 0
    return float(labels[edge.dependent, edge.head, view.situation.program.label_numbers[edge.label]])


EDGES: Final[dict[str, Callable[[View, NamedEdge], Any]]] = {
    "dependent": lambda view, edge: edge.dependent,
    "edge_head": lambda view, edge: edge.head,
    "edge_label": lambda view, edge: edge.label,
    "edge_relation": lambda view, edge: relation_of(edge.label),
    "distance": distance,
    "direction": direction,
    "probability": lambda view, edge: math.exp(log_of_head(view, edge) + log_of_label(view, edge)),
    "head_probability": lambda view, edge: math.exp(log_of_head(view, edge)),
    "label_probability": lambda view, edge: math.exp(log_of_label(view, edge)),
    "future_probability": lambda view, edge: float(view.situation.future[edge.dependent]),
    "covers_outsider": covers_outsider,
}

NODES: Final[dict[str, Callable[[View, int | None], Any]]] = {
    "position": lambda view, node: node,
    "next": lambda view, node: neighbour(view, node, 1),
    "previous": lambda view, node: neighbour(view, node, -1),
    "is_word": lambda view, node: node is not None and 1 <= node <= view.situation.t,
    "is_virtual": lambda view, node: node is not None and view.situation.t < node < view.situation.later,
    "is_later": lambda view, node: node == view.situation.later,
    "is_root": lambda view, node: node == 0,
    "is_unused": lambda view, node: node == view.situation.unused,
    "head_of": lambda view, node: view.head(node),
    "label_of": lambda view, node: view.label(node),
    "direction_of": lambda view, node: (
        None if (edge := edge_of(view, node)) is None else direction(view, edge)
    ),
    "distance_of": lambda view, node: None if (edge := edge_of(view, node)) is None else distance(view, edge),
    "relation_of": lambda view, node: None if (label := view.label(node)) is None else relation_of(label),
}

WITH_VALUES: Final[dict[str, Callable[[View, Any, Any], Any]]] = {
    "has": lambda view, node, words: any(is_in(label, words) for label in view.labels_below(node)),
    "count": lambda view, node, words: sum(is_in(label, words) for label in view.labels_below(node)),
    "under": is_under,
    "starts": lambda view, node, affixes: has_affix(view, node, "starts", affixes),
    "ends": lambda view, node, affixes: has_affix(view, node, "ends", affixes),
    "member": lambda view, name, words: name in words,
    "attribute": attribute,
    "entry": lambda view, node, cell: attribute(view, node, Cell(*cell)),
    "contains": lambda view, node, asked: contains(view, node, *asked),
    "matches": lambda view, node, asked: matches(view, node, *asked),
}


def predicted(view: View, operation: str, predictor: str, node: int | None) -> Any:
    prediction = None if node is None else view.situation.prediction(predictor, node)
    if operation == "prediction_exists":
        return prediction is not None
    if prediction is None:
        return None
    if operation == "predicted_head":
        return prediction.head
    is_whole = operation == "predicted_label" or prediction.label is None
    return prediction.label if is_whole else relation_of(str(prediction.label))


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


def quantified(view: View, term: Term) -> int:
    """Return how many nodes a formula holds on; 1 is enough for `some`."""
    (start, formula), (extent, level) = term.operands, term.value
    count = 0
    for node in nodes_in(view, extent, value(view, start)):
        count += bool(value(replace(view, bound=(*view.bound[:level], node)), formula))
        if count and term.operation == "some":
            break
    return count


def do_meet(values: Sequence[str | None]) -> bool:
    a, b = values
    return a is None or b is None or not {*a.split(",")}.isdisjoint(b.split(","))


def value(view: View, term: Term) -> Any:
    operation = term.operation
    if operation in ("number", "word", "truth"):
        return term.value
    if operation in EDGES:
        return EDGES[operation](view, view.edge(term.value))
    if operation == "bound":
        return view.bound[term.value]
    if operation in QUANTIFIERS:
        return quantified(view, term)
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
    if operation == "meet":
        return do_meet(values)
    if operation in COMPARISONS:
        return None not in values and COMPARISONS[operation](*values)
    if operation in ("exists", "number_exists"):
        return values[0] is not None
    if operation == "dominates":
        return dominates(view, *values)
    if operation in ARITHMETIC:
        return computed(operation, values)
    return predicted(view, operation, term.value, values[0])
