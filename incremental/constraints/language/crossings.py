"""Grammars for models whose trees have edges that cross, and for those whose trees have none.

`edges_may_cross` is true in a grammar where the class of a model's trees is not the projective one. That is
known before anything is compiled, so a constant takes its place, and what it decides costs a search nothing.
"""

from __future__ import annotations

from dataclasses import replace

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.root_labels import rebuilt
from treewhile.incremental.constraints.language.terms import EDGES_MAY_CROSS, Constraint, Kind, Term


def with_crossings(grammar: Grammar, may_cross: bool) -> Grammar:
    """The grammar for trees whose edges may cross, or may not."""
    constant = Term("truth", Kind.TRUTH, value=may_cross)

    def decided(term: Term) -> Term:
        return constant if term.operation == EDGES_MAY_CROSS else term

    def decided_in(constraint: Constraint) -> Constraint:
        is_asked = any(part.operation == EDGES_MAY_CROSS for part in constraint.parts)
        return replace(constraint, formula=rebuilt(constraint.formula, decided)) if is_asked else constraint

    return replace(grammar, constraints=tuple(map(decided_in, grammar.constraints)))
