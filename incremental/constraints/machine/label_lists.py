"""Constraints by label: truth of formulas for all labels at once, lists for the kernels, equal labels.

Truth has Kleene's three values, since only the labels are known.

Most constraints are irrelevant for most labels: `X.relation = det -> ...` holds for every edge unless its
label is det. So lists contain, for each label, and each pair of labels in a relation, the remaining
constraints, and the rest of their formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.terms import (
    ARITHMETIC,
    LABELLED,
    LOGIC,
    Constraint,
    Relation,
    Term,
)
from treewhile.incremental.constraints.machine.code import Code, Names
from treewhile.incremental.constraints.machine.kernels.operations import (
    ALL_LABELS,
    list_count,
    list_of_label,
    list_of_pair,
)
from treewhile.incremental.constraints.machine.kernels.records import (
    BY_PROBABILITY,
    AlikeColumn,
    ListedColumn,
    NameColumn,
)

FALSE, UNKNOWN, TRUE = 0, 1, 2  # so `and` is the minimum, `or` the maximum, and `not` the difference to 2

NO_PLACES: Final = np.zeros(0, np.intp)
MOST_INVENTORIES: Final = 8  # of labels
MOST_KEPT: Final = 1 << 10  # formulas
LARGEST_KEPT: Final = 250  # terms of a formula
MOST_LEFT: Final = 2_000  # terms in all rests of a formula before they are shortened

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


class Lists(NamedTuple):
    """Lists of constraints, one after the other, and the relations to be tested for pairs of labels."""

    bounds: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int32]  # [i, ListedColumn]
    pair_relations: npt.NDArray[np.uint8]  # [contextual, label of X, label of Y]


class FormulaByLabel(NamedTuple):
    """Formula for all labels: where a conflict is possible, and the rests of the formula there.

    `active` is [label of X, label of Y]; `places` has the number of the rest for each active pair of labels.
    """

    active: npt.NDArray[np.bool_]
    rests: tuple[Term, ...]
    places: npt.NDArray[np.intp]


@lru_cache(MOST_INVENTORIES)
def _truth_for(labels: tuple[str, ...]) -> LabelTruth:
    return LabelTruth(Names(labels))


def formula_by_label(labels: tuple[str, ...], formula: Term, is_single: bool) -> FormulaByLabel:
    """Return a formula for all labels; a grammar that was edited has most formulas of before."""
    is_large = next(islice(formula.parts(), LARGEST_KEPT, None), None) is not None
    make = _newly_by_label.__wrapped__ if is_large else _newly_by_label
    return make(labels, formula, is_single)


@lru_cache(MOST_KEPT)
def _newly_by_label(labels: tuple[str, ...], formula: Term, is_single: bool) -> FormulaByLabel:
    """Return a formula for all labels, without rests if these would be too many or too long."""
    truth, count = _truth_for(labels), len(labels)
    active = np.not_equal(truth.of(formula), TRUE)
    active = np.broadcast_to(active, (count, 1) if is_single else (count, count))
    truths = truth.decided(formula)
    if not truths or any(part.operation in ARITHMETIC for part in formula.parts()):
        return FormulaByLabel(active, (), NO_PLACES)  # parts that may fail to be computed must not be dropped
    told = np.array([np.broadcast_to(truth, active.shape)[active] for truth in truths.values()])
    patterns, places = np.unique(told, axis=1, return_inverse=True)
    if patterns.shape[1] * sum(1 for _ in formula.parts()) > MOST_LEFT:
        return FormulaByLabel(active, (), NO_PLACES)
    rests = [
        what_is_left(formula, dict(zip(truths, pattern, strict=True))) for pattern in patterns.T.tolist()
    ]
    return FormulaByLabel(active, (*rests,), places.ravel())


class LabelLists:
    """Lists for the labels of a model; rests of formulas are added to the code."""

    def __init__(
        self, constraints: Sequence[Constraint], predictors: Sequence[str], labels: Sequence[str], code: Code
    ) -> None:
        self._constraints, self._predictors, self._labels = constraints, predictors, len(labels)
        self._truth, self._code = _truth_for((*labels,)), code
        self._by_label = [
            formula_by_label((*labels,), one.formula, one.relation == Relation.ONE_EDGE)
            for one in constraints
        ]

    @cached_property
    def _activity(self) -> list[npt.NDArray[np.bool_]]:
        """Mask [label of X, label of Y] for each constraint: true if a conflict is possible."""
        return [one.active for one in self._by_label]

    @cached_property
    def _left(self) -> list[npt.NDArray[np.int32]]:
        """Start [label of X, label of Y] of the code of the rest of each constraint's formula."""
        return [*map(self._starts_left, self._constraints, self._by_label)]

    def _starts_left(self, constraint: Constraint, by_label: FormulaByLabel) -> npt.NDArray[np.int32]:
        starts = np.full(by_label.active.shape, self._code.start_of(constraint.formula), np.int32)
        if by_label.rests:
            left = np.array([self._code.start_of(rest) for rest in by_label.rests], np.int32)
            starts[by_label.active] = left[by_label.places]
        return starts

    # --- lists ----------------------------------------------------------------------------------------------

    def lists(self) -> Lists:
        used, listed = [np.zeros(0, np.intp)], list[tuple[int, int]]()
        relations = np.zeros((2, self._labels, self._labels), np.uint8)
        for number, (constraint, active) in enumerate(zip(self._constraints, self._activity, strict=True)):
            if constraint.relation != Relation.ONE_EDGE:
                relations[int(constraint.is_contextual)][active] |= 1 << constraint.relation
            used.append(self._lists_with(constraint, active))
            listed += [(number, start) for start in self._left[number][active][: len(used[-1])].tolist()]
        lists, entries = np.concatenate(used), np.array(listed, np.int32).reshape(-1, len(ListedColumn))
        order = np.argsort(lists, kind="stable")
        bounds = np.searchsorted(lists[order], np.arange(list_count(self._labels) + 1))
        return Lists(bounds, entries[order], relations)

    def _lists_with(self, constraint: Constraint, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Return the numbers of the lists that a constraint is in."""
        count, contextual = self._labels, int(constraint.is_contextual)
        if constraint.relation != Relation.ONE_EDGE:
            first = list_of_pair(count, contextual, int(constraint.relation), 0, 0)
        elif constraint.is_contextual or constraint.reads_labels:
            first = list_of_label(count, contextual, 0)
        else:
            return np.full(int(active.any()), ALL_LABELS, np.intp)
        return first + np.flatnonzero(active)

    # --- labels that are alike ------------------------------------------------------------------------------

    def alike(self) -> npt.NDArray[np.int32]:
        """Return rows with the classes of labels that constraints on one edge do not distinguish."""
        groups = [
            (number, self._left[number][group[1] if len(group) > 1 else 0, 0], *group)
            for number, constraint in enumerate(self._constraints)
            if constraint.is_alone and constraint.reads_labels
            for group in self._groups(number, constraint)
        ]
        rows = np.zeros((len(groups), AlikeColumn.FIRST + self._labels), np.int32)
        for row, group in zip(rows, groups, strict=True):
            row[: len(group)] = group
        return rows

    def _groups(self, number: int, constraint: Constraint) -> list[list[int]]:
        predictor = _predictor_of_label(constraint)
        if _is_label_scored(constraint):
            return [[BY_PROBABILITY]]
        if predictor is not None and self._activity[number].all():
            return [[-1 - self._predictors.index(predictor)]]
        classes = self._classes(constraint, np.flatnonzero(self._activity[number]))
        return [[len(labels), *labels] for labels in classes]

    def _classes(self, constraint: Constraint, labels: npt.NDArray[np.intp]) -> list[list[int]]:
        """Return the labels, grouped into classes that a constraint does not distinguish."""
        told = np.array([*self._told_apart(constraint)])
        classes = dict[tuple[int, ...], list[int]]()
        for label in labels.tolist():
            classes.setdefault(tuple(told[:, label].tolist()), []).append(label)
        return [*classes.values()]

    def _told_apart(self, constraint: Constraint) -> Iterator[Truth]:
        """Yield numbers for labels: labels with equal numbers throughout are equivalent for a constraint."""
        yield np.zeros(self._labels, np.int64)
        terms = [*constraint.terms]
        while terms:
            term = terms.pop()
            if term.operation in LABELLED:
                yield np.arange(self._labels)
            elif (truth := self._truth.of_comparison(term)).shape[0] > 1:
                yield truth[:, 0]
            else:
                terms += term.operands


def _is_label_scored(constraint: Constraint) -> bool:
    """Return whether the cost is the probability of the label, for every edge of a used node."""
    penalty = constraint.penalty
    is_label = isinstance(penalty, Term) and penalty.operation == "label_probability"
    return is_label and constraint.is_for_all


def _predictor_of_label(constraint: Constraint) -> str | None:
    """Return the predictor whose label of X is compared, if the label is not used otherwise."""
    comparisons = [
        {operand.operation: operand for operand in part.operands}
        for part in constraint.parts
        if part.operation == "same"
    ]
    asked = [of.get("predicted_label") for of in comparisons if "edge_label" in of]
    is_all = sum(part.operation in LABELLED for part in constraint.parts) == 1
    if not is_all or len(asked) != 1 or asked[0] is None or asked[0].operands[0].operation != "dependent":
        return None
    return str(asked[0].value)
