"""Grammars adapted to a model: its labels for children of the root, and whether its edges may cross.

In a grammar `root` is the label of the root's children, as in Universal Dependencies. If a model has other
such labels, these replace `root`, in comparisons and in sets. If it has none, because children of the root
share labels with other words, the label carries no information, and constraints that compare a label with
`root` count as true.

`edges_may_cross` is true in a grammar if the class of a model's trees is not the projective one. The class is
known before compilation, so a constant replaces the term and costs nothing in a search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import (
    EDGES_MAY_CROSS,
    RELATION_OPERATIONS,
    Constraint,
    Kind,
    Term,
    relation_of,
)

ROOT: Final = "root"
LABEL_SETS: Final = ("has", "count", "under")


def with_root_labels(grammar: Grammar, root_labels: Sequence[str]) -> Grammar:
    """Return the grammar for a model in which only children of the root have some labels."""
    if ROOT in root_labels:
        return grammar
    constraints = [_with_root_labels(constraint, root_labels) for constraint in grammar.constraints]
    return replace(grammar, constraints=tuple(constraints))


def _with_root_labels(constraint: Constraint, root_labels: Sequence[str]) -> Constraint:
    if not root_labels and any(map(is_compared_with_root, constraint.parts)):
        return replace(constraint, formula=Term("truth", Kind.TRUTH, value=True))

    def named(term: Term) -> Term:
        return _named(term, root_labels)

    penalty = constraint.penalty
    weighed = constraint.with_penalty(rebuilt(penalty, named)) if isinstance(penalty, Term) else constraint
    return replace(weighed, formula=rebuilt(constraint.formula, named))


def rebuilt(term: Term, change: Callable[[Term], Term]) -> Term:
    """Return the term with all of its subterms changed, the innermost first."""
    return change(replace(term, operands=tuple(rebuilt(operand, change) for operand in term.operands)))


def is_compared_with_root(term: Term) -> bool:
    kinds = {operand.kind for operand in term.operands}
    words = [operand.value for operand in term.operands if operand.operation == "word"]
    return term.operation == "same" and Kind.LABEL in kinds and words == [ROOT]


def _named(term: Term, root_labels: Sequence[str]) -> Term:
    """Return the term with the model's labels in place of `root`."""
    if is_compared_with_root(term):
        (of,) = (operand for operand in term.operands if operand.operation != "word")
        return Term("member", term.kind, (of,), _names_for(of, root_labels))
    is_member = term.operation == "member" and term.operands[0].kind == Kind.LABEL
    if (is_member or term.operation in LABEL_SETS) and term.value is not None and ROOT in term.value:
        return replace(term, value=term.value - {ROOT} | _names_for(term.operands[0], root_labels))
    return term


def _names_for(asked: Term, root_labels: Sequence[str]) -> frozenset[Any]:
    """Return the root labels, as relations if the term is a relation."""
    return frozenset(
        relation_of(label) if asked.operation in RELATION_OPERATIONS else label for label in root_labels
    )


def with_crossings(grammar: Grammar, may_cross: bool) -> Grammar:
    """Return the grammar for trees whose edges may cross, or may not."""
    constant = Term("truth", Kind.TRUTH, value=may_cross)

    def decided(term: Term) -> Term:
        return constant if term.operation == EDGES_MAY_CROSS else term

    def decided_in(constraint: Constraint) -> Constraint:
        is_asked = any(part.operation == EDGES_MAY_CROSS for part in constraint.parts)
        return replace(constraint, formula=rebuilt(constraint.formula, decided)) if is_asked else constraint

    return replace(grammar, constraints=tuple(map(decided_in, grammar.constraints)))
