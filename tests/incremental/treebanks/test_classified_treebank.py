from __future__ import annotations

import io
import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from every_tree import all_trees

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.treebanks.classified_treebank import (
    CLASSES,
    DEGREES,
    ClassCounts,
    Examples,
    classify_sentence,
)
from treewhile.oracles import InputError, tree_classes

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))

# Percent of the trees of whole treebanks in these classes, as computed by others.
COVERED = ("is_projective", "is_gap_minding", "is_1_inherit", "is_mild", "is_1_endpoint_crossing", "is_mh4")
COVERAGE = {
    "el_gdt-2.2/*": (89.17, 99.33, 99.88, 99.88, 99.88, 99.84),
    "hu_szeged-2.2/*": (72.89, 95.28, 96.50, 96.50, 97.39, 96.83),
    "grc_proiel/*-dev": (59.67, 92.35, 96.17, 96.17, 95.58, 95.29),
    "nl_alpino/*-dev": (90.53, 98.75, 99.58, 99.58, 99.72, 99.44),
    "af_afribooms/*": (92.64, 99.40, 99.80, 99.80, 99.80, 99.80),
    "en_ewt/*-dev": (98.45, 99.85, 100.00, 100.00, 99.85, 99.90),
    "de_lit/*": (92.24, 99.06, 99.74, 99.74, 99.17, 99.74),
}

LETTER = (2, 3, 0, 3, 7, 7, 2)
INHERITING = (2, 0, 0, 1)


def sentences(*trees: tuple[int | str, ...]) -> list[Sentence]:
    text = "".join(
        "".join(f"{word}\tx\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate(heads, 1)) + "\n"
        for heads in trees
    )
    return [*read_sentences(io.BytesIO(text.encode()))]


def chosen(most: int, *trees: tuple[int | str, ...]) -> list[list[int | None]]:
    examples = Examples(most)
    for sentence in sentences(*trees):
        examples.add(sentence, classify_sentence(sentence))
    return [example.sentence.heads for example in examples]


def test_counts_are_those_of_each_attribute() -> None:
    trees = Random(1).choices(all_trees(5), k=200)
    counts = ClassCounts()
    for heads in trees:
        counts.add(tree_classes(heads))
    found = [tree_classes(heads)._asdict() for heads in trees]
    assert counts.trees == 200
    for name in CLASSES:
        assert counts.of_class(name) == sum(one[name] for one in found)
    for name in DEGREES:
        assert counts.of_degree(name) == Counter(one[name] for one in found)


def test_degrees_are_in_order() -> None:
    counts = ClassCounts()
    for heads in (LETTER, (0,), (3, 4, 0, 0)):
        counts.add(tree_classes(heads))
    assert [*counts.of_degree("edge_degree")] == sorted(counts.of_degree("edge_degree"))


def test_examples_are_the_shortest_sentences_outside_a_class() -> None:
    longer = (*LETTER, 3)
    assert chosen(1, longer, LETTER, (0, 1)) == [[*LETTER]]
    assert chosen(2, longer, LETTER, (0, 1)) == [[*LETTER], [*longer]]


def test_of_examples_of_one_length_the_first_is_taken() -> None:
    assert chosen(1, (3, 0, 0), (0, 0, 1)) == [[3, 0, 0]]


def test_each_class_has_its_examples_and_no_sentence_comes_twice() -> None:
    found = chosen(2, LETTER, (3, 0, 0), INHERITING, (3, 0, 0))
    assert found == [[3, 0, 0], [3, 0, 0], [*INHERITING]]


@pytest.mark.slow
@pytest.mark.parametrize("treebank", COVERAGE)
def test_classes_cover_as_much_of_treebanks_as_others_have_found(treebank: str) -> None:
    paths = sorted((DATA / "ud").glob(f"{treebank}.conllu"))
    if not paths:
        pytest.skip(f"{DATA / 'ud' / treebank}.conllu is not here")
    counts = ClassCounts()
    for path in paths:
        for sentence in read_sentences(path):
            counts.add(classify_sentence(sentence))
    shares = [100 * counts.of_class(name) / counts.trees for name in COVERED]
    assert shares == pytest.approx(COVERAGE[treebank], abs=0.005)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((0, "_"), "the head of word 2 is unknown, and only whole trees are in classes: give all heads, in"),
        ((2, 1, 0), "the heads go round in a circle: 1 <- 2 <- 1; every word has to"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(heads: tuple[int | str, ...], message: str) -> None:
    (sentence,) = sentences(heads)
    with pytest.raises(InputError) as caught:
        classify_sentence(sentence)
    assert str(caught.value).startswith(message)
    assert str(caught.value).endswith("in the sentence at the given stream:1, column HEAD")
