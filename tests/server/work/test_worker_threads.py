"""Real threads and small jobs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Rescored
from treewhile.incremental.sessions.jobs import Job, Rescore
from treewhile.incremental.sessions.ranks import Rank
from treewhile.oracles.interrupts import Interrupt
from treewhile.server.work.scheduling import GIVE_WAY
from treewhile.server.work.worker_threads import WorkerThreads

ATTACH, L2 = Rank.ATTACH, Rank.L2


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
        async with asyncio.timeout(20):
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


async def test_results_and_exceptions_come_back_on_the_loop() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    client = Client()
    threads.add(client, [Task(ATTACH, lambda interrupt: threading.current_thread().name), Task(ATTACH, fail)])
    results = await client.has(2)
    names = [result for result in results if isinstance(result, str)]
    assert len(names) == 1
    assert names[0].startswith("jobs")
    assert client.threads == {threading.main_thread().name}
    assert [str(result) for result in results if isinstance(result, ValueError)] == ["it went wrong"]
    threads.end()
    threads.join(20)


async def test_each_client_has_its_own_result_of_a_batch(model: Model) -> None:
    threads: WorkerThreads[Client] = WorkerThreads(1)
    clients = [Client() for _ in range(4)]
    held = threading.Event()
    threads.add(Client(), [Task(ATTACH, lambda interrupt: held.wait(20))])
    words = ["the", "old", "dog", "barks"]
    for number, client in enumerate(clients, 1):
        parse = GrowingParse(model)
        for word in words[:number]:
            parse.append(word)
        job = Rescore("document", 1, 0, None, model, parse.snapshot(), NO_PREFERENCE)
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
    threads.add(Client(), [Task(ATTACH, lambda interrupt: held.wait(20))])
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


@pytest.mark.parametrize("count", [1, 2, 3])
async def test_refinements_that_gave_way_go_on_once_nobody_waits(count: int) -> None:
    threads: WorkerThreads[Client] = WorkerThreads(count)
    client, begun, held = Client(), threading.Semaphore(0), threading.Event()

    def hold(interrupt: Interrupt) -> None:
        begun.release()
        held.wait(20)

    for _ in range(count):
        threads.add(Client(), [Task(ATTACH, hold)])
        assert await asyncio.to_thread(begun.acquire, timeout=20)
    waiting = [Task(ATTACH, lambda interrupt: "first") for _ in range(20)]
    threads.add(client, [*waiting, *(Task(L2, lambda interrupt: "better") for _ in range(count))])
    async with asyncio.timeout(20):
        while threads.waited() < 10 * GIVE_WAY:
            await asyncio.sleep(0.001)
    held.set()
    results = await client.has(20)
    assert results[:20] == ["first"] * 20
    assert (await client.has(20 + count))[20:] == ["better"] * count
    assert threads.waited() <= GIVE_WAY
    threads.end()
    threads.join(20)


@pytest.mark.parametrize("count", [1, 2, 3])
async def test_first_analyses_are_done_while_searches_want_all_threads(count: int) -> None:
    threads: WorkerThreads[Client] = WorkerThreads(count)
    searcher, typist = Client(), Client()
    threads.add(searcher, [Task(L2, search) for _ in range(count)])
    await asyncio.sleep(0.02)
    threads.add(typist, [Task(ATTACH, lambda interrupt: "first")])
    assert await typist.has(1) == ["first"]
    threads.drop(searcher)
    threads.end()
    threads.join(20)


async def test_a_first_analysis_that_takes_long_keeps_nobody_waiting() -> None:
    threads: WorkerThreads[Client] = WorkerThreads(2)
    paster, typist, held = Client(), Client(), threading.Event()
    threads.add(paster, [Task(ATTACH, lambda interrupt: held.wait(20))])
    await asyncio.sleep(0.02)
    threads.add(typist, [Task(ATTACH, lambda interrupt: "first")])
    assert await typist.has(1) == ["first"]
    assert paster.results == []
    held.set()
    assert await paster.has(1) == [True]
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
    threads: WorkerThreads[Client] = WorkerThreads(1)
    client, wakings, wake = Client(), 0, loop.call_soon_threadsafe

    def count(*what: Any) -> asyncio.Handle:
        nonlocal wakings
        wakings += 1
        return wake(*what)

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    done = threading.Event()
    threads.add(client, [Task(ATTACH, lambda _: None) for _ in range(5)])
    threads.add(client, [Task(ATTACH, lambda _: done.set())])
    await asyncio.sleep(0)
    assert done.wait(20)  # the loop is busy meanwhile
    assert (wakings, client.results) == (1, [])
    assert len(await client.has(6)) == 6
    threads.end()
