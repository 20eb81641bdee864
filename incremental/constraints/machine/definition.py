"""What constraints mean, in plain Python over the checked terms: the judge of the compiled machine.

Names are texts, nodes and numbers are Python numbers, and what does not exist is None. A comparison in which
a value does not exist is false (so `!=`, the contrary of `=`, is true then); arithmetic with it gives
nothing. What cannot be computed, a division by zero or a result that is no number, is a `FaultError`: the
formula then counts as holding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Final, NamedTuple

from treewhile.incremental.constraints.language.terms import Constraint, Relation, Term
from treewhile.incremental.constraints.machine.costs import WEAKEST, constant_cost, cost_of
from treewhile.incremental.constraints.machine.situations import Situation


class NamedEdge(NamedTuple):
    """An edge with the name of its label."""

    dependent: int
    head: int
    label: str


class FaultError(ArithmeticError):
    """A term cannot be computed."""


class Violation(NamedTuple):
    """A conflict: the number of the constraint, the dependents (y = 0 for one edge), and what it costs."""

    constraint: int
    x: int
    y: int
    cost: int


@dataclass(frozen=True)
class View:
    """What a formula is about: edges of an analysis in a situation. Heads and labels are by node, from 1."""

    situation: Situation
    heads: Sequence[int]
    labels: Sequence[str]
    x: NamedEdge
    y: NamedEdge | None = None

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
        """The node and those above it, each once."""
        seen: set[int] = set()
        while node is not None and node not in seen:
            yield node
            seen.add(node)
            node = self.head(node)

    def labels_below(self, node: int | None) -> Iterator[str]:
        """The labels of the dependents of a node."""
        for dependent in range(1, self.situation.later):
            if node is not None and self.heads[dependent] == node:
                yield self.labels[dependent]


def neighbour(view: View, node: int | None, offset: int) -> int | None:
    """The word that stands next to a word, if there is one."""
    words = range(1, view.situation.t + 1)
    return node + offset if node is not None and {node, node + offset} <= {*words} else None


def has_affix(view: View, node: int | None, operation: str, affixes: frozenset[str]) -> bool:
    form = None if node is None else view.situation.attribute(node, "form")
    has = str.startswith if operation == "starts" else str.endswith
    return form is not None and any(has(form.casefold(), affix) for affix in affixes)


def relation_of(label: str) -> str:
    return label.partition(":")[0]


def is_in(label: str | None, words: frozenset[str] | None) -> bool:
    """Whether a label or its relation is one of the words, or any label where all of them are meant."""
    return label is not None and (words is None or not words.isdisjoint((label, relation_of(label))))


# --- edges and nodes ----------------------------------------------------------------------------------------


def distance(view: View, edge: NamedEdge) -> float:
    return abs(edge.head - edge.dependent) if view.is_dependent(edge.head) else 0


def direction(view: View, edge: NamedEdge) -> str | None:
    if edge.head == view.situation.unused:
        return None
    return "left" if edge.dependent < edge.head else "right"


def covered(view: View, edge: NamedEdge) -> range:
    """The dependents strictly between the two ends of an edge; LATER stands behind all."""
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
    "relation_of": lambda view, node: None if (label := view.label(node)) is None else relation_of(label),
}

WITH_VALUES: Final[dict[str, Callable[[View, Any, Any], Any]]] = {
    "has": lambda view, node, words: any(is_in(label, words) for label in view.labels_below(node)),
    "count": lambda view, node, words: sum(is_in(label, words) for label in view.labels_below(node)),
    "under": is_under,
    "starts": lambda view, node, affixes: has_affix(view, node, "starts", affixes),
    "ends": lambda view, node, affixes: has_affix(view, node, "ends", affixes),
    "member": lambda view, name, words: name in words,
    "attribute": lambda view, node, name: None if node is None else view.situation.attribute(node, name),
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


# --- logic and numbers --------------------------------------------------------------------------------------


def quotient(a: float, b: float) -> float:
    if b == 0:
        raise FaultError("division by zero")
    return a / b


COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "same": lambda a, b: a == b,
    "equal": lambda a, b: a == b,
    "less": lambda a, b: a < b,
    "at_most": lambda a, b: a <= b,
}

ARITHMETIC: Final[dict[str, Callable[..., float]]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": quotient,
    "negative": lambda a: -a,
    "minimum": min,
    "maximum": max,
    "absolute": abs,
}


def computed(operation: str, values: Sequence[float | None]) -> float | None:
    if None in values:
        return None
    result = ARITHMETIC[operation](*(float(value) for value in values if value is not None))
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
