"""An edit checks only what it touches, and gives what reading the whole text afresh gives."""

from __future__ import annotations

from random import Random
from weakref import ref

import pytest
from random_grammars import random_grammar

from treewhile.incremental.constraints.language import checking, syntax
from treewhile.incremental.constraints.language.checking import MOST_KEPT, KeptResults
from treewhile.incremental.constraints.language.grammars import Grammar, grammar_and_mistakes, parse_grammar

TEXT = """
section one
set A = {det, case}
define IS(N): N.tag = DET
constraint "a" penalty 0.5, X: X.label in A
constraint "b" penalty 0.5, X: IS(X) -> X.direction = left
section two
constraint "c" penalty 0.5, X: X.label = det says "*{X}*"
"""


def test_an_edit_leaves_the_other_constraints_as_they_are() -> None:
    before, after = parse_grammar(TEXT), parse_grammar(TEXT.replace('"b"', '"d"'))
    same = [one is other for one, other in zip(before.constraints, after.constraints, strict=True)]
    assert same == [True, False, True]


@pytest.mark.parametrize(
    ("old", "new"),
    [("{det, case}", "{det}"), ("N.tag = DET", "N.tag = VERB"), ("section two", "section three")],
)
def test_what_stands_before_counts(old: str, new: str) -> None:
    before, after = parse_grammar(TEXT), parse_grammar(TEXT.replace(old, new))
    assert before != after
    assert after.constraints == _afresh(TEXT.replace(old, new))[0].constraints


@pytest.mark.parametrize("first", ["include alone", "set BEFORE = {det}"])
def test_what_an_included_grammar_has_counts(first: str) -> None:
    text = 'constraint "a" penalty 0.5, X: X.label in BEFORE'
    grammar_and_mistakes(f"{first}\n{text}", "the given text", "name", None)
    for other in ("include alone", "include predictors", "include english_marks", "# nothing"):
        found, said = grammar_and_mistakes(f"{other}\n{text}", "the given text", "name", None)
        afresh, also_said = _afresh(f"{other}\n{text}")
        assert [*map(str, said)] == also_said
        assert found.constraints == afresh.constraints


def test_only_so_many_terms_are_kept() -> None:
    formula, checked = " or ".join(["X.tag = DET"] * 2000), []
    for number in range(40):
        grammar = parse_grammar(f'constraint "{number}" penalty 0.5, X: {formula}')
        checked.append(ref(grammar.constraints[0]))
    del grammar
    kept = [constraint for one in checked if (constraint := one()) is not None]
    assert sum(len([*constraint.formula.parts()]) for constraint in kept) <= MOST_KEPT


def test_random_edits_give_what_reading_afresh_gives() -> None:
    rng = Random(5)
    pieces = ["constraint", "\n", "section s ", '"', "#", "X", " ", 'constraint c, X: true says "x"\n', "}"]
    for _ in range(30):
        text = TEXT + random_grammar(rng, 4)
        for _ in range(20):
            at = rng.randrange(len(text))
            edited = text[:at] + rng.choice(pieces) + text[at + rng.choice([0, 0, 1, 5]) :]
            found, said = grammar_and_mistakes(edited, "the given text", "name", None)
            afresh, also_said = _afresh(edited)
            assert [*map(str, said)] == also_said
            assert found.constraints == afresh.constraints
            text = edited if rng.random() < 0.5 and not said else text


def _afresh(text: str) -> tuple[Grammar, list[str]]:
    """Read a text without anything that is kept, and not piece by piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntax, "items_without_mistakes", lambda _text, _file: None)
        patch.setattr(checking, "KEPT", KeptResults())
        grammar, mistakes = grammar_and_mistakes(text, "the given text", "name", None)
    return grammar, [*map(str, mistakes)]
