"""Grammars are found by name or path, take in others, and take other penalties."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from cases import each

from treewhile.incremental import load_model
from treewhile.incremental.constraints import (
    Prediction,
    Situation,
    compile_grammar,
    find_conflicts,
    installed_grammars,
    load_grammar,
    parse_grammar,
)
from treewhile.incremental.constraints.language.terms import Relation
from treewhile.incremental.constraints.language.written import GrammarError
from treewhile.oracles import InputError


@each("name", installed_grammars())
def test_installed_grammars_can_be_compiled_for_a_model(name: str) -> None:
    grammar = load_grammar(name)
    program = compile_grammar(grammar, load_model("en").inventory.labels)
    assert all(constraint.section for constraint in grammar.constraints)
    assert len(program.arrays.formula) == len(grammar.constraints)


def test_the_universal_grammar_is_as_large_as_promised() -> None:
    universal = load_grammar("universal").constraints
    assert len(universal) >= 30
    assert {constraint.relation for constraint in universal} >= {
        Relation.ONE_EDGE,
        Relation.UNDER_ONE_HEAD,
        Relation.IN_A_CHAIN,
        Relation.CROSSING,
    }


def test_the_english_grammar_stands_on_the_others() -> None:
    names = {constraint.name for constraint in load_grammar("english").constraints}
    for other in ("universal", "predictors"):
        assert names > {constraint.name for constraint in load_grammar(other).constraints}
    assert load_grammar("english").predictors == ("committed",)


def test_the_constraints_of_figure_3_have_the_penalty_of_the_paper() -> None:
    figure = load_grammar("predictors").constraints[:3]
    assert [constraint.penalty for constraint in figure] == [0.9] * 3


def test_figure_3_alone_is_satisfied_by_the_predicted_parse_and_by_no_other_head() -> None:
    labels = ("root", "nsubj", "det", "dep")
    program = compile_grammar(load_grammar("predictors"), labels)
    predictions = [None, Prediction(3, "nsubj"), None]
    tags = ["DET", "NOUN", "VERB"]
    situation = Situation.of(
        program, ["the", "dog", "barks"], tags, ["_"] * 3, ["NOUN"], {"committed": predictions}
    )
    label = np.array([0, 2, 1, 0, 0], np.int32)
    for heads, broken in [
        ([0, 5, 3, 0, 6], []),
        ([0, 4, 3, 0, 0], []),
        ([0, 2, 3, 0, 6], ["no prediction, so the head is still to come"]),
        ([0, 5, 1, 0, 6], ["the predicted head"]),
    ]:
        found = find_conflicts(situation, np.array(heads, np.int32), label)
        assert [conflict.constraint for conflict in found] == broken


def test_a_grammar_is_included_once_however_often_it_is_asked_for() -> None:
    text = "include universal\ninclude universal\ninclude english"
    assert parse_grammar(text).constraints == load_grammar("english").constraints


def test_an_included_constraint_can_have_another_penalty() -> None:
    changed = parse_grammar('include universal\npenalty "one subject" 0.5')
    before = load_grammar("universal")
    number = before.numbers["one subject"]
    assert changed.constraints[number].penalty == 0.5
    assert changed.constraints[number].formula == before.constraints[number].formula


def test_a_grammar_has_a_part_that_weighs_and_one_that_tells() -> None:
    grammar = parse_grammar(
        "constraint weighs penalty 0.5, X: true\n"
        'constraint both penalty 0.5, X: true says "This is odd"\n'
        'constraint tells, X: true says "This is odd"'
    )
    assert [*grammar.weighing.numbers] == ["weighs", "both"]
    assert [*grammar.telling.numbers] == ["both", "tells"]
    weighs = parse_grammar('constraint tells, X: true says "This is odd"\npenalty tells 0.25')
    assert weighs.weighing.constraints == weighs.telling.constraints == weighs.constraints
    assert weighs.constraints[0].penalty == 0.25


def test_what_is_only_told_has_no_penalty_in_the_grammars_that_come_along() -> None:
    for name in installed_grammars():
        assert all(one.penalty is None for one in load_grammar(name).telling.constraints), name


def test_penalties_can_be_changed_for_tuning() -> None:
    grammar = load_grammar("universal").with_penalties({"one subject": 0.125, "words are used": 1})
    assert grammar.constraints[grammar.numbers["one subject"]].penalty == 0.125
    for changes, message in [({"one subjct": 0.5}, "has no constraint"), ({"one subject": 2}, "from 0 to 1")]:
        with pytest.raises(InputError, match=message):
            grammar.with_penalties(changes)


def test_a_file_is_told_by_its_name_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "mine.constraints"
    path.write_text("constraint c penalty 2, X: true")
    with pytest.raises(InputError, match=r"mine\.constraints:1:22$"):
        load_grammar(path)


def test_what_is_no_file_is_refused_with_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"neither .* named 'klingon': .* \(alone, english, english_marks, general, .*universal\)",
    ):
        load_grammar("klingon")
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        load_grammar(tmp_path / "none.constraints")


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.constraints"
    path.write_bytes(b"set A = {a}\nset B = {\xe9}")
    with pytest.raises(InputError, match=r"the byte 0xe9 is no part .*latin\.constraints:2:10"):
        load_grammar(path)


def test_no_constraints_are_a_grammar_too() -> None:
    program = compile_grammar(parse_grammar("# nothing yet"), ["root"])
    situation = Situation.of(program, ["hm"], ["INTJ"], ["_"])
    assert find_conflicts(situation, np.zeros(2, np.int32), np.zeros(2, np.int32)) == []


@each("name", installed_grammars())
def test_nodes_that_are_not_used_break_nothing(name: str) -> None:
    labels = load_model("en").inventory.labels
    program = compile_grammar(load_grammar(name), labels)
    tags = ("NOUN", "VERB", "PUNCT", "CCONJ", "DET", "AUX")
    situation = Situation.of(program, ["rains"], ["VERB"], ["_"], tags)
    heads = np.array([0, 0, *[situation.unused] * len(tags)], np.int32)
    numbers = np.array([0, labels.index("root"), *[0] * len(tags)], np.int32)  # the label of what is not used
    assert find_conflicts(situation, heads, numbers) == []


def test_a_choice_of_tags_counts_from_the_last_line_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "own.constraints").write_text("tags at least 0.5\n")
    main = tmp_path / "main.constraints"
    for more, least in (("", 0.5), ("tags at least 0.1", 0.1), ("tags at least 1", 1.0)):
        main.write_text(f'include "own.constraints"\nset tags = {{a, b}}\n{more}\n')
        assert load_grammar(main).least_tag == least
        assert load_grammar(main).weighing.least_tag == least
    assert not load_grammar("general").chooses_tags


@each(
    "line, mistake",
    [
        ("tags at least 0", "more than 0 and at most 1, at the given text:1:15"),
        ("tags at least 1.5", "more than 0 and at most 1, at the given text:1:15"),
        ("tags at most 0.5", "most stands here, where least has to stand, at the given text:1:9"),
        ("tags at least NOUN", "NOUN stands here, where a number has to stand, at the given text:1:15"),
        ("tags 0.5", "0.5 stands here, where at has to stand, at the given text:1:6"),
    ],
)
def test_a_wrong_choice_of_tags_is_refused_with_its_place(line: str, mistake: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(mistake)):
        parse_grammar(line)
