from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from treewhile.incremental import Model, Sentence, analysis_of_sentence, parse_sentences, sentence_of_analysis
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.training.lemma_learning import LemmaLearner, TaggedWords, tagged_words
from treewhile.oracles.errors import InputError

LEMMAS = {"The": "the", "dogs": "dog", "cats": "cat", "bark": "bark", "was": "be", "were": "be", ".": "."}
XPOS = {"The": "DT", "dogs": "NNS", "cats": "NNS", "bark": "VBP", "was": "VBD", "were": "VBD", ".": "."}
TEXTS = ("The dogs bark .", "The cats were .", "The cats bark .", "The dogs were .", "The dogs was .")


def treebank(with_xpos: bool = True) -> list[Sentence]:
    sentences = [Sentence.of_words(text.split()) for text in TEXTS * 4]
    return [
        one.with_columns(
            {
                number: {"lemma": LEMMAS[word.form], "xpos": XPOS[word.form] if with_xpos else "_"}
                for number, word in enumerate(one.words, 1)
            }
        )
        for one in sentences
    ]


def learnt(file: ModelFile, words: TaggedWords, stop_after: int = 8) -> ModelFile:
    learner = LemmaLearner(Model(file), words, 8, seed=1)
    while not learner.is_done:
        if learner.epochs_done == stop_after:
            state, learner = learner.state(), LemmaLearner(Model(file), words, 8, seed=1)
            learner.go_on_from(state)
        learner.epoch()
    return learner.added_to(file, words, {"licence": "none"})


@pytest.fixture(scope="module")
def file() -> ModelFile:
    plain = read_model(model_path("en"))
    others = {name: value for name, value in plain.information.items() if name != "lemmas"}
    return ModelFile(
        {name: one for name, one in plain.arrays.items() if not name.startswith("lemmas.")}, others
    )


@pytest.fixture(scope="module")
def words(file: ModelFile) -> TaggedWords:
    return tagged_words(Model(file), treebank())


@pytest.fixture(scope="module")
def told(file: ModelFile, words: TaggedWords) -> ModelFile:
    return learnt(file, words)


def test_lemmas_and_xpos_are_learnt_and_all_else_stays(file: ModelFile, told: ModelFile) -> None:
    assert told.information["lemmas"]["scores"] == {"LEMMA": 100, "XPOS": 100}
    assert all(np.array_equal(told.arrays[name], array) for name, array in file.arrays.items())
    words = ["The", "cats", "were", "dogs", "."]
    before, after = Model(file).parse(words), Model(told).parse(words)
    assert (before.lemmas, before.xpos) == ((), ())
    assert after.lemmas == tuple(LEMMAS[word] for word in words)
    assert (after.tags, after.features, after.heads, after.labels) == (
        before.tags, before.features, before.heads, before.labels
    )  # fmt: skip


def test_an_interrupted_training_ends_as_another_one(
    file: ModelFile, words: TaggedWords, told: ModelFile
) -> None:
    again = learnt(file, words, stop_after=3)
    assert again.information == told.information
    # sums depend on where matrices lie in memory
    assert all(np.allclose(again.arrays[name], one, atol=0.02) for name, one in told.arrays.items())


def test_columns_are_written_as_analyses_have_them(told: ModelFile) -> None:
    model = Model(told)
    plain = Sentence.of_words(["The", "dogs", "bark", "."])
    [parsed] = parse_sentences(model, [plain])
    assert [word.lemma for word in parsed.words] == ["the", "dog", "bark", "."]
    assert [word.xpos for word in parsed.words] == ["DT", "NNS", "VBP", "."]
    analysis = model.parse(["The", "dogs", "bark", "."])
    assert analysis_of_sentence(sentence_of_analysis(analysis)) == replace(analysis, constituents=())


def test_many_sentences_get_what_each_gets_alone(told: ModelFile) -> None:
    model, texts = Model(told), [text.split() for text in TEXTS]
    together = model.parse_all([*texts, []])
    assert [one.lemmas for one in together] == [model.parse(text).lemmas for text in texts] + [()]
    assert [one.xpos for one in together] == [model.parse(text).xpos for text in texts] + [()]


def test_case_is_kept_where_it_tells_nothing_in_most_words_that_were_seen(file: ModelFile) -> None:
    addresses = [f"www.{name}.org" for name in ("cats", "dogs", "birds", "Horses", "mice", "Cows")]
    texts = [f"{word} {address} ." for word in ("The", "See", "Then") for address in addresses]
    forms = {word for text in texts for word in text.split()}
    lemmas = {form: form if form in addresses else form.lower() for form in forms}
    sentences = [
        Sentence.of_words(words).with_columns(
            {number: {"lemma": lemmas[word]} for number, word in enumerate(words, 1)}
        )
        for words in map(str.split, texts * 2)
    ]
    model = Model(learnt(file, tagged_words(Model(file), sentences)))
    analysis = model.parse(["See", "www.Sheep.org", "."])
    assert analysis.lemmas == ("see", "www.Sheep.org", ".")


def test_a_treebank_without_xpos_leaves_that_column_alone(file: ModelFile) -> None:
    model = Model(learnt(file, tagged_words(Model(file), treebank(with_xpos=False))))
    [parsed] = parse_sentences(model, treebank()[:1])
    assert [(word.lemma, word.xpos) for word in parsed.words][1] == ("dog", "NNS")
    assert model.parse(["dogs"]).xpos == ()


def test_a_treebank_without_lemmas_is_refused(file: ModelFile) -> None:
    with pytest.raises(InputError, match="no lemmas"):
        tagged_words(Model(file), [Sentence.of_words(["Hello"])])


@pytest.mark.parametrize("name", ["rules", "xpos", "exceptions", "known"])
def test_damaged_classes_are_refused(told: ModelFile, name: str) -> None:
    part = {**told.information["lemmas"], name: 5}
    with pytest.raises(InputError, match="treewhile train lemmas"):
        Model(ModelFile(told.arrays, {**told.information, "lemmas": part}))
