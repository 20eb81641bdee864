"""Resolution of `edges_may_cross` in grammars, for models with crossing edges or without.

`edges_may_cross` is true in a grammar if the class of a model's trees is not the projective one. The class is
known before compilation, so a constant replaces the term and costs nothing in a search.
"""

from __future__ import annotations

from dataclasses import replace

from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.root_labels import rebuilt
from treewhile.incremental.constraints.language.terms import EDGES_MAY_CROSS, Constraint, Kind, Term


def with_crossings(grammar: Grammar, may_cross: bool) -> Grammar:
    """Return the grammar for trees whose edges may cross, or may not."""
    constant = Term("truth", Kind.TRUTH, value=may_cross)

    def decided(term: Term) -> Term:
        return constant if term.operation == EDGES_MAY_CROSS else term

    def decided_in(constraint: Constraint) -> Constraint:
        is_asked = any(part.operation == EDGES_MAY_CROSS for part in constraint.parts)
        return replace(constraint, formula=rebuilt(constraint.formula, decided)) if is_asked else constraint

    return replace(grammar, constraints=tuple(map(decided_in, grammar.constraints)))
