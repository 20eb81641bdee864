"""Names are looked up and kinds have to fit; what does not is told in a sentence with its place."""

from __future__ import annotations

import pytest
from cases import each

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.language.terms import Constraint, Relation
from treewhile.oracles import InputError


def constraint(formula: str, edges: str = "X", penalty: str = "0.5") -> Constraint:
    text = f"set SOME = {{nsubj}}\nconstraint c penalty {penalty}, {edges}:\n{formula}"
    return parse_grammar(text, "f").constraints[0]


@each(
    "formula, message",
    [
        ("X.tag = 3", "tag, a tag, cannot be compared with a number: compare like with like, at f:3:7"),
        ("X.tag = X.label", "tag, a tag, cannot be compared with label, a label,"),
        ("X.head = det", "head, a node, cannot be compared with the word 'det'"),
        ("true = false", "compare like with like, and truth values by <->, at f:3:6"),
        ("X.tag", "tag, a tag, stands here, where a truth value has to stand, at f:3:2"),
        ("foo", "the word 'foo' stands here, where a truth value has to stand, at f:3:1"),
        ("X.distance and true", "distance, a number, stands here, where a truth value has to stand"),
        ("X.tag < 3", "tag, a tag, stands here, where a number has to stand"),
        ("X.tga = DET", "there is no attribute 'tga': did you mean tag\\?, at f:3:2"),
        ("is_rot(X.head)", "there is no term is_rot\\(...\\): did you mean is_root\\?, at f:3:1"),
        (
            "X.tag in SOM",
            r"no set SOM: did you mean SOME\?, or define it before: set SOM = \{...\}, at f:3:10",
        ),
        ("X.tag in 3", "a set has to stand here"),
        ("X.head in {a}", "head, a node, stands here, where a name has to stand"),
        ("Y.tag = DET", "Y is no edge here: the constraint is on one edge, X, at f:3:1"),
        ("has(Y.head, SOME)", "Y is no edge here"),
        ("between(X.head, {DET})", "an edge has to stand here: X, or Y"),
        ("dominates(X)", "dominates takes 2 arguments, and 1 stand here, at f:3:1"),
        ("is_root(X, X)", "is_root takes one argument, and 2 stand here"),
        ("has(X, SOME, SOME)", "has takes 2 arguments, and 3 stand here"),
        ("exists(true)", "a truth value always exists"),
        ("X.distance / (2 - 2) = 1", "this divides by zero: correct the divisor, at f:3:12"),
        ("1e308 * 10 = 1", "the result of this is too large"),
        ("X.direction = up", "'up' is no direction: use left or right, at f:3:15"),
        ("X.direction in {left, up}", "'up' is no direction"),
        ("prediction_exists(X.head, X)", "the name of a predictor has to stand here"),
        ("prediction_exists(committed, DET)", "the word 'DET' stands here, where a node has to stand"),
        ("agree(X.Number, X.tag)", "Number, a feature, cannot agree with tag, a tag,"),
        ('starts(X, {a, ""})', "every word starts and ends with nothing: leave it out of the set, at f:3:11"),
        (
            "{a} = {b}",
            "a set stands here, where only `in`, has, count, under, between, starts and ends take one",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(formula: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        constraint(formula)


@pytest.mark.parametrize(
    ("penalty", "message"),
    [
        ("1.5", "the penalty 1.5 has to be a number from 0 to 1, at f:2:22"),
        ("-0.5", "the penalty -0.5 has to be a number from 0 to 1"),
        ("1 / 0", "this divides by zero"),
        ("X.tag", "tag, a tag, stands here, where a number has to stand"),
        ("Y.distance", "Y is no edge here"),
    ],
)
def test_a_penalty_that_cannot_be_one_is_refused(penalty: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        constraint("true", penalty=penalty)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('says "{odd}"', "the word 'odd' stands in braces, where a word's node has to stand, .* at f:1:"),
        ('says "{X.distance}"', "distance, a number, stands in braces"),
        ('says "{Y}"', "Y is no edge here"),
        ('says "{X.nxt}"', "there is no attribute 'nxt': did you mean next\\?"),
        ('marks X.tag says "odd"', "tag, a tag, stands here, where a node has to stand, at f:1:"),
    ],
)
def test_what_is_said_and_marked_are_words(said: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_grammar(f"constraint c, X: true {said}", "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set A = {a}\nset A = {b}", "there is a set named 'A' already: .* at f:2:1"),
        (
            "constraint c penalty 1, X: true\nconstraint c penalty 1, X: true",
            "there is a constraint named 'c' already: give this one another name, at f:2:1",
        ),
        ("penalty c 0.5", "no constraint named 'c' stands before: correct the name, at f:1:1"),
        ("constraint c penalty 1, X: true\npenalty c 2", "the penalty 2 has to be .* at f:2:11"),
        ("include klingon", "no grammar named 'klingon' is installed: include one of .* at f:1:1"),
    ],
)
def test_names_are_unique_and_known(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_grammar(text, "f")


@each(
    "formula, is_contextual",
    [
        ("X.head.tag = DET", False),
        ("X.dependent.head = X.head", False),
        ("predicted_head(committed, X.head) = X", False),
        ("between(X, {DET})", False),
        ("X.next.lower = X.lower and ends(X, {s})", False),
        ("X.head.head = X", True),
        ("X.head.relation = det", True),
        ("has(X.head, SOME)", True),
        ("count(X.head) < 2", True),
        ("under(X, SOME)", True),
        ("dominates(X, X.head)", True),
        ("covers_outsider(X)", True),
    ],
)
def test_what_looks_at_the_analysis_is_contextual(formula: str, is_contextual: bool) -> None:
    assert constraint(formula).is_contextual == is_contextual


def test_a_constraint_knows_what_it_asks() -> None:
    asked = constraint("X.Number = X.head.Number and X.Case in {Nom}", penalty="probability(X)")
    assert asked.attributes == {"feature Number", "feature Case"}
    assert asked.is_scored
    assert asked.reads_labels
    grammar = parse_grammar("constraint c penalty 1, X: X.head = predicted_head(udpipe, X)")
    assert grammar.predictors == ("udpipe",)


def test_constants_are_computed() -> None:
    assert constraint("true", penalty="1 - 3 / 4").penalty == 0.25
    assert constraint("true", penalty="max(0.25, min(1, abs(-0.5)))").penalty == 0.5


@pytest.mark.parametrize(
    ("edges", "relation"),
    [
        ("X", Relation.ONE_EDGE),
        ("X and Y under one head", Relation.UNDER_ONE_HEAD),
        ("X and Y in a chain", Relation.IN_A_CHAIN),
        ("X and Y crossing", Relation.CROSSING),
        ("X and Y of any kind", Relation.OF_ANY_KIND),
    ],
)
def test_edges_stand_in_the_relation_that_is_stated(edges: str, relation: Relation) -> None:
    assert constraint("true", edges).relation == relation
