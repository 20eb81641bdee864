"""Checked constraints: terms with their kinds, in the few operations that later passes use; names of both.

A term is an operation with operands and a value that is known when the grammar is read: a constant, an edge
("X" or "Y"), an attribute, a set of words, a predictor. OPERATIONS lists all operations; CONTEXTUAL are those
that depend on the whole current analysis.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from treewhile.incremental.constraints.language.written import Idle, Place


class Kind(StrEnum):
    """Kind of a term's values; the text is its name in messages."""

    TRUTH = "truth value"
    NUMBER = "number"
    NODE = "node"
    FORM = "form"
    TAG = "tag"
    LABEL = "label"
    FEATURE = "feature"
    SHAPE = "shape"
    LEMMA = "lemma"
    XPOS = "XPOS"
    DIRECTION = "direction"
    WORD = "word"  # a constant, which can be compared with any of the eight before


NAMES: Final = frozenset(
    {Kind.FORM, Kind.TAG, Kind.LABEL, Kind.FEATURE, Kind.SHAPE, Kind.LEMMA, Kind.XPOS, Kind.DIRECTION}
    | {Kind.WORD}
)


class Relation(IntEnum):
    """Relation of a constraint's edges."""

    ONE_EDGE = 0
    UNDER_ONE_HEAD = 1
    IN_A_CHAIN = 2
    CROSSING = 3
    OF_ANY_KIND = 4


# Operations by the meaning of their value; operands are terms.
EDGE_OPERATIONS: Final = (
    "dependent",
    "edge_head",
    "edge_label",
    "edge_relation",
    "distance",
    "direction",
    "probability",
    "head_probability",
    "label_probability",
    "future_probability",
    "covers_outsider",
)
NODE_OPERATIONS: Final = (
    "position",
    "is_word",
    "is_virtual",
    "is_later",
    "is_root",
    "is_unused",
    "head_of",
    "label_of",
    "relation_of",
    "dominates",
    "next",
    "previous",
    "direction_of",
    "distance_of",
)
SET_OPERATIONS: Final = ("has", "count", "under", "member")
SPELLING_OPERATIONS: Final = ("starts", "ends", "contains", "matches")  # values are known of single words
QUANTIFIERS: Final = ("some", "number_of")  # operands: where the nodes are sought, and a formula on each
PREDICTOR_OPERATIONS: Final = (
    "prediction_exists",
    "predicted_head",
    "predicted_label",
    "predicted_relation",
)
LOGIC: Final = ("not", "and", "or", "implies", "equivalent")
COMPARING: Final = (
    "same",
    "agree",
    "meet",
    "equal",
    "less",
    "at_most",
    "exists",
    "number_exists",
)
ARITHMETIC: Final[dict[str, Callable[..., float]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "minimum": min,
    "maximum": max,
    "absolute": abs,
    "power": pow,
}

OPERATIONS: Final = (
    *("number", "word", "truth", "attribute", "entry", "between", "bound"),
    *EDGE_OPERATIONS,
    *NODE_OPERATIONS,
    *SET_OPERATIONS,
    *SPELLING_OPERATIONS,
    *QUANTIFIERS,
    *PREDICTOR_OPERATIONS,
    *LOGIC,
    *COMPARING,
    *ARITHMETIC,
)

CONTEXTUAL: Final = frozenset(
    {"head_of", "label_of", "relation_of", "has", "count", "under", "dominates", "covers_outsider"}
    | {"direction_of", "distance_of", *QUANTIFIERS}
)
SCORED: Final = frozenset({"probability", "head_probability", "label_probability", "future_probability"})
LABELLED: Final = frozenset(
    {"edge_label", "edge_relation", "probability", "label_probability"}
)  # depend on the label of an edge

RELATION_OPERATIONS: Final = ("edge_relation", "relation_of", "predicted_relation")

EDGES_MAY_CROSS: Final = "edges_may_cross"  # truth value determined by the model: later passes never see it

FEATURE: Final = "feature "  # prefix of the attribute of a feature; others are form, lower, tag, shape


@dataclass(frozen=True, slots=True)
class Term:
    operation: str
    kind: Kind
    operands: tuple[Term, ...] = ()
    value: Any = None
    _hash: int = field(init=False, repr=False, compare=False)  # computed once, since terms nest

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.operation, self.operands, self.value)))

    def __hash__(self) -> int:
        return self._hash

    def parts(self) -> Iterator[Term]:
        """Yield the term and all subterms."""
        todo = [self]
        while todo:
            term = todo.pop()
            yield term
            todo.extend(term.operands)


