from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import each
from small_phrases import small_trees
from small_taggers import small_model

from treewhile.incremental.constituents import grammar_phrases
from treewhile.incremental.constituents.bracketed_trees import on_one_line
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.constituents.grammar_models import (
    is_grammar_model,
    read_grammar_model,
    write_grammar_model,
)
from treewhile.incremental.constituents.grammar_phrases import (
    AS_ASKED,
    BOUNDED,
    FLAT,
    LOOSENED,
    GrammarPhrases,
    spelt_out,
)
from treewhile.incremental.constituents.operating_points import THRESHOLDS, chosen_points, trials
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase
from treewhile.oracles.errors import InputError

WORDS = ("the", "dog", "sees", "the", "cat", ".")
FLAT_TREE = "(ROOT (DT the) (DT the))"


@each("side", ["left", "right"])
@each("constraints", [(), ("ghp", "unary", "quad"), ("hp",), ("linear",)])
def test_trees_like_those_of_the_treebank_are_found(side: Side, constraints: tuple[str, ...]) -> None:
    parser = GrammarPhrases(small_model(side), constraints)
    found = trials({"": parser}, small_trees(20, seed=3))[""]
    assert (found.f1 > 90, found.outcomes.count(FLAT)) == (True, 0)
    assert (len(found.seconds), found.words_per_second > 0) == (20, True)


def test_plain_words_get_tags_and_their_brackets_are_spelt_out() -> None:
    [phrase] = GrammarPhrases(small_model()).parse_all([GivenSentence((*WORDS[:5], "("), None, "in:1")])
    leaves = phrase.leaves
    assert leaves[:2] == (Leaf("DT", "the"), Leaf("NN", "dog"))
    assert leaves[-1].word == "-LRB-"
    assert (spelt_out(":)"), spelt_out("x")) == (":-RRB-", "x")


def test_trees_keep_their_leaves() -> None:
    own = tuple(Leaf("X", word) for word in WORDS)
    [phrase] = GrammarPhrases(small_model()).parse_all([GivenSentence(WORDS, own, "in:1")])
    assert phrase.leaves == own
    assert on_one_line(phrase).startswith("(ROOT (S (NP (X the) (X dog)) (VP (X sees)")


def test_the_usual_constraints_are_those_of_the_model() -> None:
    model = small_model()
    assert GrammarPhrases(model).constraints == ("ghp", "unary", "quad")
    assert GrammarPhrases(model, ()).constraints == ()


def test_constraints_that_leave_no_tree_are_loosened() -> None:
    model = small_model(threshold=-1000.0)  # closes all that is not sure to be open
    found = GrammarPhrases(model, ("ghp", "unary")).parse(WORDS)
    assert found.outcome == LOOSENED
    assert GrammarPhrases(model, ()).parse(WORDS) == (found.phrase, AS_ASKED)


def test_what_is_too_long_is_bounded_and_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_phrases, "MOST_MIDPOINTS", 10)
    told: list[str] = []
    parser = GrammarPhrases(small_model(), (), told.append)
    assert parser.parse(WORDS).outcome == BOUNDED
    parser.parse_all([GivenSentence(WORDS, None, "in.txt:7")])
    assert told == ["the sentence is too long for that, so at most 24 words are left open, at in.txt:7"]


def test_where_nothing_is_left_all_words_are_under_the_root_and_it_is_told() -> None:
    told: list[str] = []
    parser = GrammarPhrases(small_model(), complain=told.append)
    assert parser.parse(("the", "the")).outcome == FLAT
    [phrase] = parser.parse_all([GivenSentence(("the",) * 2, None, "in.txt:7")])
    assert on_one_line(phrase) == FLAT_TREE
    assert told == ["no tree is left, all words are under the root, at in.txt:7"]


def test_bounds_that_leave_no_tree_stay() -> None:
    model = replace(small_model(), points=OperatingPoints(quad=0.1))
    found = GrammarPhrases(model, ("quad",)).parse((*WORDS[:3], *WORDS))
    assert found.outcome == FLAT


def test_a_long_sentence_takes_bounded_time_even_without_constraints() -> None:
    found = GrammarPhrases(small_model(), ()).parse(WORDS * 60)
    assert len(found.phrase.leaves) == 360


@pytest.mark.parametrize("most_kept", [0, grammar_phrases.MOST_KEPT])
@pytest.mark.parametrize("constraints", [(), ("ghp", "unary", "quad")])
def test_no_sentence_is_parsed_otherwise_for_those_before_it(
    constraints: tuple[str, ...], most_kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammar_phrases, "MOST_KEPT", most_kept)
    model = small_model()
    parser = GrammarPhrases(model, constraints)
    sentences = [WORDS, WORDS[:3], WORDS * 2, WORDS * 60, WORDS[3:], WORDS]
    afresh = [GrammarPhrases(model, constraints).parse(words) for words in sentences]
    assert [parser.parse(words) for words in sentences] == afresh


@pytest.mark.parametrize("name", ["model", "model.gz"])
def test_models_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    model = replace(small_model("left"), points=OperatingPoints(ghp=7.5, linear=24.0))
    write_grammar_model(tmp_path / name, model)
    again = read_grammar_model(tmp_path / name)
    assert is_grammar_model(tmp_path / name)
    assert (again.points, again.usual) == (model.points, model.usual)
    assert again.grammar.form == model.grammar.form
    assert np.array_equal(again.grammar.grammar.binary_logs, model.grammar.grammar.binary_logs)
    assert GrammarPhrases(again).parse(WORDS) == GrammarPhrases(model).parse(WORDS)


@pytest.mark.parametrize(
    ("line", "other", "what"),
    [
        ("usual ghp", "usual gph", r"'gph' is no constraint: give one of none, .*, at .*model:2"),
        ("quad 4.0", "quad four", r"'quad four' has to be a constraint and a number, at .*model:5"),
        ("quad 4.0", "cubic 4.0", r"'cubic' is no constraint, at .*model:5"),
        ("[constraints]", "[words of it]", r"no section \[constraints\] in .*model"),
        ("start ROOT", "side right", r"at .*model:\d+"),
    ],
)
def test_what_is_wrong_in_a_model_is_told_with_its_line(
    line: str, other: str, what: str, tmp_path: Path
) -> None:
    write_grammar_model(tmp_path / "model", small_model())
    (tmp_path / "model").write_text((tmp_path / "model").read_text().replace(line, other, 1))
    with pytest.raises(InputError, match=what):
        read_grammar_model(tmp_path / "model")


def test_other_files_are_no_models_of_grammars(tmp_path: Path) -> None:
    (tmp_path / "network").write_bytes(b"\x08\0\0\0\0\0\0\0{}")
    assert not is_grammar_model(tmp_path / "network")
    assert not is_grammar_model(tmp_path / "nowhere")


def test_the_threshold_is_the_best_of_those_tried() -> None:
    points, tried = chosen_points(small_model(), small_trees(10, seed=4))
    assert tuple(tried) == THRESHOLDS
    best = max(found.f1 for found in tried.values())
    assert (tried[points.ghp].f1, points.unary) == (best, points.ghp)


def test_agreement_of_what_is_told_wrong_is_less() -> None:
    tree = Phrase("ROOT", (Phrase("X", tuple(Leaf("DT", word) for word in WORDS)),))
    found = trials({"": GrammarPhrases(small_model())}, [tree])[""]
    assert (found.f1, found.outcomes, found.lengths) == (0, [AS_ASKED], [len(WORDS)])
