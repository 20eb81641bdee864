"""Tuning: constraints that gold trees break get softer, those that keep mistakes out get harder."""

from __future__ import annotations

from pathlib import Path

import pytest

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.workbench.tuning import Tuner
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences

GRAMMAR = """
constraint "no subject stands left" penalty 0.5, X: X.relation = nsubj -> X.direction = right
constraint "determiners stand left" penalty 0.5, X: X.relation = det -> X.direction = left
constraint "a dog is a subject" penalty 0.5, X: X.form = dog -> X.relation = nsubj
constraint "hard" penalty 0, X: is_word(X) -> not is_unused(X.head)
constraint "computed" penalty head_probability(X), X: false
"""

TREE = [("the", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("barks", "VERB", 0, "root")]


@pytest.fixture
def sentence(tmp_path: Path) -> Sentence:
    path = tmp_path / "gold.conllu"
    rows = [
        f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
        for number, (form, tag, head, label) in enumerate(TREE, 1)
    ]
    path.write_text("\n".join(rows) + "\n\n")
    return next(iter(read_sentences(path)))


def test_penalties_follow_the_gold_tree(model: Model, sentence: Sentence) -> None:
    tuner = Tuner(model, parse_grammar(GRAMMAR))
    for _ in range(20):
        tuner.learn(sentence)
    penalties = tuner.penalties
    assert penalties["no subject stands left"] > 0.5
    assert penalties["a dog is a subject"] <= 0.5
    assert "hard" not in penalties
    assert "computed" not in penalties


def test_constraints_that_are_only_told_do_not_disturb_tuning(model: Model, sentence: Sentence) -> None:
    told = 'constraint "told", X: X.form != dog says "No dogs."\n'
    tuners = [Tuner(model, parse_grammar(text)) for text in (GRAMMAR, told + GRAMMAR)]
    for tuner in tuners:
        tuner.learn(sentence)
    assert tuners[0].penalties == tuners[1].penalties


def test_tuning_is_the_same_each_time(model: Model, sentence: Sentence) -> None:
    tuners = [Tuner(model, parse_grammar(GRAMMAR), seed=3) for _ in range(2)]
    for tuner in tuners:
        for _ in range(5):
            tuner.learn(sentence)
    assert tuners[0].penalties == tuners[1].penalties


def test_nothing_learnt_leaves_the_penalties(model: Model) -> None:
    penalties = Tuner(model, parse_grammar(GRAMMAR)).penalties
    assert set(penalties.values()) == {0.5}
