from __future__ import annotations

from typing import Any

import pytest
from searchers import Breaking, Failing, Late, Patient, Proving, Relabelling
from shells import SENTENCE, MakeModel, Shell, last, opened, result_of

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Rescore
from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    Open,
    OptionChanges,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt


def test_a_search_is_called_until_it_is_settled(make_model: MakeModel) -> None:
    searcher = Relabelling()
    shell = Shell(Session(make_model(seed=2), searcher))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    stages = [analysis.stage for analysis in shell.client.analyses]
    assert stages == ["initial", *["improved"] * len(searcher.requests), "settled"]
    assert {word.label for word in last(shell).words} <= {"punct", "root"}
    assert last(shell).levels == ["L0", "L1", "L2"]
    assert last(shell).conflicts[0].constraint == "odd"
    scores = [analysis.score for analysis in shell.client.analyses if "L2" in analysis.levels]
    assert scores == sorted(scores, key=float)
    request = searcher.requests[0]
    assert request.words == tuple(SENTENCE)
    assert request.rescored.analysis.heads == request.previous.heads if request.previous else False


def test_it_is_told_that_no_tree_is_better_until_a_word_comes(model: Model) -> None:
    shell = Shell(Session(model, Proving()))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    assert [analysis.proven for analysis in shell.client.analyses] == [False, False, True]
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    assert [analysis.proven for analysis in shell.client.analyses[3:]] == [False, False, True]


def test_a_search_that_raises_leaves_what_was_known(model: Model) -> None:
    shell = Shell(Session(model, Failing()))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])
    (error,) = shell.client.errors
    assert (error.code, error.temporary) == ("failed", True)
    assert "RuntimeError: no luck" in error.message
    shell.send(Append("d", 2, ["barks"]))
    shell.settle()
    assert len(last(shell).words) == 6


def test_a_search_that_gives_something_else_is_refused(model: Model) -> None:
    shell = Shell(Session(model, Breaking()))
    shell.send(Open("d", 1, words=SENTENCE))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["failed"]
    assert [word.form for word in last(shell).words] == SENTENCE


def test_a_new_word_interrupts_a_search_and_a_late_one_is_waited_for(model: Model) -> None:
    shell = Shell(Session(model, Patient()))
    shell.send(Open("d", 1, words=["dog"]))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    (late,) = shell.jobs
    shell.jobs.clear()
    shell.send(Append("d", 2, ["barks"]))
    assert late.interrupt.is_set
    shell.settle()
    assert (last(shell).stage, len(last(shell).words)) == ("improved", 2), "the late search has not come back"
    shell.session.job_done(late, result_of(late))
    (search,) = shell.session.jobs_to_run()
    assert (search.level, search.version) == ("L2", 2)


def test_an_interrupt_before_anything_was_computed_gives_what_is_known(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=SENTENCE))
    (attach,) = session.jobs_to_run()
    attach.interrupt.set()
    session.job_done(attach, attach.run())
    jobs = session.jobs_to_run()
    while jobs[0].level == "L0":
        session.job_done(jobs[0], jobs[0].run())
        jobs = session.jobs_to_run()
    (rescore,) = jobs
    assert isinstance(rescore, Rescore)
    interrupt = Interrupt()
    interrupt.set()
    assert rescore.run(interrupt) is None
    session.job_done(rescore, None)
    (again,) = session.jobs_to_run()
    session.job_done(again, again.run())
    assert len(session.messages_to_send()) == 2


def test_work_that_fails_on_the_words_loses_the_document_alone(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.send(Open("other", 1, words=["dog"]))
    job = shell.jobs.pop(0)
    shell.session.job_done(job, RuntimeError("out of memory"))
    shell.settle()
    assert [error.code for error in shell.client.errors] == ["lost"]
    assert shell.client.is_closed
    shell.send(Append("other", 2, ["barks"]))
    shell.settle()
    assert len(last(shell).words) == 2


def test_stale_results_are_dropped(model: Model) -> None:
    shell = opened(model, ["dog"])
    shell.run_one()
    (rescore,) = shell.jobs
    shell.jobs.clear()
    result = rescore.run()
    shell.send(Append("d", 2, ["barks"]))
    shell.run_one()
    shell.session.job_done(rescore, result)
    shell.settle()
    assert all(len(analysis.words) == 2 for analysis in shell.client.analyses[1:])


def test_a_job_is_handed_in_once(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 1, words=["dog"]))
    (job,) = session.jobs_to_run()
    result = job.run()
    session.job_done(job, result)
    with pytest.raises(InputError, match="hand in each one once"):
        session.job_done(job, result)


def searching(model: Model) -> tuple[Shell, Any]:
    """A shell whose search is being done while the time runs out, and its job."""
    shell = Shell(Session(model, Patient()))
    shell.send(Open("d", 1, words=SENTENCE, options=OptionChanges(time_limit=0.5)))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    (job,) = shell.jobs
    shell.jobs.clear()
    shell.session.tick(10)
    assert job.interrupt.is_set
    assert shell.session.messages_to_send() == [], "it may still give what it has"
    assert not last(shell).cut_short
    return shell, job


def test_what_a_search_has_when_time_runs_out_counts(model: Model) -> None:
    shell, job = searching(model)
    shell.session.job_done(job, result_of(job))
    shell.send(AskAnalyses("d"))
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1", "L2"], True)
    assert shell.session.jobs_to_run() == []
    assert shell.session.wake_at is None


def test_a_search_that_found_nothing_until_time_ran_out_is_told(model: Model) -> None:
    shell, job = searching(model)
    shell.session.job_done(job, None)
    for message in shell.session.messages_to_send():
        shell.client.read(message)
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1"], True)


def test_a_search_that_does_not_stop_is_not_waited_for(model: Model) -> None:
    shell, job = searching(model)
    assert shell.session.wake_at
    shell.session.tick(shell.session.wake_at)
    shell.send(AskAnalyses("d"))
    assert (last(shell).levels, last(shell).cut_short) == (["L0", "L1"], True)
    shell.session.job_done(job, result_of(job))
    shell.send(AskAnalyses("d"))
    assert last(shell).levels == ["L0", "L1"]


def test_a_search_that_settles_though_its_time_is_up_is_not_cut_short(model: Model) -> None:
    shell = Shell(Session(model, Late()))
    shell.send(Open("d", 1, words=SENTENCE, options=OptionChanges(time_limit=0.5)))
    while shell.jobs[0].level != "L2":
        shell.run_one()
    shell.session.tick(10)
    shell.settle()
    assert (last(shell).stage, last(shell).cut_short) == ("settled", False)
