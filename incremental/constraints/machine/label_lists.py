"""Lists of constraints by label for the kernels, and classes of equivalent labels.

Most constraints are irrelevant for most labels: `X.relation = det -> ...` holds for every edge unless its
label is det. So lists contain, for each label, and each pair of labels in a relation, the remaining
constraints, and the rest of their formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.terms import (
    ARITHMETIC,
    LABELLED,
    Constraint,
    Relation,
    Term,
)
from treewhile.incremental.constraints.machine.code import Code
from treewhile.incremental.constraints.machine.kernels.records import (
    BY_PROBABILITY,
    AlikeColumn,
    ListedColumn,
)
from treewhile.incremental.constraints.machine.label_truth import TRUE, LabelTruth, Truth, what_is_left
from treewhile.incremental.constraints.machine.list_numbers import (
    ALL_LABELS,
    list_count,
    list_of_label,
    list_of_pair,
)


class Lists(NamedTuple):
    """Lists of constraints, one after the other, and the relations to be tested for pairs of labels."""

    bounds: npt.NDArray[np.int64]
    listed: npt.NDArray[np.int32]  # [i, ListedColumn]
    pair_relations: npt.NDArray[np.uint8]  # [contextual, label of X, label of Y]


class LabelLists:
    """Lists for a number of labels; rests of formulas are added to the code."""

    def __init__(
        self,
        constraints: Sequence[Constraint],
        predictors: Sequence[str],
        labels: int,
        truth: LabelTruth,
        code: Code,
    ) -> None:
        self._constraints, self._predictors, self._labels = constraints, predictors, labels
        self._truth, self._code = truth, code

    @cached_property
    def _activity(self) -> list[npt.NDArray[np.bool_]]:
        """Mask [label of X, label of Y] for each constraint: true if a conflict is possible."""
        return [*map(self._is_active, self._constraints)]

    def _is_active(self, constraint: Constraint) -> npt.NDArray[np.bool_]:
        is_single, count = constraint.relation == Relation.ONE_EDGE, self._labels
        active = np.not_equal(self._truth.of(constraint.formula), TRUE)
        return np.broadcast_to(active, (count, 1) if is_single else (count, count))

    @cached_property
    def _left(self) -> list[npt.NDArray[np.int32]]:
        """Start [label of X, label of Y] of the code of the rest of each constraint's formula."""
        return [*map(self._starts_left, self._constraints, self._activity)]

    def _starts_left(self, constraint: Constraint, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        formula = constraint.formula
        starts = np.full(active.shape, self._code.start_of(formula), np.int32)
        truths = self._truth.decided(formula)
        if not truths or any(part.operation in ARITHMETIC for part in formula.parts()):
            return starts  # parts that may fail to be computed must not be dropped
        told = np.array([np.broadcast_to(truth, active.shape)[active] for truth in truths.values()])
        patterns, places = np.unique(told, axis=1, return_inverse=True)
        left = [
            self._code.start_of(what_is_left(formula, dict(zip(truths, pattern, strict=True))))
            for pattern in patterns.T.tolist()
        ]
        starts[active] = np.array(left, np.int32)[places.ravel()]
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
