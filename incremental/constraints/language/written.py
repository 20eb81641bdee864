"""Constraints as written: items and expressions with positions; names are not looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from treewhile.incremental.constraints.language.tokens import Place

RELATIONS: Final = ("under one head", "in a chain", "crossing", "of any kind")

Form: TypeAlias = Literal["name", "text", "number", "truth", "set", "attribute", "call", "operation"]


@dataclass(frozen=True, slots=True)
class Expression:
    """Part of a formula as written.

    `value` is the name, text, number or truth value itself, the words of a set, or the name of the operation
    on the operands. A text was quoted, a name was not.
    """

    form: Form
    value: Any
    operands: tuple[Expression, ...]
    place: Place
    depth: int


@dataclass(frozen=True, slots=True)
class Include:
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class WordSet:
    name: str
    words: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """Message of a constraint: texts, and expressions in braces between them; and the marked node."""

    parts: tuple[str | Expression, ...]
    marks: Expression | None


@dataclass(frozen=True, slots=True)
class WrittenConstraint:
    """Constraint before name lookup; `relation` is "" for one edge.

    It has a penalty or a message, or both.
    """

    name: str
    section: str
    penalty: Expression | None
    relation: str
    formula: Expression
    message: WrittenMessage | None
    place: Place


@dataclass(frozen=True, slots=True)
class OtherPenalty:
    """Another penalty for a constraint defined before, or in an included grammar."""

    name: str
    penalty: Expression
    place: Place


Item: TypeAlias = Include | WordSet | WrittenConstraint | OtherPenalty
