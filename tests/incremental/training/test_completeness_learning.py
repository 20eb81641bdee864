from __future__ import annotations

import io

import numpy as np
import pytest
from completeness_baselines.completeness_without_syntax import WordsAlone
from small_endings import ending_treebank

from treewhile.incremental import read_sentences
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.scores.completeness_scores import (
    LabelledPrefixes,
    area,
    inputs_by,
    said,
    truth_of,
    written,
)
from treewhile.incremental.training.completeness_learning import learnt, with_completeness


def material(count: int, seed: int) -> list[LabelledPrefixes]:
    sentences = [*read_sentences(io.BytesIO(ending_treebank(count, seed).encode()))]
    return [*said(sentences), *written(sentences)]


@pytest.fixture(scope="module")
def file() -> ModelFile:
    """A parser whose states tell something."""
    return read_model(model_path("en"))


@pytest.mark.slow
def test_what_was_learnt_is_found_in_new_sentences_and_all_else_stays(file: ModelFile) -> None:
    arrays = learnt(Model(file), material(400, seed=1))
    told = with_completeness(file, arrays, {"licence": "none"})
    assert told.information["completeness"]["licence"] == "none"
    assert {*told.arrays} == {*file.arrays}
    assert all(
        np.array_equal(told.arrays[name], file.arrays[name]) for name in file.arrays if name not in arrays
    )
    model, new = Model(told), material(40, seed=2)
    assert model.completeness is not None
    assert area(model.completeness.chances(inputs_by(model, new))[:, 1], truth_of(new)[:, 1]) > 0.95


def test_the_same_seed_learns_the_same_and_another_one_does_not(file: ModelFile) -> None:
    model, few = Model(file), material(5, seed=1)
    first, second, other = (learnt(model, few, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not all(np.array_equal(first[name], other[name]) for name in first)


def test_words_alone_tell_it_where_the_last_ones_do() -> None:
    new = material(40, seed=2)
    chances = WordsAlone(material(400, seed=1)).chances(new)
    assert chances.shape == (sum(len(one.counts) for one in new), 2)
    assert area(chances[:, 1], truth_of(new)[:, 1]) > 0.95
