"""Classes of trees in the parser: what a model's best parses are chosen from."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from cases import cases, each_seed
from every_tree import CLASSES, best_by_listing

from treewhile.incremental.parsers.arc_decoding import prefix_weights, sentence_weights
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.tree_decoding import LONGEST, decode_in
from treewhile.oracles import InputError, is_projective

Draw = Callable[[random.Random, int], Sequence[str]]
READY = ["projective", "mh4", "any"]


@pytest.mark.parametrize("trees", READY)
@each_seed(cases(5))
def test_a_sentence_gets_the_best_tree_of_the_class(trees: str, seed: int) -> None:
    generator, n = np.random.default_rng(seed), 5
    scores = generator.integers(-9, 9, (n + 1, n + 1)).astype(np.float32)
    heads = decode_in(trees, sentence_weights(scores)).tolist()
    assert CLASSES[trees](tuple(heads))
    assert heads.count(0) == 1
    found = sum(scores[head, word] for word, head in enumerate(heads, 1))
    assert found == best_by_listing(scores.tolist(), trees, single_root=True)


def test_more_nodes_than_a_class_bears_get_a_projective_tree() -> None:
    n = LONGEST["mh4"] + 1
    scores = np.random.default_rng(1).normal(size=(n + 1, n + 1)).astype(np.float32)
    assert is_projective(decode_in("mh4", sentence_weights(scores)))
    assert not is_projective(decode_in("mh4", sentence_weights(scores[:-1, :-1])))


def test_prefixes_are_not_parsed_in_a_class_without_virtual_nodes() -> None:
    with pytest.raises(InputError, match="prefixes are not parsed in any trees: choose one of"):
        decode_in("any", prefix_weights(np.zeros((7, 5), np.float32), 2))


def test_a_model_parses_in_another_class_and_stays_as_it_is(
    make_model: Callable[..., Model], random_words: Draw
) -> None:
    crossing = 0
    for seed in range(6):
        model, words = make_model(seed=seed), random_words(random.Random(seed), 20)
        before = model.parse(words)
        other = model.with_trees("mh4")
        assert (model.trees, other.trees) == ("projective", "mh4")
        crossing += not is_projective(other.parse(words).heads)
        assert model.parse(words) == before
    assert crossing, "a network that learnt nothing lets some edges cross"


def test_a_prefix_in_mh4_has_a_tree_after_every_word(
    make_model: Callable[..., Model], random_words: Draw
) -> None:
    parse = GrowingParse(make_model().with_trees("mh4"))
    for length, word in enumerate(random_words(random.Random(1), 9), 1):
        parse.append(word)
        assert len(parse.best().heads) == length
    parse.close()
    assert parse.best().heads.count(0) == 1


@pytest.mark.parametrize("trees", ["", "planar", 3, None])
def test_a_class_that_there_is_not_is_refused_with_those_that_there_are(
    trees: object, make_model: Callable[..., Model]
) -> None:
    with pytest.raises(InputError, match="there is no class of trees called"):
        make_model().with_trees(trees)  # type: ignore[arg-type]


def test_a_model_file_says_its_class(model_file: Callable[..., Path]) -> None:
    file = read_model(model_file())
    assert Model(ModelFile(file.arrays, {**file.information, "trees": "mh4"})).trees == "mh4"
    with pytest.raises(InputError, match="no class of trees called 'any': choose one of projective, mh4"):
        Model(ModelFile(file.arrays, {**file.information, "trees": "any"}))