class Asked(StrEnum):
    """Kind of a name that a constraint asks for; the text is its name in messages."""

    LABEL = "label"
    RELATION = "relation"
    LABEL_OR_RELATION = "label or relation"
    TAG = "tag"
    XPOS = "XPOS"
    FEATURE = "feature"
    VALUE = "value"
    PREDICTOR = "predictor"
    LEARNT = "attribute"


class NameUse(NamedTuple):
    """Names of one kind that a constraint asks for, with their places; `of` is the feature of a value."""

    kind: Asked
    places: Mapping[str, Place]
    of: str = ""


Penalty: TypeAlias = float | Term


@dataclass(frozen=True)
class MessageText:
    """Sentence for people: texts, and nodes and names in between; `marks` is the node at fault."""

    parts: tuple[str | Term, ...]
    marks: Term | None


class Example(NamedTuple):
    """Example beside a constraint: a sentence that keeps it (right), or breaks it (wrong)."""

    text: str
    is_right: bool
    place: Place


@dataclass(frozen=True)
class Constraint:
    """Checked constraint; a penalty that is a term is computed for each conflict.

    A constraint without a penalty does not count in a search: it only has a message.
    """

    name: str
    section: str
    penalty: Penalty | None
    relation: Relation
    formula: Term
    message: MessageText | None
    place: Place
    uses: tuple[NameUse, ...] = field(default=(), compare=False)
    divisions: tuple[Place, ...] = field(default=(), compare=False)  # those that may be by zero
    idle: tuple[Idle, ...] = field(default=(), compare=False)
    examples: tuple[Example, ...] = field(default=(), compare=False)

    def with_penalty(self, penalty: Penalty) -> Constraint:
        return replace(self, penalty=penalty)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Formula, and the penalty if it is computed."""
        return (self.formula, self.penalty) if isinstance(self.penalty, Term) else (self.formula,)

    @cached_property
    def parts(self) -> tuple[Term, ...]:
        """All subterms of the formula and of the penalty."""
        return tuple(part for term in self.terms for part in term.parts())

    @cached_property
    def is_contextual(self) -> bool:
        """True if the constraint depends on more of the analysis than its edges."""
        return any(part.operation in CONTEXTUAL for part in self.parts)

    @property
    def is_alone(self) -> bool:
        """True if the constraint is on one edge and depends on nothing else."""
        return self.relation == Relation.ONE_EDGE and not self.is_contextual

    @property
    def is_for_all(self) -> bool:
        """True if every edge is a conflict, except perhaps those of unused nodes."""
        formula = self.formula
        is_false = formula.operation == "truth" and not formula.value
        is_unused = formula.operation == "is_unused" and formula.operands[0].operation == "edge_head"
        return self.is_alone and (is_false or is_unused)

    @cached_property
    def is_scored(self) -> bool:
        """True if the constraint uses the arc scorer."""
        return any(part.operation in SCORED for part in self.parts)

    @cached_property
    def judges_unused(self) -> bool:
        """True if edges of unused nodes may break the constraint: it asks for them, or for scores."""
        return self.is_scored or any(part.operation == "is_unused" for part in self.parts)

    @cached_property
    def reads_labels(self) -> bool:
        return any(part.operation in LABELLED for part in self.parts)

    @cached_property
    def predictors(self) -> frozenset[str]:
        return frozenset(part.value for part in self.parts if part.operation in PREDICTOR_OPERATIONS)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Attributes of nodes that are used: form, lower, tag, shape, "feature Number"."""
        return frozenset(part.value for part in self.parts if part.operation == "attribute")


