"""Grammars for treebanks that call the children of the root something else than `root`.

In a grammar `root` is the label of what hangs on the root, as in Universal Dependencies. Where a model has
other labels for that, these take its place, in comparisons and in sets. Where it has none, children of the
root being called what others are called as well, nothing can be said of them by their label, and constraints
that compare a label with `root` hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.terms import Constraint, Kind, Term, relation_of

ROOT: Final = "root"
LABEL_SETS: Final = ("has", "count", "under")
RELATIONS: Final = ("edge_relation", "relation_of", "predicted_relation")


def with_root_labels(grammar: Grammar, root_labels: Sequence[str]) -> Grammar:
    """The grammar for a model in which children of the root alone have some labels."""
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
    """The term with all of its parts changed, the innermost first."""
    return change(replace(term, operands=tuple(rebuilt(operand, change) for operand in term.operands)))


def is_compared_with_root(term: Term) -> bool:
    """Whether a term says that a label is `root`."""
    kinds = {operand.kind for operand in term.operands}
    words = [operand.value for operand in term.operands if operand.operation == "word"]
    return term.operation == "same" and Kind.LABEL in kinds and words == [ROOT]


def _named(term: Term, root_labels: Sequence[str]) -> Term:
    """The term with the model's labels in the place of `root`."""
    if is_compared_with_root(term):
        (of,) = (operand for operand in term.operands if operand.operation != "word")
        return Term("member", term.kind, (of,), _names_for(of, root_labels))
    is_member = term.operation == "member" and term.operands[0].kind == Kind.LABEL
    if (is_member or term.operation in LABEL_SETS) and term.value is not None and ROOT in term.value:
        return replace(term, value=term.value - {ROOT} | _names_for(term.operands[0], root_labels))
    return term


def _names_for(asked: Term, root_labels: Sequence[str]) -> frozenset[Any]:
    """What root labels are called where a term is asked for, as labels or as relations."""
    return frozenset(relation_of(label) if asked.operation in RELATIONS else label for label in root_labels)
