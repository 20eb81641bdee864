"""Formulas on nodes of the analysis, named formulas, weights of sections, examples and own files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from cases import each

from treewhile.incremental.constraints import load_grammar, parse_grammar
from treewhile.incremental.constraints.language.terms import Constraint, Term
from treewhile.oracles import InputError


def constraint(formula: str, edges: str = "X", before: str = "") -> Constraint:
    text = f"constraint c penalty 0.5, {edges}: {formula}"
    return parse_grammar(f"{before}\n{text}", "f").constraints[0]


def message_for(formula: str, edges: str = "X", before: str = "") -> str:
    with pytest.raises(InputError) as caught:
        constraint(formula, edges, before)
    return str(caught.value)


def test_a_quantifier_is_contextual_and_counts() -> None:
    assert constraint("some Z below X: (Z.tag = AUX)").is_contextual
    assert constraint("number of Z anywhere: (Z.tag = AUX) <= 2").is_contextual
    assert constraint("X.lower in {some, all, no, number} or X.lower = some").formula
    assert constraint('X.lower = right right "Yes."').examples


@each(
    "formula, message",
    [
        ("some Z below X: Z.tag = AUX", "Z stands here, where ( has to stand, at f:2:46"),
        ("some Z beneath X: (true)", "beneath stands here, where one of below, above, beside, left of,"),
        ("some X below X: (true)", "X has a meaning already: take another variable, at f:2:30"),
        ("some Z below X: (some Z below X: (true))", "Z has a meaning already"),
        ("some Z below X.tag: (true)", "tag, a tag, stands here, where a node has to stand"),
        ("some Z below X: (Z.distance)", "distance, a number, stands here, where a truth value has to stand"),
        ("some Z below X: (true) and Z.tag = DET", "the word 'Z' stands here, where a node has to stand"),
        ("some Z below X: (probability(Z) > 0.5)", "an edge has to stand here: X"),
        ("number of Z below X: (true)", "a number stands here, where a truth value has to stand"),
        ("some Y below X: (Y.tagg = DET)", "there is no attribute 'tagg': did you mean tag?"),
        (
            "some Z below X: (some W below X: (some V below X: (some U below X: (true))))",
            "more than 3 quantifiers stand in each other: divide the formula into constraints",
        ),
    ],
)
def test_what_is_no_quantifier_is_refused_with_its_place(formula: str, message: str) -> None:
    found = message_for(formula)
    assert message in found
    assert ", at f:2:" in found


def test_what_is_too_dear_is_refused_with_a_number() -> None:
    formula = "some Z anywhere: (some W anywhere: (Z.tag = W.tag))"
    assert constraint(formula)
    found = message_for(formula, "X and Y of any kind")
    assert found.startswith(
        "this looks at about 76000 combinations of words in a sentence of 20, and 20000 are"
    )


DEFINED = """
define LOW(N): N.tag in {DET, ADP}
define NEAR(A, B): abs(A.position - B.position)
define LEFT_AUX(X): some Z below X: (Z.tag = AUX and Z.direction = left and NEAR(Z, X) < 3)
"""


def test_a_definition_means_its_formula() -> None:
    meant = "some Z below X: (Z.tag = AUX and Z.direction = left and abs(Z.position - X.position) < 3)"
    assert constraint("LEFT_AUX(X)", before=DEFINED).formula == constraint(meant).formula
    assert constraint("LOW(X.head)", before=DEFINED).formula == constraint("X.head.tag in {DET, ADP}").formula
    nested = constraint("some Z beside X: (LEFT_AUX(Z))", before=DEFINED).formula
    assert (
        nested
        == constraint(
            "some W beside X: (some Z below W:"
            " (Z.tag = AUX and Z.direction = left and abs(Z.position - W.position) < 3))"
        ).formula
    )


@each(
    "before, formula, message",
    [
        (DEFINED, "LOW(X, X)", "LOW takes one argument, and 2 stand here"),
        (DEFINED, "LOWW(X)", "there is no term LOWW(...): did you mean LOW?"),
        (DEFINED, "NEAR(X, X)", "NEAR, a number, stands here, where a truth value has to stand"),
        (
            "define has(N): true",
            "true",
            "has is a term of the language: give this one another name, at f:1:1",
        ),
        ("define A(N): B(N)", "true", "there is no term B(...)"),
        ("define A(N): A(N)", "true", "there is no term A(...)"),
        ("define A(N, N): true", "true", "A has two variables of one name"),
        (
            "define A(node): true",
            "true",
            "node stands here, where a variable, a capital letter, has to stand",
        ),
        ("define A(N): true\ndefine A(N): true", "true", "there is a formula named 'A' already"),
        ("define A(N): Z.tag = DET", "true", "the word 'Z' stands here, where a node has to stand"),
        ("define A(N): probability(N) > 0", "A(X.head)", "an edge has to stand here"),
    ],
)
def test_what_is_no_definition_is_refused(before: str, formula: str, message: str) -> None:
    assert message in message_for(formula, before=before)


def test_definitions_that_grow_are_refused() -> None:
    doubled = ["define A(N): N.tag = DET"]
    deep = ["define A(N): N.tag = DET"]
    for one, other in zip("ABCDEFGHIJKLMNOP", "BCDEFGHIJKLMNOPQ", strict=True):
        doubled.append(f"define {other}(N): {one}(N) and {one}(N)")
        deep.append(f"define {other}(N): {'not ' * 20}{one}(N)")
    assert "has more than 10000 terms" in message_for("Q(X)", before="\n".join(doubled))
    assert "levels deep" in message_for("Q(X)", before="\n".join(deep))


SECTIONS = """
section one
constraint a penalty 0.25, X: true
section two
constraint b penalty X.distance / 10, X: true
section three
constraint c penalty 0.5, X: true
"""


def test_sections_are_weighed_and_switched_off() -> None:
    weighed = parse_grammar(f"{SECTIONS}\nsection one weight 0.5\nsection two weight 2\nsection three off")
    assert [one.name for one in weighed.constraints] == ["a", "b"]
    assert weighed.constraints[0].penalty == math.sqrt(0.25)
    assert isinstance(weighed.constraints[1].penalty, Term)
    for written in ("weight 0", "weight 101", "weight", "weight X"):
        with pytest.raises(InputError, match=", at f:1:"):
            parse_grammar(f"section one {written}", "f")
    universal = parse_grammar("include universal\nsection projectivity off")
    assert {"projectivity"} == {one.section for one in load_grammar("universal").constraints} - {
        one.section for one in universal.constraints
    }


def test_examples_stand_beside_a_constraint() -> None:
    text = 'constraint c penalty 0.5, X: true says "no" right "Yes." wrong "No." right "Oh."\npenalty c 1'
    (found,) = parse_grammar(text).constraints
    assert [(one.text, one.is_right) for one in found.examples] == [
        ("Yes.", True),
        ("No.", False),
        ("Oh.", True),
    ]
    with pytest.raises(InputError, match="a sentence in quotes has to stand"):
        parse_grammar("constraint c penalty 0.5, X: true right yes")


def test_own_files_are_included_relative_to_the_grammar(tmp_path: Path) -> None:
    own = tmp_path / "own" / "below"
    own.mkdir(parents=True)
    (tmp_path / "main.constraints").write_text(
        'include "own/a.constraints"\ninclude "own/below/b.constraints"'
    )
    (tmp_path / "own" / "a.constraints").write_text(
        'include universal\ninclude "below/b.constraints"\nconstraint a penalty 1, X: X.lower in SOME'
    )
    (own / "b.constraints").write_text("set SOME = {a}\nconstraint b penalty 1, X: true")
    names = [one.name for one in load_grammar(tmp_path / "main.constraints").constraints]
    assert names[-2:] == ["b", "a"]
    (own / "b.constraints").write_text("constraint b penalty 2, X: true")
    with pytest.raises(InputError, match=r"from 0 to 1, at .*b\.constraints:1:22"):
        load_grammar(tmp_path / "main.constraints")


@each(
    "included, message",
    [
        ("main.constraints", "includes itself, by way of this file: leave this out, at .*:1:1"),
        (
            "back.constraints",
            "includes itself, by way of this file: leave this out, at .*back.constraints:1:1",
        ),
        ("../other.constraints", "lies outside the grammar's folder: move it there"),
        ("link.constraints", "lies outside the grammar's folder: move it there"),
        ("none.constraints", "cannot read .*none.constraints: No such file .*, at .*main.constraints:1:1"),
    ],
)
def test_what_may_not_be_included_is_refused(included: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "grammar"
    folder.mkdir(exist_ok=True)
    (tmp_path / "other.constraints").write_text("")
    if not (folder / "link.constraints").is_symlink():
        (folder / "link.constraints").symlink_to(tmp_path / "other.constraints")
    (folder / "back.constraints").write_text('include "main.constraints"')
    (folder / "main.constraints").write_text(f'include "{included}"')
    with pytest.raises(InputError, match=message):
        load_grammar(folder / "main.constraints")
