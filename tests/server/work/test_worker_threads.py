"""Real threads and small jobs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from cases import each
from growing_parses import grown
from waiting import PATIENCE as FOR_EVER

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Rescored
from treewhile.incremental.sessions.jobs import Job, Rank, Rescore
from treewhile.oracles.interrupts import Interrupt
from treewhile.server.work import worker_threads
from treewhile.server.work.scheduling import PATIENCE
from treewhile.server.work.worker_threads import IN_A_TURN, WorkerThreads

ATTACH, STEPS, PASTED, L1, L2 = Rank


class Task(Job):
    def __init__(self, rank: Rank, does: Callable[[Interrupt], object]) -> None:
        super().__init__("document", 0, None, None)
        self.rank, self.does = rank, does

    def _work(self, interrupt: Interrupt) -> object:
        return self.does(interrupt)


class Client:
    """Keeps what comes back."""

    def __init__(self) -> None:
        self.results: list[object] = []
        self.threads: set[str] = set()

    def job_done(self, job: Job, result: object) -> None:
        self.results.append(result)
        self.threads.add(threading.current_thread().name)

    async def has(self, count: int) -> list[object]:
        async with asyncio.timeout(FOR_EVER):
            while len(self.results) < count:
                await asyncio.sleep(0.001)
        return self.results


def search(interrupt: Interrupt) -> str:
    """Goes on until it is stopped."""
    start = time.monotonic()
    while not interrupt.is_set and time.monotonic() - start < 20:
        time.sleep(0.0005)
    return "stopped"


def fail(interrupt: Interrupt) -> object:
    raise ValueError("it went wrong")


async def test_results_and_exceptions_come_back_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_threads, "IN_A_TURN", FOR_EVER)  # a machine may stand still between two jobs
    threads: WorkerThreads[Client] = WorkerThreads(2)
    client = Client()
    tell = lambda interrupt: threading.current_thread().name  # noqa: E731
    threads.add(client, [*(Task(rank, tell) for rank in Rank), Task(ATTACH, fail), Task(PASTED, fail)])
    results = await client.has(len(Rank) + 2)
    here = threading.main_thread().name
    names = Counter(result for result in results if isinstance(result, str))
    assert names == {here: 2, "jobs 1": 1, "jobs 2": 2}
    assert client.threads == {here}
    assert [str(result) for result in results if isinstance(result, ValueError)] == 2 * ["it went wrong"]
    threads.end()
    threads.join(20)


async def test_each_client_has_its_own_result_of_a_batch(model: Model) -> None:
    threads: WorkerThreads[Client] = WorkerThreads(1)
    clients = [Client() for _ in range(4)]
    held = threading.Event()
    threads.add(Client(), [Task(STEPS, lambda interrupt: held.wait(20))])
    words = ["the", "old", "dog", "barks"]
    for number, client in enumerate(clients, 1):
        snapshot = grown(model, words[:number]).snapshot()
        job = Rescore("document", 1, 0, None, model, snapshot, NO_PREFERENCE)
        if number == 2:
            job.interrupt.set()
        threads.add(client, [job])
    held.set()
    results = [(await client.has(1))[0] for client in clients]
    assert results[1] is None
    for number in (1, 3, 4):
        found = results[number - 1]
        assert isinstance(found, Rescored)
        assert found.analysis.words == tuple(words[:number])
    threads.end()
    threads.join(20)


async def test_what_a_newer_job_supersedes_gives_none() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(1)
    client, held = Client(), threading.Event()
    threads.add(Client(), [Task(STEPS, lambda interrupt: held.wait(20))])
    old, new = Task(L2, lambda interrupt: "old"), Task(L2, lambda interrupt: "new")
    threads.add(client, [old])
    await asyncio.sleep(0)
    old.interrupt.set()
    threads.add(client, [new])
    assert await client.has(1) == [None]
    held.set()
    assert await client.has(2) == [None, "new"]
    threads.end()
    threads.join(20)


async def test_an_owner_who_goes_before_jobs_are_handed_over_is_owed_nothing() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(1)
    client, other = Client(), Client()
    for one in (client, other):
        threads.add(one, [Task(ATTACH, lambda interrupt: "done")])
        assert threads.owes(one)
    threads.drop(client)
    assert not threads.owes(client)
    assert await other.has(1) == ["done"]
    assert client.results == []
    threads.end()
    threads.join(20)


async def test_searches_that_had_to_wait_go_on_once_nobody_waits_for_first_analyses() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    client = Client()
    threads.add(client, [Task(ATTACH, lambda interrupt: time.sleep(4 * PATIENCE)) for _ in range(20)])
    await client.has(5)
    assert threads.waited() > PATIENCE
    threads.add(client, [Task(L2, lambda interrupt: "better")])
    assert (await client.has(20))[:20] == [None] * 20, "a search is for idle times"
    assert (await client.has(21))[20:] == ["better"]
    assert threads.waited() <= PATIENCE
    threads.end()
    threads.join(20)


async def test_first_analyses_leave_the_loop_time_for_others() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    client, seen = Client(), list[int]()

    async def look() -> None:
        while len(client.results) < 20:
            seen.append(len(client.results))
            await asyncio.sleep(0)

    threads.add(client, [Task(ATTACH, lambda interrupt: time.sleep(2 * IN_A_TURN)) for _ in range(20)])
    await look()
    assert len(set(seen)) == 20, "one takes all the time that there is in a turn"
    threads.end()
    threads.join(20)


async def test_what_comes_of_a_first_analysis_is_attached_before_the_loop_ends_its_turn() -> None:
    class Chatty(Client):
        def job_done(self, job: Job, result: object) -> None:
            super().job_done(job, result)
            if len(self.results) < 5:
                threads.add(self, [Task(ATTACH, lambda interrupt: None)])

    threads: WorkerThreads[Client] = WorkerThreads(1)
    client = Chatty()
    threads.add(client, [Task(ATTACH, lambda interrupt: None)])
    assert threads.owes(client)
    assert await client.has(5) == [None] * 5
    assert not threads.owes(client)
    threads.end()
    threads.join(20)


async def test_nothing_is_attached_after_the_end() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    client = Client()
    threads.add(client, [Task(ATTACH, lambda interrupt: None)])
    threads.end()
    await asyncio.sleep(0.01)
    assert client.results == []
    threads.join(20)


async def test_the_time_of_refinements_is_counted() -> None:
    def work(interrupt: Interrupt) -> None:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass

    threads: WorkerThreads[Client] = WorkerThreads(2)
    client = Client()
    threads.add(client, [Task(PASTED, work)])
    await client.has(1)
    assert threads.refining() == 0
    threads.add(client, [Task(L1, work)])
    async with asyncio.timeout(FOR_EVER):
        while not threads.refining():
            await asyncio.sleep(0.001)
    threads.end()
    threads.join(20)


@each("count", [1, 2, 3])
@each("rank", [ATTACH, STEPS])
async def test_who_types_is_answered_while_searches_want_all_threads(rank: Rank, count: int) -> None:
    threads: WorkerThreads[Client] = WorkerThreads(count)
    searcher, typist = Client(), Client()
    threads.add(searcher, [Task(L2, search) for _ in range(count)])
    await asyncio.sleep(0.02)
    threads.add(typist, [Task(rank, lambda interrupt: "first")])
    assert await typist.has(1) == ["first"]
    threads.drop(searcher)
    threads.end()
    threads.join(20)


async def test_steps_that_take_long_keep_nobody_waiting() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    teacher, pupil, held = Client(), Client(), threading.Event()
    threads.add(teacher, [Task(STEPS, lambda interrupt: held.wait(20))])
    await asyncio.sleep(0.02)
    threads.add(pupil, [Task(STEPS, lambda interrupt: "next")])
    assert await pupil.has(1) == ["next"]
    assert teacher.results == []
    held.set()
    assert await teacher.has(1) == [True]
    threads.end()
    threads.join(20)


async def test_searches_of_two_sessions_share_a_thread_in_slices() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(1)
    clients = [Client(), Client()]
    for client in clients:
        threads.add(client, [Task(L2, search) for _ in range(3)])
    for client in clients:
        await client.has(2)
    for client in clients:
        threads.drop(client)
    threads.end()
    threads.join(20)
    assert {result for client in clients for result in client.results} == {"stopped"}


async def test_threads_end_with_their_server() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(3)
    threads.end()
    threads.join(20)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jobs")]


async def test_results_that_come_together_wake_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    threads: WorkerThreads[Client] = WorkerThreads(3)
    client, wakings, wake = Client(), 0, loop.call_soon_threadsafe

    def count(*what: Any) -> asyncio.Handle:
        nonlocal wakings
        wakings += 1
        return wake(*what)

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    threads.add(client, [Task(L2, lambda _: None), Task(L2, lambda _: None)])
    await asyncio.sleep(0)
    threads.end()
    threads.join(20)  # the loop is busy meanwhile
    assert (wakings, client.results) == (1, [])
    assert len(await client.has(2)) == 2
