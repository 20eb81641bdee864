from __future__ import annotations

import random

from cases import cases, each_seed
from planted_phrases import random_phrase

from treewhile.oracles.constituents.openings import openings_of
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase, constituents_of


def test_words_open_what_the_tree_has() -> None:
    noun = Phrase("NP", (Leaf("NN", "dogs"),))
    verb = Phrase("VP", (Leaf("VB", "see"), Phrase("NP", (Leaf("DT", "a"), Leaf("NN", "cat")))))
    tree = Phrase("ROOT", (Phrase("S", (noun, verb, Leaf(".", "."))),))
    begins, ends, unaries = openings_of(tree)
    assert begins.tolist() == [True, True, True, False, False]
    assert ends.tolist() == [False, False, False, True, True]
    assert unaries.tolist() == [True, False, False, False, False]


def test_a_single_word_begins_and_ends_the_sentence() -> None:
    assert [flags.tolist() for flags in openings_of(Phrase("ROOT", (Leaf("UH", "oh"),)))] == [
        [True],
        [True],
        [False],
    ]


@each_seed(cases(20))
def test_every_constituent_is_allowed(seed: int) -> None:
    tree = random_phrase(random.Random(seed), 7)
    openings = openings_of(tree)
    for _, first, last in constituents_of(tree)[1:]:
        assert last is not None
        if first == last:
            assert openings.unaries[first - 1]
        else:
            assert openings.begins[first - 1]
            assert openings.ends[last - 1]
