from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import cases, each, each_seed

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.nodes import LATER, Virtual
from treewhile.incremental.parsers.parsing import Model, read_parser
from treewhile.incremental.parsers.told_values import gold_values
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT
from treewhile.incremental.parsers.words import LONGEST_WORD, is_word
from treewhile.incremental.treebanks.treebank import Word
from treewhile.oracles import InputError, is_projective

Draw = Callable[[random.Random, int], Sequence[str]]
SENTENCE = ["the", "old", "dog", "barks", "."]
VALUES = [["UPOS=NOUN"], ["UPOS=NOUN"], ["UPOS=VERB", "Number=Plur"], ["UPOS=X"], []]


@each_seed(cases(5))
def test_a_sentence_gets_a_projective_tree_with_one_root(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), random.Random(seed)
    for length in (1, 2, 3, 7, 20):
        words = random_words(source, length)
        analysis = model.parse(words)
        assert analysis.words == tuple(words)
        assert is_projective(analysis.heads)
        assert [head == 0 for head in analysis.heads] == [label == "root" for label in analysis.labels]
        assert (analysis.heads.count(0), analysis.expected) == (1, ())
        assert set(analysis.tags) <= set(model.inventory.tags)
        assert set(analysis.features) <= set(model.inventory.features)


@each_seed(cases(5))
def test_words_of_a_prefix_hang_on_words_on_virtual_nodes_in_use_or_on_later(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    parse = GrowingParse(make_model(seed=seed))
    for word in random_words(random.Random(seed), 12):
        parse.append(word)
        best = parse.best()
        t, nodes = len(best.words), {expected.node for expected in best.expected}
        heads = [*best.heads, *(expected.head for expected in best.expected)]
        assert {head for head in heads if isinstance(head, Virtual)} == nodes, "each has a word below it"
        assert all(head == LATER or head in range(t + 1) for head in heads if not isinstance(head, Virtual))
        assert heads.count(0) + heads.count(LATER) >= 1
        assert heads.count(0) <= 1


def test_sentences_at_once_have_the_trees_that_they_have_one_by_one(model: Model, random_words: Draw) -> None:
    source = random.Random(4)
    sentences = [random_words(source, length) for length in (3, 1, 0, 12, 2, 0, 7)]
    assert model.parse_all(sentences) == [model.parse(words) for words in sentences]
    assert model.parse_all([]) == []
    assert model.parse_all([[]]) == [Analysis((), (), (), (), ())]


def test_the_longest_word_can_be_parsed_and_a_longer_one_is_refused(model: Model) -> None:
    assert model.parse(["x" * LONGEST_WORD]).heads == (0,)
    with pytest.raises(InputError, match=r"^word 2 is 'xxx.* 10000 characters"):
        model.parse(["x", "x" * (LONGEST_WORD + 1)])


@pytest.mark.parametrize("word", ["", " ", "\u00a0\t", None, 3])
def test_what_is_no_word_is_refused(word: Any, model: Model) -> None:
    assert not is_word(word)
    with pytest.raises(InputError, match=r"^word 1 is .*: leave it out or correct it$"):
        model.parse([word])


@each("words", ["Peter", "", b"Peter", None, 3, {"Peter"}])
def test_what_is_no_list_of_words_is_refused(words: Any, model: Model) -> None:
    for parse in (model.parse, lambda given: model.parse_all([SENTENCE, given])):
        with pytest.raises(
            InputError, match=r"a list of texts, and .* is none: give a list such as \['Peter'"
        ):
            parse(words)


@pytest.mark.parametrize("sentences", ["ab", b"ab", None, 3])
def test_what_is_no_list_of_sentences_is_refused(sentences: Any, model: Model) -> None:
    with pytest.raises(InputError, match=r"^sentences are a list of lists of texts, and .* is none: give "):
        model.parse_all(sentences)


@pytest.mark.parametrize("values", ["UPOS=X", 3, {"UPOS=X"}])
def test_values_that_are_no_lists_are_refused(values: Any, make_model: Callable[..., Model]) -> None:
    model = make_model(tags="gold")
    with pytest.raises(InputError, match="give one list for each"):
        model.parse(SENTENCE, values)
    with pytest.raises(InputError, match="give a list for each sentence"):
        model.parse_all([SENTENCE], values)


# --- gold tags --------------------------------------------------------------------------------------------


def test_values_are_what_a_model_is_trained_on() -> None:
    word = Word("1", "dogs", "dog", "NOUN", "NNS", "Case=Nom|Number=Plur", "0", "root", "_", "_", 1)
    assert gold_values("predicted", word) == []
    assert gold_values("gold-upos", word) == ["UPOS=NOUN"]
    assert gold_values("gold", word) == ["UPOS=NOUN", "Case=Nom", "Number=Plur"]
    assert gold_values("gold", word._replace(feats="_")) == ["UPOS=NOUN"]


def test_values_matter_to_a_model_that_takes_them_and_to_no_other(make_model: Callable[..., Model]) -> None:
    others = [["UPOS=VERB"], *VALUES[1:]]
    model, with_values = make_model(), make_model(tags="gold")
    assert model.parse(SENTENCE, VALUES) == model.parse(SENTENCE, others) == model.parse(SENTENCE)
    for layer in (FROM_LEFT, FROM_RIGHT):
        first, second = (with_values.gates(SENTENCE, layer, values) for values in (VALUES, others))
        assert (first[0] != second[0]).any()
        assert (first[1:] == second[1:]).all()


def test_a_model_that_takes_values_cannot_do_without(make_model: Callable[..., Model]) -> None:
    model = make_model(tags="gold-upos")
    for values in (None, VALUES[1:]):
        with pytest.raises(InputError, match="give one list for each"):
            model.parse(SENTENCE, values)
    assert model.parse(SENTENCE, VALUES).words == tuple(SENTENCE)
    with pytest.raises(InputError, match="there are 2 sentences, but values for 1: give some for each"):
        model.parse_all([SENTENCE, SENTENCE], [VALUES])


# --- model files ------------------------------------------------------------------------------------------


@pytest.fixture
def file(model_file: Callable[..., Path]) -> ModelFile:
    return read_model(model_file())


def test_a_segmenter_is_there_if_the_file_has_one(make_model: Callable[..., Model]) -> None:
    segmenter = make_model().segmenter
    assert segmenter is not None
    assert [word.form for word in segmenter.segment("I cannot.")[0].words] == ["I", "can", "not", "."]
    assert make_model(with_segmenter=False).segmenter is None


@pytest.mark.parametrize(
    ("information", "problem"),
    [
        ({"inventory": None}, "says nothing of its inventory"),
        ({"inventory": {}}, "a list of strings named forms"),
        ({"shape": {}}, "for each of form, "),
        ({"tags": "silver"}, "trained on the tags 'silver', but they are one of predicted, gold-upos, gold"),
        ({"system": "arc-eager"}, "the steps of the model are those of 'arc-eager', but have to be those of"),
        ({"system": ["swift"]}, r"are those of \['swift'\], but"),
        ({"temperature": 0}, "its temperature is 0, but has to be a number from 0.05 to 20"),
        ({"temperature": math.nan}, "its temperature is nan, but has to be"),
        ({"temperature": True}, "its temperature is True, but has to be"),
        ({"temperature": "warm"}, "its temperature is 'warm', but has to be"),
        ({"siblings": {"units": 3}}, "the model scores siblings, which is no longer supported: train it"),
        ({"grandparents": {"units": 3}}, "the model scores grandparents, which is no longer supported"),
        ({"completeness": []}, "says nothing of its completeness"),
        ({"completeness": {}}, "its completeness have None units, but these are a whole number from 1 to"),
        ({"completeness": {"units": 3}}, "the array completeness.*is missing"),
        ({"segmenter": []}, "says nothing of its segmenter"),
        ({"segmenter": {}}, "vocabulary has to be a text"),
    ],
)
def test_a_file_that_says_something_else_is_refused(
    information: dict[str, Any], problem: str, file: ModelFile, tmp_path: Path
) -> None:
    path = tmp_path / "other.safetensors"
    write_model(path, replace(file, information={**file.information, **information}))
    with pytest.raises(InputError, match=f"{problem}.*, in {path}$"):
        read_parser(path)


def test_a_file_of_before_steps_knew_what_waiting_is_worth_says_how_to_learn_them(file: ModelFile) -> None:
    shape = {name: width for name, width in file.information["shape"].items() if name != "awaiting"}
    with pytest.raises(InputError, match=r"^the model is of before .*: .* treewhile train steps --model P"):
        Model(replace(file, information={**file.information, "shape": shape}))


def test_a_model_is_neither_cold_nor_hot_unless_its_file_says_so(file: ModelFile) -> None:
    assert Model(file).network.arcs.temperature == 1
    assert (
        Model(replace(file, information={**file.information, "temperature": 2})).network.arcs.temperature == 2
    )


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (None, "the array arc is missing"),
        (
            np.zeros((2, 2), np.float32),
            r"of shape \(2, 2\) and kind float32, but has to be of shape \(9, 8\)",
        ),
        (np.zeros((9, 8), np.int8), "of kind int8|and kind int8"),
        (np.full((9, 8), np.nan, np.float32), "numbers in it beyond 10000"),
    ],
)
def test_a_file_with_other_arrays_is_refused(array: Any, problem: str, file: ModelFile) -> None:
    arrays = {name: other for name, other in file.arrays.items() if name != "arc"}
    with pytest.raises(InputError, match=problem):
        Model(ModelFile(arrays if array is None else {**arrays, "arc": array}, file.information))
