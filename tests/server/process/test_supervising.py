"""Several workers as processes of their own, which are killed, and clients that type on meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest
from free_ports import free_port, free_ports
from process_lists import children, command_line, is_alive
from real_servers import SERVE
from waiting import PATIENCE, until

from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.errors import DisconnectedError
from treewhile.server.protocol.close_codes import OVERLOAD

QUICK = OptionChanges(levels=["L0", "L1"])
WORDS = ["the", "old", "dog", "sees", "the", "cat", "and", "barks", "very", "loud"]
TYPISTS = 20
STUCK = "sessions go on, and are acknowledged when the store has them"

Crash = Callable[[], Awaitable[None]]


class Machine:
    """Two workers at one port and one folder, as often as they are begun."""

    def __init__(self, model: Path, folder: Path) -> None:
        self.port, self.admin_port = free_port(), free_ports(2)
        self._arguments = ["--model", str(model), "--port", str(self.port), "--workers", "2"]
        self._arguments += ["--sessions", str(folder / "sessions"), "--admin-port", str(self.admin_port)]
        self.process: subprocess.Popen[str] | None = None
        self.out: list[str] = []
        self.log: list[str] = []
        self.url = f"ws://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Begins it, and waits until both workers are ready."""
        self.out, self.log = [], []
        self.process = process = subprocess.Popen(
            [*SERVE, *self._arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for stream, lines in ((process.stdout, self.out), (process.stderr, self.log)):
            threading.Thread(target=read_into, args=(stream, lines), daemon=True).start()
        self.until(lambda: any("ready:" in line for line in self.out))

    def until(self, holds: Callable[[], Any]) -> None:
        assert self.process
        begin = time.monotonic()
        while not holds():
            if time.monotonic() - begin > PATIENCE:
                raise AssertionError(f"{self.out} {self.log}")
            time.sleep(0.02)

    def workers(self) -> list[int]:
        assert self.process
        return sorted(pid for pid in children(self.process.pid) if is_worker(pid))

    def are_ready(self) -> bool:
        """Whether each worker answers, and takes work."""
        numbers: set[int] = set()
        with suppress(OSError):
            return any(len(numbers := numbers | {self.worker_that_is_ready()}) == 2 for _ in range(100))
        return False

    def worker_that_is_ready(self) -> int:
        """The number of one of them; any may be asked, and one that is not says that by an error."""
        address = f"http://127.0.0.1:{self.port}/readyz"
        with urllib.request.urlopen(address, timeout=PATIENCE) as response:
            return int(json.load(response)["worker"])

    def events(self) -> list[str]:
        return [line["event"] for line in self.lines()]

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged."""
        return [json.loads(line) for line in self.log if line.startswith("{")]

    def kill(self) -> None:
        """The supervisor and all it has begun, at once."""
        if self.process and self.process.poll() is None:
            pids = [self.process.pid, *children(self.process.pid)]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            self.process.wait()
            self.until(lambda: not any(is_alive(pid) for pid in pids))


def read_into(stream: IO[str], lines: list[str]) -> None:
    with stream:
        lines.extend(stream)


def is_worker(pid: int) -> bool:
    """Whether it is a worker; what builds kernels is a child of a worker."""
    return "serve" in command_line(pid)


@pytest.fixture(scope="module")
def own_machine(
    model_file: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    made = Machine(model_file(), tmp_path_factory.mktemp("machine"))
    yield made
    made.kill()


@pytest.fixture
def machine(own_machine: Machine) -> Machine:
    """It runs, with two workers; tests share it, since its start takes seconds."""
    if own_machine.process is None or own_machine.process.poll() is not None:
        own_machine.start()
    own_machine.until(lambda: len(own_machine.workers()) == 2 and own_machine.are_ready())
    return own_machine


# --- typists ------------------------------------------------------------------------------------------------


class Typist:
    """Types words one by one, whatever happens, and looks whether any that was acknowledged is lost."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.resumed: list[bool] = []
        self.document: Document | None = None

    @property
    def is_known(self) -> bool:
        """Whether the server has acknowledged any word."""
        return self.document is not None and self.document.answered > 0

    async def type(self, client: Client, document: Document, words: int) -> None:
        for count in range(words):
            await document.append(WORDS[(self.number + count) % len(WORDS)])
            if count % 12 == 11:
                await document.finish()
            await asyncio.sleep(0.05)
            self._look_at(client)

    def _look_at(self, client: Client) -> None:
        if client.connections > 1 + len(self.resumed):
            self.resumed.append(client.welcome.resumed)

    async def run(self, url: str, words: int) -> None:
        async with admitted(url) as client, await client.open("d", words=[], options=QUICK) as document:
            self.document = document
            await self.type(client, document, words)
            await settled(document)
            self._look_at(client)
            assert forms(document) == document.words
            assert len(document.words) == words


@asynccontextmanager
async def admitted(url: str) -> AsyncIterator[Client]:
    """A client, once it is let in: a server that stood still refuses some, as if it had too much to do."""
    async with AsyncExitStack() as stack:
        client = None
        async with asyncio.timeout(PATIENCE):
            while client is None:
                try:
                    client = await stack.enter_async_context(connect(url))
                except DisconnectedError as refused:
                    if refused.code != OVERLOAD.number:
                        raise
                    await asyncio.sleep(0.05)
        yield client


async def settled(document: Document) -> None:
    """All is answered, and every sentence has an analysis."""
    async with asyncio.timeout(PATIENCE):
        while document.answered < document.version or forms(document) != document.words:
            await asyncio.sleep(0.02)


def forms(document: Document) -> list[str]:
    return [word.form for one in document.sentences if one for word in one.words]


async def type_through(machine: Machine, crash: Crash, words: int = 60) -> list[Typist]:
    """Typists at work while something happens."""
    typists = [Typist(number) for number in range(TYPISTS)]
    async with asyncio.timeout(2 * PATIENCE), asyncio.TaskGroup() as group:
        for typist in typists:
            group.create_task(typist.run(machine.url, words))
        await until(lambda: all(typist.is_known for typist in typists))
        await crash()
    return typists


# --- what happens -------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_worker_that_is_killed_costs_no_acknowledged_word(machine: Machine) -> None:
    victim = machine.workers()[0]

    async def crash() -> None:
        os.kill(victim, signal.SIGKILL)

    typists = await type_through(machine, crash)
    assert victim not in machine.workers()
    await asyncio.to_thread(machine.until, lambda: "worker died" in machine.events())
    resumed = [one for typist in typists for one in typist.resumed]
    assert resumed
    assert all(resumed)


@pytest.mark.slow
async def test_a_worker_that_dies_again_and_again_waits_and_the_other_one_serves(machine: Machine) -> None:
    healthy = machine.workers()[1]
    died = machine.events().count("worker died")
    for _ in range(3):
        workers = machine.workers()
        assert healthy in workers, (workers, machine.log)
        assert len(workers) == 2, (workers, machine.log)
        [victim] = {*workers} - {healthy}
        os.kill(victim, signal.SIGKILL)
        machine.until(lambda: len({*machine.workers()} - {victim}) == 2)  # noqa: B023
    machine.until(lambda: machine.events().count("worker died") == died + 3)
    pauses = [line["seconds_to_next"] for line in machine.lines() if line["event"] == "worker died"][died:]
    assert pauses == sorted(pauses)
    assert pauses[-1] > pauses[0]
    async with (
        admitted(machine.url) as client,
        await client.open("d", words=WORDS, options=QUICK) as document,
    ):
        await settled(document)


@pytest.mark.slow
async def test_sighup_loads_models_while_clients_go_on(machine: Machine) -> None:
    async def crash() -> None:
        assert machine.process
        machine.process.send_signal(signal.SIGHUP)

    typists = await type_through(machine, crash, words=30)
    assert not any(typist.resumed for typist in typists)
    await asyncio.to_thread(machine.until, lambda: machine.events().count("loaded anew") == 3)


def test_each_worker_says_whether_it_is_ready_and_who_it_is(machine: Machine) -> None:
    told = set()
    for _ in range(100):
        with urllib.request.urlopen(f"http://127.0.0.1:{machine.port}/readyz", timeout=20) as response:
            answer = json.load(response)
        assert answer["ready"] is True
        told.add(answer["worker"])
        if len(told) == 2:
            break
    assert told == {0, 1}


def test_each_worker_has_its_metrics(machine: Machine) -> None:
    for number in range(2):
        address = f"http://127.0.0.1:{machine.admin_port + number}/metrics"
        with urllib.request.urlopen(address, timeout=20) as response:
            assert "treewhile_sessions" in response.read().decode()


@pytest.mark.slow
async def test_a_disk_that_is_full_for_a_while_delays_acknowledgements_and_costs_nobody_a_session(
    machine: Machine,
) -> None:
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in machine.workers()}

    def limit_to(size: int | None) -> None:
        for pid, (soft, hard) in limits.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft if size is None else size, hard))

    async def crash() -> None:
        limit_to(1000)
        await asyncio.to_thread(machine.until, lambda: STUCK in machine.events())
        limit_to(None)

    try:
        typists = await type_through(machine, crash)
    finally:
        limit_to(None)
    assert not any(typist.resumed for typist in typists)
    await asyncio.to_thread(machine.until, lambda: "the store answers again" in machine.events())


