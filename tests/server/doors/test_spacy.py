from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import cases, each_seed

from treewhile.incremental import load_model
from treewhile.oracles.errors import InputError

spacy = pytest.importorskip("spacy", reason="pip install '.[spacy]'")

TEXT = "Peter drives a red car. It does not rain."


@pytest.fixture(scope="module")
def english() -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("treewhile")
    return nlp


@pytest.fixture
def tiny(model_file: Callable[..., Path]) -> Any:
    """A pipeline whose trees are wild: their edges cross as they like."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("treewhile", config={"model": str(model_file()), "trees": "any"})
    return nlp


def heads(doc: Any) -> list[int]:
    return [token.head.i for token in doc]


def starts(doc: Any) -> list[int]:
    return [sentence.start for sentence in doc.sents]


def test_tokens_have_what_the_model_says_of_words(english: Any) -> None:
    doc = english("Peter drives a red car.")
    judged = load_model("en").parse([token.text for token in doc])
    assert [0 if head == n else head + 1 for n, head in enumerate(heads(doc))] == [*judged.heads]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "det", "amod", "obj", "punct"]
    assert [token.pos_ for token in doc] == [*judged.tags]
    assert [str(token.morph) or "_" for token in doc] == [*judged.features]
    assert [(span.label_, span.text) for span in doc.spans["treewhile"]][-1] == ("NP", "a red car")
    assert all(0.9 < one <= 1 for one in doc.user_data["treewhile"]["confidences"])
    assert {"HEAD", "DEP", "POS", "MORPH", "SENT_START"} == {
        name for name in ("HEAD", "DEP", "POS", "MORPH", "SENT_START") if doc.has_annotation(name)
    }


def test_sentences_begin_where_the_model_finds_them(english: Any) -> None:
    assert starts(english(TEXT)) == [0, 6]
    assert starts(english("  " + TEXT.replace(". ", ".\n\n "))) == [0, 8]


def test_starts_that_are_said_before_stay_as_they_are(english: Any) -> None:
    with_sentences = spacy.blank("en")
    with_sentences.add_pipe("sentencizer", config={"punct_chars": ["red"]})
    with_sentences.add_pipe("treewhile")
    assert starts(with_sentences(TEXT)) == [0, 4]
    doc = english.make_doc(TEXT)
    doc[2].is_sent_start = True
    doc[6].is_sent_start = False
    assert starts(english(doc)) == [0, 2]


@each_seed(cases(20))
def test_sentences_are_whole_however_their_edges_cross(tiny: Any, seed: int) -> None:
    generator = random.Random(seed)
    words = [generator.choice(["the", "dog", "barks", "cat", "sees", "very", "old", "."]) for _ in range(40)]
    ends = sorted(generator.sample(range(1, 40), 3))
    doc = spacy.tokens.Doc(tiny.vocab, words, sent_starts=[n in (0, *ends) for n in range(40)])
    parsed = tiny(doc)
    assert starts(parsed) == [0, *ends]
    assert all(sentence.start <= head.head.i < sentence.end for sentence in parsed.sents for head in sentence)
    assert [sum(token.dep_ == "ROOT" for token in sentence) for sentence in parsed.sents] == [1] * 4


def test_edges_of_these_trees_do_cross(tiny: Any) -> None:
    found = heads(tiny(spacy.tokens.Doc(tiny.vocab, ["dog", "sees", "the", "cat", "old", "barks", "."] * 4)))
    spans = [sorted(edge) for edge in enumerate(found) if edge[0] != edge[1]]
    assert any(a < c < b < d for a, b in spans for c, d in spans)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        ([" "], [0]),
        (["\n", " ", "\n\n"], [0, 0, 1]),
        ([" ", "They", "  ", " ", "sleep", "."], [1, 4, 1, 2, 4, 4]),
    ],
)
def test_white_space_hangs_on_what_stands_before(english: Any, words: list[str], expected: list[int]) -> None:
    doc = english(spacy.tokens.Doc(english.vocab, words))
    assert heads(doc) == expected
    assert all(token.pos_ == "SPACE" for token in doc if token.is_space)


def test_a_sentence_of_white_space_alone_is_left_as_it_is(english: Any) -> None:
    doc = spacy.tokens.Doc(
        english.vocab, ["Dogs", "bark", "\n", "Cats", "sleep"], sent_starts=[1, 0, 1, 1, 0]
    )
    assert starts(english(doc)) == [0, 2, 3]
    assert heads(doc) == [1, 1, 2, 4, 4]


def test_words_and_sentences_that_are_too_long_are_cut(english: Any) -> None:
    endless = ["x" * 20_000, "rains"]
    assert len(heads(english(spacy.tokens.Doc(english.vocab, endless)))) == 2


@pytest.mark.slow
def test_many_documents_are_parsed_as_one_is(english: Any) -> None:
    texts = [TEXT, "", " ", *(f"Dogs bark {'and bark ' * n}." for n in range(30))]
    for batch_size in (1, 7, 1000):
        docs = [*english.pipe(texts, batch_size=batch_size)]
        assert [heads(doc) for doc in docs] == [heads(english(text)) for text in texts]


def test_several_processes_share_the_work(english: Any) -> None:
    texts = [f"{'Very ' * n}old dogs bark." for n in range(12)]
    docs = [*english.pipe(texts, n_process=2, batch_size=3)]
    assert [heads(doc) for doc in docs] == [heads(english(text)) for text in texts]
    assert docs[0].user_data["treewhile"]["confidences"]


def test_a_pipeline_comes_back_from_the_disk(
    english: Any, model_file: Callable[..., Path], tmp_path: Path
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("treewhile", config={"model": str(model_file()), "trees": "mh4"})
    nlp.to_disk(tmp_path / "pipeline")
    restored = spacy.load(tmp_path / "pipeline")
    assert restored.get_pipe_config("treewhile")["model"] == nlp.get_pipe_config("treewhile")["model"]
    assert heads(restored(TEXT)) == heads(nlp(TEXT)) != heads(english(TEXT))
    component = pickle.loads(pickle.dumps(nlp.get_pipe("treewhile")))
    assert heads(component(nlp.make_doc(TEXT))) == heads(nlp(TEXT))


def test_documents_come_back_from_bytes(english: Any) -> None:
    doc = english(TEXT)
    restored = spacy.tokens.Doc(english.vocab).from_bytes(doc.to_bytes())
    assert heads(restored) == heads(doc)
    assert restored.user_data == doc.user_data
    assert [*map(str, restored.spans["treewhile"])] == [*map(str, doc.spans["treewhile"])]


def test_the_model_is_that_of_the_language() -> None:
    nlp = spacy.blank("af")
    nlp.add_pipe("treewhile")
    judged = load_model("af").parse(["Die", "hond", "blaf", "."])
    assert [token.pos_ for token in nlp("Die hond blaf.")] == [*judged.tags]


def test_a_language_without_a_model_is_told_which_there_are() -> None:
    with pytest.raises(
        InputError,
        match=r"neither an installed model nor a file named 'sv': .*\(af, de, en, es, fr, nl, pt\)",
    ):
        spacy.blank("sv").add_pipe("treewhile")


def test_a_model_of_gold_tags_is_refused(model_file: Callable[..., Path]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("treewhile", config={"model": str(model_file(tags="gold"))})
    with pytest.raises(InputError, match="was trained on gold tags"):
        nlp(TEXT)


def test_without_raw_text_a_document_is_one_sentence(model_file: Callable[..., Path]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("treewhile", config={"model": str(model_file(with_segmenter=False))})
    assert starts(nlp(TEXT)) == [0]


def test_a_pipeline_says_how_good_its_trees_are(english: Any) -> None:
    """One head of ten is another, with another label, and one tag."""
    training = pytest.importorskip("spacy.training")
    words = ["Peter", "drives", "a", "red", "car", "It", "rains", "in", "the", "city"]
    gold = english(
        spacy.tokens.Doc(english.vocab, words, sent_starts=[number in (0, 5) for number in range(10)])
    )
    annotation = training.Example(gold, gold).to_dict()
    token = annotation["token_annotation"]
    token["DEP"] = ["root" if label == "ROOT" else label for label in token["DEP"]]
    same = training.Example.from_dict(gold, annotation)
    told = english.evaluate([same])
    assert [told[name] for name in ("pos_acc", "morph_acc", "dep_uas", "dep_las", "sents_f")] == [1] * 5
    token["HEAD"][3], token["DEP"][3], token["POS"][0] = 1, "dep", "NOUN"
    told = english.evaluate([training.Example.from_dict(gold, annotation)])
    found = [told[name] for name in ("pos_acc", "dep_uas", "dep_las")]
    assert found == pytest.approx([0.9] * 3)
