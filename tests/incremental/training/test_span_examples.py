from __future__ import annotations

import pytest

from treewhile.incremental.training.span_examples import (
    UNKNOWN,
    BracketedSentence,
    chains_of,
    example_of,
    known_chains,
)
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Constituent, Leaf, Phrase

NOUN = Phrase("NP", (Leaf("DT", "the"), Leaf("NN", "dog-RRB-")))
VERB = Phrase("VP", (Leaf("VBZ", "sees"), Phrase("NP", (Leaf("PRP", "it"),))))
TREE = Phrase("ROOT", (Phrase("S", (Phrase("S", (NOUN, VERB)),)),))


def test_a_sentence_has_the_words_as_they_are_written_and_all_but_the_root() -> None:
    sentence = BracketedSentence.of(TREE)
    assert sentence.words == ("the", "dog)", "sees", "it")
    assert [one.label for one in sentence.constituents] == ["S", "S", "NP", "VP", "NP"]


def test_a_prefix_has_what_has_begun_and_what_goes_on_is_open() -> None:
    assert BracketedSentence.of(TREE).seen(3, True) == (
        Constituent("S", 1, None),
        Constituent("S", 1, None),
        Constituent("NP", 1, 2),
        Constituent("VP", 3, None),
    )


def test_a_prefix_of_all_words_has_nothing_open() -> None:
    sentence = BracketedSentence.of(TREE)
    assert sentence.seen(4, True) == sentence.seen(4, False) == sentence.constituents


def test_what_stands_over_the_same_words_is_a_chain() -> None:
    chains = chains_of(BracketedSentence.of(TREE).seen(3, True), 3)
    assert chains == {(0, 3): ("S", "S"), (0, 1): ("NP",), (2, 3): ("VP",)}


def test_rare_chains_are_not_known_and_their_spans_have_no_label() -> None:
    often = [Constituent("NP", 1, 2)]
    labels = known_chains([(often, 2)] * 12 + [([Constituent("QP", 1, 2)], 2)])
    assert labels == (("NP",),)
    example = example_of(BracketedSentence.of(TREE), 3, True, labels)
    named = dict(zip(map(tuple, example.spans.tolist()), example.labels.tolist(), strict=True))
    assert named == {(0, 3): UNKNOWN, (0, 1): 0, (2, 3): UNKNOWN}


def test_in_small_treebanks_the_most_frequent_chains_are_known() -> None:
    sentence = BracketedSentence.of(TREE)
    assert known_chains([(sentence.constituents, 4)]) == (("NP",),)


def test_trees_without_constituents_are_refused() -> None:
    with pytest.raises(InputError, match="no constituents"):
        known_chains([((), 1)])


def test_openings_of_a_prefix_are_those_of_the_whole_sentence() -> None:
    example = example_of(BracketedSentence.of(TREE), 3, True, [("NP",)])
    assert example.openings.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
