"""Terms as texts are read again as the same terms."""

from __future__ import annotations

import pytest

from treewhile.incremental.constraints import installed_grammars, load_grammar, parse_grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.workbench.formula_texts import text_of_term

EDGES = ("X", "X and Y under one head", "X and Y in a chain", "X and Y crossing", "X and Y of any kind")


def again(constraint: Constraint) -> Constraint:
    edges, text = EDGES[constraint.relation], text_of_term(constraint.formula)
    return parse_grammar(f"constraint c penalty 0.5, {edges}: {text}").constraints[0]


@pytest.mark.parametrize("name", installed_grammars())
def test_formulas_of_installed_grammars_are_read_again(name: str) -> None:
    for constraint in load_grammar(name).constraints:
        text = text_of_term(constraint.formula)
        assert text_of_term(again(constraint).formula) == text, text


@pytest.mark.parametrize(
    "formula",
    [
        "(X.label = det -> X.tag = DET) -> X.distance + 1 <= 3",
        'not (X.tag = DET and X.head.tag != NOUN) or X.label in {det, "nsubj:pass"}',
        "has(X.head, {det}) and count(X) < 2 and between(X, {PUNCT}) and dominates(X, X.head.head)",
        'X."Number[psor]" = Sing and ends(X, {s}) and abs(X.position - 3) < 2 and exists(X.distance)',
        "some Z below X: (Z.tag = AUX and no V left of Z: (V.label = det)) -> X.direction = left",
        "number of Z anywhere: (Z.Case has Nom) <= 2 or agree(X.Case, X.head.Case)",
        'X.lower matches "un.*" or X.Case has {Nom, Acc} and X.head.head.direction = left',
        "prediction_exists(committed, X) and predicted_head(committed, X) = X.head and probability(X) > 0.5",
    ],
)
def test_a_formula_is_written_as_it_was(formula: str) -> None:
    term = parse_grammar(f"constraint c penalty 0.5, X: {formula}").constraints[0].formula
    assert parse_grammar(f"constraint c penalty 0.5, X: {text_of_term(term)}").constraints[0].formula == term
