from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from cases import each_seed
from growing_parses import grown
from reach import Reached
from shells import SEEDS, SENTENCE, Draw, MakeModel, Shell, last, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Options,
    Revoke,
)
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.sessions.standing_trees import carried_constituents
from treewhile.oracles.constituents.phrase_trees import Constituent

BOTH = ["analyses", "constituents"]


@pytest.fixture
def phrasing(make_model: MakeModel) -> Model:
    return make_model(with_spans=True)


def constituents_of(model: Model, words: Sequence[str], is_open: bool) -> list[Constituent]:
    """Those of the best parse."""
    parse = grown(model, words, not is_open)
    found = model.rescore(parse.snapshot()._replace(with_constituents=True)).constituents
    assert found is not None
    return [*found]


def test_those_who_do_not_ask_are_told_none(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE)
    shell.settle()
    assert [one.constituents for one in shell.client.analyses] == [None] * len(shell.client.analyses)


def test_a_model_that_knows_of_none_tells_none(model: Model) -> None:
    shell = opened(model, SENTENCE, streams=BOTH)
    shell.settle()
    assert last(shell).stage == "settled"
    assert last(shell).constituents is None
    assert shell.client.errors == []


@pytest.mark.parametrize("streams", [BOTH, ["constituents"]])
def test_settled_ones_are_those_of_the_best_parse(phrasing: Model, streams: list[str]) -> None:
    shell = opened(phrasing, SENTENCE[:3], streams=streams)
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE[:3], is_open=True)
    shell.send(Append("d", 2, SENTENCE[3:]), Finish("d", 3))
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE, is_open=False)
    assert last(shell).stage == "final"


def test_the_first_analysis_of_a_word_has_those_that_stood(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE[:2], streams=BOTH)
    assert shell.run_one().level == "L0"
    assert (last(shell).stage, last(shell).constituents) == ("initial", None)
    shell.settle()
    before = last(shell).constituents
    shell.send(Append("d", 2, SENTENCE[2:3]))
    assert shell.run_one().level == "L0"
    assert last(shell).stage == "initial"
    assert last(shell).constituents == [*carried_constituents(tuple(before or ()), [0, 1, None], 2, False)]


def test_without_the_best_parse_nothing_is_known_of_them(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE, streams=BOTH, levels=["L0"])
    shell.settle()
    assert (last(shell).stage, last(shell).constituents) == ("settled", None)


def test_they_can_be_asked_for_and_declined_at_any_time(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE[:3])
    shell.settle()
    for streams, known in [(BOTH, constituents_of(phrasing, SENTENCE[:3], True)), (["analyses"], None)] * 2:
        shell.send(Options("d", OptionChanges(streams=streams)))
        shell.settle()
        assert last(shell).constituents == (None if known is None else [*known])
        assert last(shell).stage == "settled"


def test_those_of_sentences_that_are_final_can_be_asked_for(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE)
    shell.send(Finish("d", 2), Append("d", 3, SENTENCE[1:3]))
    shell.settle()
    before = shell.state("d")
    assert last(shell).stage == "final"
    shell.send(Options("d", OptionChanges(streams=BOTH)))
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE, is_open=False)
    assert last(shell, 1).constituents == constituents_of(phrasing, SENTENCE[1:3], is_open=True)
    without = [{**told, "constituents": None} for told in shell.state("d")]
    assert without == before, "all else is as it was"


def test_a_sentence_may_be_gone_before_it_is_attached_anew(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE)
    shell.send(Finish("d", 2), Append("d", 3, SENTENCE[1:3]))
    shell.settle()
    shell.send(Options("d", OptionChanges(streams=BOTH)), Revoke("d", 4, 5))
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE[:2], is_open=True)
    assert len(shell.client.sentences) == 1


def test_what_was_being_done_when_they_were_asked_for_does_not_count(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE[:3])
    shell.run_one()
    job, result = shell.run_without_telling()
    assert job.level == "L1"
    shell.send(Options("d", OptionChanges(streams=BOTH)))
    shell.session.job_done(job, result)
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE[:3], is_open=True)