@pytest.mark.slow
async def test_workers_drain_and_end_when_their_supervisor_is_killed_and_a_new_one_resumes(
    machine: Machine,
) -> None:
    assert machine.process
    family = children(machine.process.pid)

    async def crash() -> None:
        assert machine.process
        machine.process.kill()
        machine.process.wait()
        await asyncio.to_thread(machine.until, lambda: not any(is_alive(pid) for pid in family))
        await asyncio.to_thread(machine.until, lambda: machine.events().count("closed") == 2)
        await asyncio.to_thread(machine.start)

    typists = await type_through(machine, crash)
    assert [one for typist in typists for one in typist.resumed] == [True] * TYPISTS


@pytest.mark.slow
async def test_all_processes_may_be_killed_at_once_and_a_new_server_resumes(machine: Machine) -> None:
    async def crash() -> None:
        await asyncio.to_thread(machine.kill)
        await asyncio.to_thread(machine.start)

    typists = await type_through(machine, crash)
    assert [one for typist in typists for one in typist.resumed] == [True] * TYPISTS


async def test_sigterm_says_what_is_owed_and_leaves_nobody(machine: Machine) -> None:
    assert machine.process
    family = children(machine.process.pid)
    async with admitted(machine.url) as client, await client.open("d", words=[], options=QUICK) as document:
        await document.append(*WORDS)
        await settled(document)
        machine.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(machine.process.wait, PATIENCE) == 0
        assert not client.is_connected
    assert not any(is_alive(pid) for pid in family)
    await asyncio.to_thread(machine.until, lambda: machine.events().count("closed") == 2)
    text = " ".join([*machine.out, *machine.log])
    assert not re.search(rf"\b({'|'.join(word for word in WORDS if len(word) > 3)})\b", text)
    with pytest.raises(DisconnectedError, match="nobody answers"):
        async with connect(machine.url):
            pass


@pytest.mark.slow
def test_a_port_in_use_is_one_line(model_file: Callable[..., Path]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [*SERVE, "--workers", "2", "--port", str(port), "--model", str(model_file())]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1
    assert done.stderr.startswith(f"treewhile: cannot listen at 127.0.0.1 port {port} (")