def relation_of(label: str) -> str:
    """Return the part of a label before the `:`."""
    return label.partition(":")[0]


# Attributes of nodes and of edges, with the kinds of their values.
NEIGHBOURS: Final = ("next", "previous")
NODE_ATTRIBUTES: Final = {
    "form": Kind.FORM,
    "lower": Kind.FORM,
    "tag": Kind.TAG,
    "shape": Kind.SHAPE,
    "lemma": Kind.LEMMA,
    "xpos": Kind.XPOS,
}
LEARNT: Final = ("lemma", "xpos")  # attributes that only some models know
CONTEXT_ATTRIBUTES: Final = {
    "head": ("head_of", Kind.NODE),
    "label": ("label_of", Kind.LABEL),
    "relation": ("relation_of", Kind.LABEL),
    "direction": ("direction_of", Kind.DIRECTION),
    "distance": ("distance_of", Kind.NUMBER),
}
EDGE_ATTRIBUTES: Final = {
    "dependent": ("dependent", Kind.NODE),
    "head": ("edge_head", Kind.NODE),
    "label": ("edge_label", Kind.LABEL),
    "relation": ("edge_relation", Kind.LABEL),
    "distance": ("distance", Kind.NUMBER),
    "direction": ("direction", Kind.DIRECTION),
}
DIRECTIONS: Final = ("left", "right")

# Calls by their arguments: nodes, an edge, a node and a set, a predictor and a node.
NODE_TESTS: Final = ("is_word", "is_virtual", "is_later", "is_root", "is_unused")
SCORES: Final = ("probability", "head_probability", "label_probability", "future_probability")
SET_CALLS: Final = {"has": Kind.TRUTH, "under": Kind.TRUTH, "count": Kind.NUMBER}
AFFIX_CALLS: Final = ("starts", "ends")
PREDICTIONS: Final = {
    "prediction_exists": Kind.TRUTH,
    "predicted_head": Kind.NODE,
    "predicted_label": Kind.LABEL,
    "predicted_relation": Kind.LABEL,
}
FUNCTIONS: Final = {"min": "minimum", "max": "maximum", "abs": "absolute"}
CALLS: Final = (
    *NODE_TESTS,
    *SCORES,
    *SET_CALLS,
    *AFFIX_CALLS,
    *PREDICTIONS,
    *FUNCTIONS,
    *("exists", "agree", "dominates", "between", "covers_outsider"),
)

# Extents of quantifiers, in the order of the kernels' numbers, with their nodes in a sentence of 20 words.
EXTENTS: Final = {
    "below": 2,
    "above": 4,
    "beside": 3,
    "left of": 10,
    "right of": 10,
    "between": 5,
    "anywhere": 20,
}
EDGES_JUDGED: Final = {  # in a sentence of 20 words
    Relation.ONE_EDGE: 20,
    Relation.UNDER_ONE_HEAD: 40,
    Relation.IN_A_CHAIN: 20,
    Relation.CROSSING: 10,
    Relation.OF_ANY_KIND: 190,
}

TOLD: Final = NAMES | {Kind.NODE}  # kinds of terms in braces in a sentence for people

LOGIC_SIGNS: Final = {"and": "and", "or": "or", "->": "implies", "<->": "equivalent", "not": "not"}
ORDER_SIGNS: Final = {
    "<": ("less", False),
    "<=": ("at_most", False),
    ">": ("less", True),
    ">=": ("at_most", True),
}
ARITHMETIC_SIGNS: Final = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "negative": "negative",
}
