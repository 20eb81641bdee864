"""Probable mistakes in a grammar that are no errors: unknown labels, divisions by zero.

Installed grammars serve every model, so they are not checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Final

from treewhile.incremental.constraints.language.adaptations import LABEL_SETS, ROOT
from treewhile.incremental.constraints.language.grammars import Grammar, installed_grammars
from treewhile.incremental.constraints.language.terms import SCORED, Constraint, Kind, Term, relation_of

COUNTS: Final = frozenset({"distance", "count", "position"}) | SCORED  # always at least 0


def doubts(grammar: Grammar, labels: Collection[str]) -> tuple[str, ...]:
    """Return a sentence for each probable mistake in a grammar, given the labels of a model."""
    known = {*labels, *map(relation_of, labels), ROOT}
    installed = {path.name for path in installed_grammars().values()}
    own = [constraint for constraint in grammar.constraints if constraint.place.file not in installed]
    return tuple(doubt for constraint in own for doubt in _doubts(constraint, known))


def _doubts(constraint: Constraint, known: Collection[str]) -> Iterator[str]:
    what, place = f"the constraint {constraint.name!r:.60}", constraint.place
    for part in constraint.parts:
        words = _labels_in(part)
        if words and words.isdisjoint(known):
            lacking = ", ".join(sorted(words))
            yield f"{what} asks for {lacking:.60}, a label that the model lacks: correct it, at {place}"
        if part.operation == "divide" and _least(part.operands[1]) <= 0:
            yield f"{what} counts for nothing where it divides by 0: use max(1, ...) as divisor, at {place}"


def _labels_in(term: Term) -> frozenset[str]:
    """Return the labels that a term compares with, if any."""
    is_of_label = Kind.LABEL in {operand.kind for operand in term.operands}
    if term.operation in LABEL_SETS or (term.operation == "member" and is_of_label):
        return frozenset(term.value or ())
    if term.operation == "same" and is_of_label:
        return frozenset(operand.value for operand in term.operands if operand.operation == "word")
    return frozenset()


def _least(term: Term) -> float:
    """Return a lower bound of a number, or of the absolute value of a constant."""
    if term.operation == "number":
        return abs(float(term.value))
    operands = [_least(operand) for operand in term.operands]
    match term.operation:
        case "add":
            return sum(operands)
        case "multiply" if min(operands) >= 0:
            return math.prod(operands)
        case "minimum":
            return min(operands)
        case "maximum":
            return max(operands)
        case "absolute":
            return max(operands[0], 0)
    return 0 if term.operation in COUNTS else -math.inf
