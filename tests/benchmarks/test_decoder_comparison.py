from __future__ import annotations

from collections.abc import Sequence

import pytest
from pitler_crossing.decoder_comparison import DECODERS, compared_decoders, decoder_scores
from small_treebanks import treebank

from treewhile.incremental import Model, Sentence, crossing_score, parse_sentences
from treewhile.oracles import projectivize

GOLD = treebank(20, seed=3)


def projective(model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Gold trees, made projective where they are not."""
    return [
        sentence.with_columns(
            {word: {"head": str(head)} for word, head in enumerate(projectivize(sentence.heads), 1)}
        )
        for sentence in sentences
    ]


def test_a_decoder_is_scored_on_all_words_and_on_edges_that_cross(model: Model) -> None:
    right = decoder_scores(lambda model, sentences: [*sentences], model, GOLD)
    assert right[:5] == (100, 100, 100, 100, 100)
    straight = decoder_scores(projective, model, GOLD)
    assert straight.UAS == straight.LAS < 100
    assert straight.precision == straight.F1 == 0, "no edge crosses"
    assert 0 < straight.recall < 100, "some that are crossed in gold are kept"
    crossing = crossing_score(GOLD, GOLD)
    assert crossing.gold > 0


def test_each_decoder_parses_all_sentences_in_its_class(model: Model) -> None:
    scores = compared_decoders(model, GOLD)
    assert [*scores] == [*DECODERS]
    for name, trees in {"projective": "projective", "spanning trees": "any", "MH4": "mh4"}.items():
        parsed = parse_sentences(model.with_trees(trees), GOLD)
        right = sum(
            word.head == gold.head
            for system, sentence in zip(parsed, GOLD, strict=True)
            for word, gold in zip(system.words, sentence.words, strict=True)
        )
        words = sum(len(sentence.words) for sentence in GOLD)
        assert pytest.approx(100 * right / words) == scores[name].UAS
