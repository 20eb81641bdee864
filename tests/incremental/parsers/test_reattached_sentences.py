"""L3 of whole sentences outside of sessions: as good as inside, and refused where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from cases import cases, each_seed
from reach import Reached
from shells import SENTENCE, MakeModel, Shell, heads_of, last
from small_treebanks import treebank

from treewhile.incremental import parse_sentences
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS
from treewhile.incremental.parsers.parsed_treebank import analyse, values_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_decoding import MOST_WORDS, score_by_grandparents
from treewhile.incremental.parsers.second_order_parsing import reattached, scored_by, snapshot_of
from treewhile.incremental.sessions.messages import Finish, Open
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import InputError

SENTENCES = treebank(20, seed=5)


def weighing(make_model: MakeModel, seed: int = 1, **options: object) -> Model:
    return make_model(seed=seed, kinds=[GRANDPARENTS], **options).with_trees("mh4")


@pytest.mark.reaches(0.2)
@each_seed(cases(12))
def test_trees_are_those_that_a_session_ends_with(make_model: MakeModel, seed: int, reached: Reached) -> None:
    model = weighing(make_model, seed)
    shell = Shell(Session(model))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.send(Finish("d", 2))
    shell.settle()
    [found] = analyse(model, [Sentence.of_words(SENTENCE)], level="L3")
    assert [*found.heads] == heads_of(last(shell))
    assert [*found.labels] == [word.label for word in last(shell).words]
    reached(found != model.parse(SENTENCE))


@pytest.mark.parametrize("tags", ["predicted", "gold"])
def test_no_sentence_gets_a_worse_tree(make_model: MakeModel, tags: str) -> None:
    tagged = parse_sentences(make_model(), SENTENCES)  # so that there are tags to be told
    gains = [gain for seed in range(6) for gain in gains_of(weighing(make_model, seed, tags=tags), tagged)]
    assert min(gains) >= 0
    assert max(gains) > 0


def gains_of(model: Model, sentences: Sequence[Sentence]) -> Iterator[float]:
    """How much better by arcs and grandparents the trees of L3 are than those of L1."""
    pairs = zip(analyse(model, sentences), analyse(model, sentences, level="L3"), strict=True)
    for sentence, (before, after) in zip(sentences, pairs, strict=True):
        snapshot = snapshot_of(model, before.words, values_of(model, sentence))
        scored = scored_by(model, GRANDPARENTS, snapshot)
        was, now = (score_by_grandparents(scored, np.array(one.heads, np.int32)) for one in (before, after))
        yield now - was


def test_constituents_stay_as_they_are(make_model: MakeModel) -> None:
    model = weighing(make_model, with_spans=True)
    for with_constituents in (False, True):
        before = analyse(model, SENTENCES, with_constituents)
        after = analyse(model, SENTENCES, with_constituents, "L3")
        assert [one.constituents for one in after] == [one.constituents for one in before]
        assert any(one.constituents for one in after) == with_constituents


def test_open_sentences_and_long_ones_are_left_as_they_are(make_model: MakeModel) -> None:
    model = weighing(make_model)
    parse = GrowingParse(model)
    for word in SENTENCE:
        parse.append(word)
    assert reattached(model, parse.snapshot()) == parse.best()
    long = ["dog", "sees", "old"] * (MOST_WORDS // 3 + 1)
    assert analyse(model, [Sentence.of_words(long)], level="L3") == [model.parse(long)]


def test_models_without_this_level_are_refused_with_what_to_do(model: Model, make_model: MakeModel) -> None:
    projective = make_model(kinds=[GRANDPARENTS])
    with pytest.raises(InputError, match="no scores of grandparents: learn them with treewhile train"):
        parse_sentences(model, SENTENCES, "L3")
    with pytest.raises(InputError, match="parses in projective trees: take L1, or --trees mh4"):
        parse_sentences(projective, SENTENCES, "L3")
