"""Truth of a formula by labels: its truth for all labels of X and Y at once, and the rest of the formula.

Truth has Kleene's three values, since only the labels are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.terms import LOGIC, Term
from treewhile.incremental.constraints.machine.code import Names
from treewhile.incremental.constraints.machine.kernels.records import NameColumn

FALSE, UNKNOWN, TRUE = 0, 1, 2  # so `and` is the minimum, `or` the maximum, and `not` the difference to 2

Truth = npt.NDArray[Any]  # [label of X, label of Y], in a shape that broadcasts

LABEL_COLUMNS: Final = {"edge_label": NameColumn.LABEL, "edge_relation": NameColumn.RELATION}


class LabelTruth:
    """Truth of terms by labels."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def of(self, term: Term) -> Truth:
        operands = term.operands
        match term.operation:
            case "truth":
                return np.full((1, 1), TRUE if term.value else FALSE)
            case "not":
                return _negated(self.of(operands[0]))
            case "and":
                return reduce(np.minimum, map(self.of, operands))
            case "or":
                return reduce(np.maximum, map(self.of, operands))
            case "implies":
                return np.maximum(_negated(self.of(operands[0])), self.of(operands[1]))
            case "equivalent":
                a, b = map(self.of, operands)
                return np.maximum(np.minimum(a, b), np.minimum(_negated(a), _negated(b)))
        return self.of_comparison(term)

    def of_comparison(self, term: Term) -> Truth:
        if term.operation not in ("same", "member"):
            return np.full((1, 1), UNKNOWN)
        names = [found for operand in term.operands if (found := self._known_names(operand)) is not None]
        if len(names) < len(term.operands):
            return np.full((1, 1), UNKNOWN)
        if term.operation == "member":
            is_true = np.isin(names[0], [self._names.number(word) for word in term.value])
        else:
            is_true = np.equal(names[0], names[1])
        return np.where(is_true, TRUE, FALSE)

    def decided(self, formula: Term) -> dict[Term, Truth]:
        """Return the truth of the comparisons in a formula that labels determine."""
        truths = {part: self.of_comparison(part) for part in formula.parts()}
        return {part: truth for part, truth in truths.items() if truth.size > 1}

    def _known_names(self, term: Term) -> Truth | None:
        """Return the numbers of a name that labels determine; None for others."""
        if term.operation == "word":
            return np.full((1, 1), self._names.number(term.value))
        if term.operation not in LABEL_COLUMNS:
            return None
        column = self._names.of_labels[:, LABEL_COLUMNS[term.operation]]
        return column[:, None] if term.value == "X" else column[None, :]


def _negated(truth: Truth) -> Truth:
    return np.subtract(TRUE, truth)


# --- what is left -------------------------------------------------------------------------------------------


def what_is_left(term: Term, truths: Mapping[Term, int]) -> Term:
    """Return the rest of a term, given the truth of some comparisons."""
    if term in truths:
        return Term("truth", term.kind, value=truths[term] == TRUE)
    if term.operation not in LOGIC:
        return term
    operands = [what_is_left(operand, truths) for operand in term.operands]
    match term.operation:
        case "not":
            return _not(operands[0])
        case "equivalent":
            return _equivalent(term, *operands)
        case "implies":
            return _joined(replace(term, operation="or"), [_not(operands[0]), operands[1]])
    return _joined(term, operands)


def _joined(term: Term, operands: Sequence[Term]) -> Term:
    """Return the conjunction or disjunction of some terms, simplified."""
    matters = term.operation == "and"
    if any(_is(operand, not matters) for operand in operands):
        return Term("truth", term.kind, value=not matters)
    left = tuple(operand for operand in operands if not _is(operand, matters))
    if not left:
        return Term("truth", term.kind, value=matters)
    return left[0] if len(left) == 1 else replace(term, operands=left)


def _equivalent(term: Term, a: Term, b: Term) -> Term:
    for one, other in ((a, b), (b, a)):
        if one.operation == "truth":
            return other if one.value else _not(other)
    return replace(term, operands=(a, b))


def _not(term: Term) -> Term:
    if term.operation == "truth":
        return replace(term, value=not term.value)
    return term.operands[0] if term.operation == "not" else Term("not", term.kind, (term,))


def _is(term: Term, truth: bool) -> bool:
    return term.operation == "truth" and term.value == truth
