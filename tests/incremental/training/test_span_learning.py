from __future__ import annotations

import numpy as np
import pytest
from small_phrases import small_trees

from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.span_layers import SpanShape
from treewhile.incremental.training.dev_scores import agreement
from treewhile.incremental.training.span_examples import BracketedSentence
from treewhile.incremental.training.span_learning import SpanLearner, SpanSettings, prepared, states_of
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

TRAIN = small_trees(60, seed=1)
SETTINGS = SpanSettings(epochs=25, shape=SpanShape(16, 16))


@pytest.fixture(scope="module")
def file() -> ModelFile:
    """A parser whose states tell something."""
    return read_model(model_path("en"))


@pytest.fixture(scope="module")
def learnt(file: ModelFile) -> ModelFile:
    learner = SpanLearner(prepared(Model(file), TRAIN, SETTINGS.seed), SETTINGS)
    for _ in range(SETTINGS.epochs):
        learner.epoch()
    return learner.added_to(file, {"licence": "none"})


@pytest.mark.slow
def test_what_was_learnt_is_found_in_new_sentences(learnt: ModelFile) -> None:
    found = agreement(Model(learnt), small_trees(20, seed=2))
    assert found["f1"] > 80
    assert found["closed in prefixes, f1"] > 60
    assert found["open in prefixes, f1"] > 50


def test_all_else_of_the_model_stays_as_it_is(file: ModelFile, learnt: ModelFile) -> None:
    for name, array in file.arrays.items():
        if name.startswith("spans."):
            continue
        assert np.array_equal(learnt.arrays[name], array), name
    assert {*learnt.information} == {*file.information, "spans"}
    assert learnt.information["spans"]["licence"] == "none"


def test_the_same_seed_learns_the_same(file: ModelFile) -> None:
    few = SpanSettings(epochs=1, shape=SpanShape(4, 4))

    def learnt_arrays() -> dict[str, np.ndarray]:
        learner = SpanLearner(prepared(Model(file), TRAIN[:10], few.seed), few)
        learner.epoch()
        return learner.added_to(file, {}).arrays

    first, second = learnt_arrays(), learnt_arrays()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_states_of_a_prefix_are_those_that_a_parse_of_it_has(file: ModelFile) -> None:
    model, words = Model(file), BracketedSentence.of(TRAIN[0]).words
    whole, prefix = states_of(model, words, [(len(words), False), (2, True)])
    assert (len(whole), len(prefix)) == (len(words) + 1, 4)
    assert np.array_equal(prefix, states_of(model, words[:2], [(2, True)])[0])


def test_trees_that_are_one_word_each_have_nothing_to_learn(file: ModelFile) -> None:
    with pytest.raises(InputError, match="no constituents"):
        prepared(Model(file), [Phrase("ROOT", (Leaf("NN", "dog"),))], 1)
