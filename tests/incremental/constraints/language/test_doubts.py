"""What is doubted in a grammar, and what is not."""

from __future__ import annotations

import pytest
from cases import each

from treewhile.incremental.constraints import installed_grammars, load_grammar, parse_grammar
from treewhile.incremental.constraints.language.doubts import doubts

LABELS = ("root", "nsubj:pass", "det")


def doubted(formula: str, penalty: str = "0.5") -> tuple[str, ...]:
    return doubts(parse_grammar(f"constraint c penalty {penalty}, X:\n    {formula}"), LABELS)


@pytest.mark.parametrize(
    ("formula", "label"),
    [
        ("X.relation = nsubjj -> X.tag = NOUN", "nsubjj"),
        ("X.label != nsubj -> X.relation = DET", "DET"),
        ("X.head.relation in {obj, iobj}", "iobj, obj"),
        ("has(X, {cop}) or under(X, {det})", "cop"),
        ("count(X, {cop}) < 2", "cop"),
    ],
)
def test_a_label_that_the_model_lacks_is_told(formula: str, label: str) -> None:
    doubt = f"the constraint 'c' asks for {label}, a label that the model lacks: correct it"
    assert doubted(formula)[-1] == f"{doubt}, at the given text:1:1"


@each(
    "formula",
    [
        "X.relation = nsubj -> X.tag = NOUNN",
        "X.label in {det, nobody}",
        "X.label = X.head.label or X.relation = root or has(X)",
        "1 / max(1, X.distance) < 0.5",
        "1 / (X.distance + 1) < 0.5 and 1 / (2 * (count(X) + 0.5)) < 1",
        "X.distance / 2 < 3 and X.distance / (-2) < 3",
    ],
)
def test_nothing_else_is_told(formula: str) -> None:
    assert doubted(formula) == ()


@pytest.mark.parametrize("divisor", ["X.distance", "X.distance - 1", "min(2, count(X))", "2 * X.position"])
def test_a_division_by_what_may_be_nothing_is_told(divisor: str) -> None:
    (doubt,) = doubted(f"1 / ({divisor}) < 2")
    assert doubt.startswith("the constraint 'c' counts for nothing where it divides by 0")
    assert doubted("X.distance < 2", f"1 / ({divisor})") == (doubt,)


@each("name", installed_grammars())
def test_grammars_that_come_along_serve_every_model(name: str) -> None:
    assert doubts(load_grammar(name), LABELS) == ()
