"""Constraints that labels alone decide: that no tree can break, or that every edge breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treewhile.incremental.constraints.language.adaptations import with_root_labels
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.machine.code import Names
from treewhile.incremental.constraints.machine.label_lists import FALSE, TRUE, LabelTruth


class Certainty(NamedTuple):
    """Remark about a constraint that is no mistake, but does nothing."""

    constraint: Constraint
    message: str


def certainties(
    grammar: Grammar, labels: Sequence[str], root_labels: Sequence[str] = ("root",)
) -> Iterator[Certainty]:
    """Yield the constraints of a grammar that never or always hold for all of some labels."""
    truth = LabelTruth(Names(labels))
    for constraint in with_root_labels(grammar, root_labels).constraints:
        if constraint.formula.operation == "truth":  # deliberately so, or for this model only
            continue
        values = truth.of(constraint.formula)
        if (values == TRUE).all():
            yield Certainty(constraint, "with these labels no tree can break it")
        elif (values == FALSE).all() and isinstance(constraint.penalty, float):
            yield Certainty(constraint, "with these labels every edge breaks it, so it weighs nothing")


def forbidden_labels(grammar: Grammar, labels: Sequence[str]) -> Iterator[tuple[str, list[Constraint]]]:
    """Yield the labels that no edge can have without breaking a hard constraint on one edge, and these."""
    truth = LabelTruth(Names(labels))
    hard = [one for one in grammar.constraints if one.penalty == 0 and not one.relation]
    broken = [(one, (truth.of(one.formula) == FALSE).ravel()) for one in hard]
    for number, label in enumerate(labels):
        guilty = [one for one, at in broken if at[number if len(at) > 1 else 0]]
        if guilty:
            yield label, guilty
