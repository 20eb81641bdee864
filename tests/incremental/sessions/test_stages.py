from __future__ import annotations

from shells import SENTENCE, MakeModel, Shell, heads_of, last, opened

from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    Append,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Options,
    Revoke,
)
from treewhile.incremental.sessions.open_sentences import LONGEST_RESCORED
from treewhile.incremental.sessions.session import Session


def test_the_stages_of_a_word_come_in_their_order(model: Model) -> None:
    shell = opened(model, ["dog"])
    shell.settle()
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    shell.send(Finish("d", 3))
    shell.settle()
    assert [analysis.stage for analysis in shell.client.analyses] == [
        *("initial", "settled"),
        *("initial", "settled"),
        *("initial", "final"),
    ]
    assert shell.client.deltas > 0


def test_a_sentence_is_final_once_the_next_one_has_come(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="the dog barks"))
    shell.settle()
    assert last(shell).stage == "settled"
    shell.send(Edit("d", 1, 13, 13, "\n\nthe old cat sees the dog"))
    shell.settle()
    assert [last(shell, place).stage for place in (0, 1)] == ["final", "settled"]
    assert [last(shell, place).stable_upto for place in (0, 1)] == [3, 0]


def test_words_that_change_in_capitals_alone_hang_where_they_did_at_first(english: Model) -> None:
    for text in ("what is the weather like in the old town", "turn on the light", "give her the red car"):
        shell = Shell(Session(english))
        shell.send(Open("d", 0, text=text))
        shell.pause()
        before = heads_of(last(shell))
        shell.send(Edit("d", 1, 0, len(text), f"{text.capitalize()}."))
        while last(shell).version != 1:
            shell.run_one()
        assert (last(shell).levels, last(shell).words[0].form) == (["L0"], text.split()[0].capitalize())
        assert heads_of(last(shell))[:-1] == before


def test_predictions_are_shown_as_they_are_asked_for(make_model: MakeModel) -> None:
    shell = opened(make_model(seed=3), SENTENCE * 2)
    shell.settle()
    virtual = last(shell)
    to_come = [isinstance(head, str) or head < 0 for head in heads_of(virtual)]
    assert any(isinstance(head, int) and head < 0 for head in heads_of(virtual))
    assert {node.node for node in virtual.virtual} >= {
        -head for head in heads_of(virtual) if head != LATER and head < 0
    }
    for prediction, shown in (("later", LATER), ("none", None)):
        shell.send(Options("d", OptionChanges(prediction=prediction)))
        heads = heads_of(last(shell))
        assert (last(shell).virtual, [head == shown for head in heads]) == ([], to_come)
        kept = [head for head, comes in zip(heads_of(virtual), to_come, strict=True) if not comes]
        assert [head for head in heads if head != shown] == kept


def test_the_committed_parse_alone_is_one_level(model: Model) -> None:
    shell = opened(model, SENTENCE, levels=["L0"])
    shell.settle()
    assert [(analysis.stage, analysis.levels) for analysis in shell.client.analyses] == [("settled", ["L0"])]
    shell.send(Options("d", OptionChanges(levels=["L0", "L1"])))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])


def test_a_sentence_too_long_for_the_best_parse_is_committed_alone(model: Model) -> None:
    shell = opened(model, ["dog"] * (LONGEST_RESCORED + 1))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0"])
    shell.send(Revoke("d", 2, 1))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])


def test_time_that_runs_out_cuts_work_short(model: Model) -> None:
    shell = opened(model, time_limit=0.5)
    shell.session.tick(10)
    shell.send(Append("d", 2, ["dog"]))
    while shell.jobs[0].level == "L0":
        shell.run_one()
    assert shell.session.wake_at == 10.5
    shell.session.tick(10.4)
    assert not last(shell).cut_short
    shell.session.tick(10.6)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short, last(shell).seconds) == ("initial", True, 0.6)
    shell.send(Finish("d", 3))
    shell.session.tick(20)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short) == ("final", True)
    assert shell.session.wake_at is None


def test_what_comes_together_is_said_once(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=SENTENCE))
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    messages = session.messages_to_send()
    assert [type(message).__name__ for message in messages] == ["SentencesMessage", "AnalysisMessage"]
    assert session.messages_to_send() == []


def test_jobs_tell_their_time_if_there_is_a_clock(model: Model) -> None:
    ticks = iter(range(100))
    session = Session(model, clock=lambda: float(next(ticks)))
    session.receive(Open("d", 1, words=SENTENCE))
    (job,) = session.jobs_to_run()
    job.run()
    assert job.seconds == 1