def test_time_counts_anew_from_where_they_are_asked_for(phrasing: Model) -> None:
    shell = opened(phrasing, SENTENCE[:3], time_limit=1.0)
    shell.settle()
    shell.session.tick(100.0)
    shell.send(Options("d", OptionChanges(streams=BOTH)))
    shell.session.tick(100.5)
    shell.settle()
    assert last(shell).constituents == constituents_of(phrasing, SENTENCE[:3], is_open=True)
    assert not last(shell).cut_short


def test_a_letter_within_a_word_leaves_them_as_they_are(phrasing: Model) -> None:
    shell = Shell(Session(phrasing))
    shell.send(Open("d", 0, text="The old dog barks at", options=OptionChanges(streams=BOTH)))
    shell.pause()
    before = last(shell).constituents
    shell.send(Edit("d", 1, 11, 11, "s"))
    shell.settle()
    assert (last(shell).stage, last(shell).constituents) == ("initial", before)
    shell.pause()
    words = [word.form for word in last(shell).words]
    assert words[2] == "dogs"
    assert last(shell).constituents == constituents_of(phrasing, words, is_open=True)


@pytest.mark.reaches(0.9)
@each_seed(SEEDS)
def test_any_edits_end_as_starting_afresh(
    seed: int, make_model: MakeModel, random_words: Draw, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed, with_spans=True)
    shell, words = Shell(Session(model), source), list[str]()
    shell.send(Open("d", 0, words=[], options=OptionChanges(streams=BOTH)))
    for version in range(1, 30):
        if source.random() < 0.7:
            new = [*random_words(source, source.randint(0, 3))]
            shell.send(Append("d", version, new))
            words += new
        else:
            count = source.randint(0, min(4, len(words)))
            shell.send(Revoke("d", version, count))
            del words[len(words) - count :]
        for _ in range(source.randint(0, 4)):
            if shell.jobs:
                shell.run_one()
        if source.random() < 0.1:
            shell.send(Options("d", OptionChanges(streams=["analyses"])))
            shell.send(Options("d", OptionChanges(streams=BOTH)))
    fresh = Shell(Session(model))
    fresh.send(Open("d", 0, words=words, options=OptionChanges(streams=BOTH)))
    assert shell.state("d") == fresh.state("d"), (seed, words)
    reached(shell.client.deltas)


@pytest.mark.reaches(0.5)
@each_seed(SEEDS)
def test_what_ends_within_stable_words_stands(
    seed: int, make_model: MakeModel, random_words: Draw, monkeypatch: pytest.MonkeyPatch, reached: Reached
) -> None:
    monkeypatch.setattr("treewhile.incremental.sessions.standing.confidence_at", lambda stability: 0.0)
    source, model = random.Random(seed), make_model(seed=seed, with_spans=True)
    shell = opened(model, streams=BOTH, stability=1, keep_promises=True)
    for version in range(2, 25):
        shell.send(Append("d", version, [*random_words(source, 1)]))
        if source.random() < 0.8:
            shell.settle()
    shell.send(Finish("d", 25))
    shell.settle()
    promised = [promised_of(analysis) for analysis in shell.client.analyses]
    for before, after in zip(promised, shell.client.analyses[1:], strict=False):
        assert not {*before} - {*(after.constituents or ())}
    reached(any(promised))


def promised_of(analysis: AnalysisMessage) -> list[object]:
    constituents = analysis.constituents or ()
    return [one for one in constituents if one.last is not None and one.last <= analysis.stable_upto]


def test_a_sentence_that_is_stepped_through_has_them(phrasing: Model) -> None:
    *_, final = Session(phrasing).run(SENTENCE, time_limit=None, with_constituents=True)
    assert final.constituents == constituents_of(phrasing, SENTENCE, is_open=False)
    *_, final = Session(phrasing).run(SENTENCE, time_limit=None)
    assert final.constituents is None
