"""Constraints that labels or names alone decide: that no tree can break, or that every edge breaks.

Names decide a formula if it has the same truth for all values of the names that it compares with constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from treewhile.incremental.constraints.language.adaptations import with_root_labels
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import ARITHMETIC, LOGIC, Constraint, Term
from treewhile.incremental.constraints.machine.code import Names
from treewhile.incremental.constraints.machine.label_lists import FALSE, TRUE, LabelTruth

MOST_NAMES: Final = 1 << 12  # combinations that are tried

CONNECTIVES: Final[dict[str, Callable[[Sequence[bool]], bool]]] = {
    "not": lambda truths: not truths[0],
    "and": all,
    "or": any,
    "implies": lambda truths: not truths[0] or truths[1],
    "equivalent": lambda truths: truths[0] == truths[1],
}


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
        elif (message := _decided_by_names(constraint)) is not None:
            yield Certainty(constraint, message)


def _decided_by_names(constraint: Constraint) -> str | None:
    formula = constraint.formula
    truths = truths_by_names(formula)
    if truths == {False} and isinstance(constraint.penalty, float) and not _is_computed(formula):
        return "it contradicts itself: every edge breaks it, so it weighs nothing"
    if truths != {True}:
        return None
    is_idle = formula.operation == "implies" and truths_by_names(formula.operands[0]) == {False}
    return f"{'its left side can never hold' if is_idle else 'it always holds'}: no tree can break it"


def _is_computed(formula: Term) -> bool:
    """Return whether a formula may have no result, and then holds."""
    return any(part.operation in ARITHMETIC for part in formula.parts())


def truths_by_names(formula: Term) -> set[bool]:
    """Return the truth values of a formula over all names; both if these are too many."""
    values = dict[Term, set[Any]]()
    for atom in _atoms(formula):
        of, words = _comparison(atom)
        values.setdefault(of, {None}).update(words)
    if math.prod(map(len, values.values())) > MOST_NAMES:
        return {True, False}
    return {_truth(formula, dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())}


def _atoms(formula: Term) -> Iterator[Term]:
    """Yield the terms that connectives connect."""
    if formula.operation not in LOGIC:
        yield formula
        return
    for operand in formula.operands:
        yield from _atoms(operand)


def _comparison(atom: Term) -> tuple[Term, Collection[Any]]:
    """Return the compared term and the names that it is compared with; others are true or None."""
    if atom.operation == "member":
        return atom.operands[0], atom.value
    words = [operand.value for operand in atom.operands if operand.operation == "word"]
    if atom.operation == "same" and len(words) == 1:
        (of,) = (operand for operand in atom.operands if operand.operation != "word")
        return of, words
    return atom, [True]


def _truth(term: Term, chosen: Mapping[Term, Any]) -> bool:
    if term.operation == "truth":
        return bool(term.value)
    if term.operation not in LOGIC:
        of, words = _comparison(term)
        return chosen[of] in words
    truths = [_truth(operand, chosen) for operand in term.operands]
    return CONNECTIVES[term.operation](truths)


def forbidden_labels(grammar: Grammar, labels: Sequence[str]) -> Iterator[tuple[str, list[Constraint]]]:
    """Yield the labels that no edge can have without breaking a hard constraint on one edge, and these."""
    truth = LabelTruth(Names(labels))
    hard = [one for one in grammar.constraints if one.penalty == 0 and not one.relation]
    broken = [(one, (truth.of(one.formula) == FALSE).ravel()) for one in hard]
    for number, label in enumerate(labels):
        guilty = [one for one, at in broken if at[number if len(at) > 1 else 0]]
        if guilty:
            yield label, guilty
