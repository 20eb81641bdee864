"""The gold treebanks of `tests/vectors/gold`: their trees, texts, tags and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from treewhile.incremental import Sentence, installed_models, load_model, read_sentences
from treewhile.oracles import is_projective, tree_classes

GOLD: Final = Path(__file__).parents[2] / "vectors" / "gold"
PATHS: Final = sorted(GOLD.glob("*.conllu"))

CROSSING: Final = ["nl"]  # languages that are said with crossing edges every day

of_every_language = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def text_of(sentence: Sentence) -> str:
    """The tokens, with white space where MISC does not deny it."""
    tokens: list[Any] = sentence.tokens
    joined, covered = "", 0
    for token in tokens:
        is_range = isinstance(token["id"], tuple)
        if is_range or token["id"] > covered:
            covered = token["id"][2] if is_range else token["id"]
            joined += token["form"] + ("" if (token["misc"] or {}).get("SpaceAfter") == "No" else " ")
    return joined.rstrip()


def test_there_are_gold_treebanks() -> None:
    assert PATHS


@of_every_language
def test_a_gold_treebank_is_large_enough_to_measure_with(path: Path) -> None:
    sentences = [*read_sentences(path)]
    assert len(sentences) >= 80
    assert sum(len(sentence.words) for sentence in sentences) >= 800
    assert len({str(sentence.tokens.metadata["text"]) for sentence in sentences}) == len(sentences)


@of_every_language
def test_its_trees_are_projective_or_some_in_mh4_and_have_one_root(path: Path) -> None:
    straight = []
    for sentence in read_sentences(path):
        place = sentence.where(1, "head")
        straight.append(is_projective(sentence.heads))
        assert straight[-1] or tree_classes(sentence.heads).is_mh4, place
        assert sentence.heads.count(0) == 1, place
        for word in sentence.words:
            assert (word.head == "0") == (word.deprel == "root"), place
            assert (word.upos == "PUNCT") == (word.deprel == "punct"), place
    assert all(straight) == (path.stem not in CROSSING)
    assert sum(straight) >= 0.8 * len(straight)


@of_every_language
def test_its_tokens_join_to_its_texts(path: Path) -> None:
    for sentence in read_sentences(path):
        assert text_of(sentence) == sentence.tokens.metadata["text"]


@of_every_language
def test_its_tags_and_labels_are_those_that_the_model_has_learnt(path: Path) -> None:
    if path.stem not in installed_models():
        pytest.skip(f"no model {path.stem} is shipped")
    inventory = load_model(path.stem).inventory
    for sentence in read_sentences(path):
        for number, word in enumerate(sentence.words, 1):
            assert word.upos in inventory.tags, sentence.where(number, "upos")
            assert word.deprel in inventory.labels, sentence.where(number, "deprel")
