from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import pytest

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest, SearchResult
from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import AnalysisMessage, Append, Finish, Open
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

SENTENCE = ["the", "old", "dog", "barks", "."]


def said(analyses: Iterator[AnalysisMessage]) -> list[tuple[int, str]]:
    return [(len(analysis.words), analysis.stage) for analysis in analyses]


# --- by hand ----------------------------------------------------------------------------------------------


def test_words_are_answered_one_by_one_and_the_sentence_at_the_end(model: Model) -> None:
    analyses = [*Session(model).run(SENTENCE, time_limit=None)]
    stages = [(t, stage) for t in range(1, 6) for stage in ("initial", "settled")]
    assert said(iter(analyses)) == [*stages, (5, "initial"), (5, "final")]
    assert [word.head for word in analyses[-1].words] == [*model.parse(SENTENCE).heads]


def test_a_text_is_answered_as_if_it_were_typed(model: Model) -> None:
    analyses = [*Session(model).run("the old dog\n\nbarks.", time_limit=None)]
    ends = {analysis.sentence: analysis for analysis in analyses}
    assert [ends[place].stage for place in (0, 1)] == ["final", "final"]
    assert [word.form for word in ends[1].words] == ["barks", "."]


def test_words_may_come_from_anywhere_and_the_rest_need_not_be_heard(model: Model) -> None:
    taken = []

    def words() -> Iterator[str]:
        for word in SENTENCE:
            taken.append(word)
            yield word

    session = Session(model)
    analyses = session.run(words(), time_limit=None)
    assert len(next(analyses).words) == 1
    analyses.close()
    assert taken == ["the"]
    assert [*session.run(SENTENCE, time_limit=None)][-1].stage == "final"


def test_the_clock_is_the_callers(model: Model) -> None:
    times = iter(range(1000))
    analyses = [*Session(model).run(SENTENCE, time_limit=0.5, clock=lambda: float(next(times)))]
    assert all(analysis.cut_short for analysis in analyses)
    assert analyses[-1].stage == "final"


def test_what_is_no_word_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="word 1 is ' '"):
        [*Session(model).run(["the", " "])]


class Tireless:
    """Searches until it is interrupted."""

    def search(self, request: SearchRequest, interrupt: Interrupt) -> SearchResult:
        assert request.previous
        while not interrupt.is_set:
            pass
        return SearchResult(request.previous, 0.0, is_settled=False)


def test_a_search_without_end_is_stopped_when_its_time_is_up(model: Model) -> None:
    analyses = [*Session(model, Tireless()).run(SENTENCE, time_limit=0.05)]
    last = {len(analysis.words): analysis for analysis in analyses}
    assert [last[t].cut_short for t in range(1, 6)] == [True] * 5
    assert last[5].stage == "final"


# --- from threads and from asyncio ------------------------------------------------------------------------


def drive_by_threads(model: Model, words: list[str]) -> AnalysisMessage:
    """One thread owns the session; others run jobs and put what they give into a queue."""
    session, done = Session(model), SimpleQueue[tuple[Job, object]]()
    in_flight: set[Job] = set()

    def finished(job: Job) -> Callable[[Future[object]], None]:
        return lambda future: done.put((job, future.exception() or future.result()))

    def hand_out(pool: ThreadPoolExecutor) -> None:
        for job in session.jobs_to_run():
            in_flight.add(job)
            pool.submit(job.run).add_done_callback(finished(job))

    events: list[object] = [Append("d", version, [word]) for version, word in enumerate(words, 1)]
    with ThreadPoolExecutor(3) as pool:
        for event in [Open("d", 0, words=[]), *events, Finish("d", len(words) + 1)]:
            session.receive(event)
            hand_out(pool)
        while in_flight:
            job, result = done.get(timeout=30)
            in_flight.remove(job)
            session.job_done(job, result)
            hand_out(pool)
    analysis = session.messages_to_send()[-1]
    assert isinstance(analysis, AnalysisMessage)
    return analysis


def test_jobs_run_in_threads(model: Model) -> None:
    words = SENTENCE * 8
    for _ in range(5):
        analysis = drive_by_threads(model, words)
        assert (analysis.stage, analysis.answers) == ("final", [*range(len(words) + 2)])
        assert [word.head for word in analysis.words] == [*model.parse(words).heads]


async def drive_by_asyncio(model: Model, words: list[str]) -> AnalysisMessage:
    """The shell of a server in small: events as they come, jobs in an executor, messages to a client."""
    session, loop = Session(model), asyncio.get_running_loop()
    shown: dict[int, AnalysisMessage] = {}
    pending: set[asyncio.Task[None]] = set()

    async def work(job: Job) -> None:
        try:
            result: object = await loop.run_in_executor(None, job.run)
        except Exception as error:
            result = error
        session.tick(loop.time())
        session.job_done(job, result)
        go_on()

    def go_on() -> None:
        for message in session.messages_to_send():
            if isinstance(message, AnalysisMessage):
                shown[0] = message
        for job in session.jobs_to_run():
            task = loop.create_task(work(job))
            pending.add(task)
            task.add_done_callback(pending.discard)

    session.receive(Open("d", 0, words=[]))
    for version, word in enumerate(words, 1):
        session.tick(loop.time())
        session.receive(Append("d", version, [word]))
        go_on()
        await asyncio.sleep(0.002)
    session.receive(Finish("d", len(words) + 1))
    go_on()
    while pending:
        await asyncio.wait(pending)
    session.receive({"type": "ask_analyses", "document": "d"})
    go_on()
    return shown[0]


def test_a_session_runs_under_asyncio(model: Model) -> None:
    words = SENTENCE * 4
    analysis = asyncio.run(drive_by_asyncio(model, words))
    assert analysis.stage == "final"
    assert [word.head for word in analysis.words] == [*model.parse(words).heads]
