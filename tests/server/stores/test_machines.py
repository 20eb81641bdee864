"""Servers as processes of their own that share a store, killed and stopped while people type."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from real_servers import RealServer
from store_servers import PLACES, Store, StoreServer, folder_store, nats
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from treewhile.server.protocol.close_codes import OVERLOAD
from treewhile.server.stores.kept_store import STILL_SECONDS

PATIENCE = 60.0  # seconds; more than an election of NATS takes on a busy machine


Two = Callable[[Store], list[RealServer]]


class Typist:
    """Somebody who types words, one edit each, and knows which were acknowledged."""

    def __init__(self, sockets: AsyncExitStack) -> None:
        self._sockets = sockets
        self.token, self.sent, self.acknowledged, self.analysed = "", 0, 0, 0

    async def begin(self, server: RealServer) -> None:
        await self._join(server)
        await self._say("open", version=0, text="The dog", options={"levels": ["L0"]})

    async def come_back(self, server: RealServer) -> None:
        """To another server, which has all that was acknowledged; what it lacks is sent again."""
        welcome = await self._join(server, resume=self.token)
        assert welcome["resumed"]
        [document] = welcome["documents"]
        assert self.acknowledged <= document["version"] <= self.sent
        for version in range(document["version"] + 1, self.sent + 1):
            await self._edit(version)

    async def type(self, words: int) -> None:
        for _ in range(words):
            self.sent += 1
            await self._edit(self.sent)

    async def until_acknowledged(self) -> None:
        await self._until(lambda: self.acknowledged == self.sent)

    async def until_analysed(self) -> None:
        await self._until(lambda: self.analysed == self.sent)

    async def close_code(self) -> int | None:
        with pytest.raises(ConnectionClosed):
            await self._until(lambda: False)
        return self.socket.close_code

    async def _join(self, server: RealServer, **hello: str) -> dict[str, Any]:
        welcome = await self._greeted(server, hello)
        async with asyncio.timeout(PATIENCE):
            while welcome.get("code") == OVERLOAD.number:  # as where it stood still
                await asyncio.sleep(0.05)
                welcome = await self._greeted(server, hello)
        assert welcome["type"] == "welcome", welcome
        self.token = welcome["session"]
        return welcome

    async def _greeted(self, server: RealServer, hello: dict[str, str]) -> dict[str, Any]:
        """What a server says first on a new socket."""
        address = server.address.replace("http", "ws")
        dialling = connect(address, proxy=None, compression=None, close_timeout=0.1)
        self.socket: ClientConnection = await self._sockets.enter_async_context(dialling)
        await self.socket.send(json.dumps({"type": "hello", **hello}))
        said: dict[str, Any] = json.loads(await self.socket.recv())
        return said

    async def _edit(self, version: int) -> None:
        await self._say("edit", version=version, start=0, end=0, text="old ")

    async def _say(self, type: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": type, "document": "d", **fields}))

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                said = json.loads(await self.socket.recv())
                self.acknowledged = max([self.acknowledged, *said.get("answers", [])])
                if said["type"] in ("analysis", "delta", "typed"):
                    self.analysed = max(self.analysed, said["version"])


Begin = Callable[[RealServer, int], Awaitable[list[Typist]]]


@pytest.fixture
def two(model_file: Callable[..., Path]) -> Iterator[Two]:
    """Starts two servers that share a store."""
    with ExitStack() as running:

        def started(store: Store) -> list[RealServer]:
            options = ("--sessions", store.address, "--no-http")
            return [running.enter_context(RealServer(model_file(), *options)) for _ in range(2)]

        yield started


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Wherever sessions can be kept."""
    place = PLACES[request.param](tmp_path / "place")
    yield place
    place.kill()


@pytest.fixture
async def typists() -> AsyncIterator[Begin]:
    """So many people who have begun to type."""
    async with AsyncExitStack() as sockets:

        async def begun(server: RealServer, number: int) -> list[Typist]:
            found = [Typist(sockets) for _ in range(number)]
            await asyncio.gather(*(typist.begin(server) for typist in found))
            return found

        yield begun


@pytest.mark.slow
async def test_no_acknowledged_word_is_lost_when_a_server_is_killed(
    two: Two, typists: Begin, store: Store
) -> None:
    one, other = two(store)
    people = await typists(one, 20)
    for _ in range(5):
        await asyncio.gather(*(typist.type(3) for typist in people))
        await asyncio.gather(*(typist.until_analysed() for typist in people))
    assert any(typist.acknowledged for typist in people)
    one.kill()
    await asyncio.gather(*(typist.come_back(other) for typist in people))
    await asyncio.gather(*(typist.type(1) for typist in people))
    await asyncio.gather(*(typist.until_acknowledged() for typist in people))


@pytest.mark.slow
async def test_a_server_that_stood_still_says_nothing_of_sessions_it_has_lost(
    two: Two, typists: Begin, place: Store
) -> None:
    one, other = two(place)
    typist, patient = await typists(one, 2)
    for person in (typist, patient):
        await person.type(2)
        await person.until_analysed()
        await person.until_acknowledged()
    stale = copy(typist)
    os.kill(one.process.pid, signal.SIGSTOP)
    stopped = time.monotonic()
    await stale.type(1)
    await patient.type(1)
    await typist.come_back(other)
    await typist.type(3)
    await typist.until_acknowledged()
    await asyncio.sleep(stopped + 1.1 * STILL_SECONDS - time.monotonic())
    os.kill(one.process.pid, signal.SIGCONT)
    assert await stale.close_code() == 4409
    assert (stale.analysed, stale.acknowledged) == (2, 2)
    for person in (typist, patient):
        await person.type(1)
        await person.until_analysed()
        await person.until_acknowledged()


@pytest.mark.slow
async def test_no_acknowledged_word_is_lost_where_the_disk_is_full_for_a_while(
    two: Two, typists: Begin, tmp_path: Path
) -> None:
    one, other = two(folder_store(tmp_path / "sessions"))
    [typist] = await typists(one, 1)
    await typist.type(2)
    await typist.until_acknowledged()
    with full_disk(one):
        await typist.type(3)
        await typist.until_analysed()
        assert typist.acknowledged == 2
        again = copy(typist)
        await again.come_back(one)  # whose memory has all of it
        await again.until_analysed()
        assert again.acknowledged == 2
    await again.type(1)
    await again.until_acknowledged()
    one.kill()
    await again.come_back(other)


@contextmanager
def full_disk(server: RealServer) -> Iterator[None]:
    """A block in which no file of a server can grow."""
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
async def test_clocks_may_differ_by_an_hour(
    two: Two,
    typists: Begin,
    store: Store,
    model_file: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, stack = two(store)[0], ExitStack()
    (tmp_path / "sitecustomize.py").write_text(
        "import time\ntrue = time.time\ntime.time = lambda: true() + 3600\n"
    )
    with monkeypatch.context() as later:
        later.setenv("PYTHONPATH", str(tmp_path))
        ahead = stack.enter_context(RealServer(model_file(), "--sessions", store.address, "--no-http"))
    with stack:
        [typist] = await typists(one, 1)
        for server in (ahead, one, ahead):
            await typist.type(2)
            await typist.until_acknowledged()
            await typist.come_back(server)


@pytest.mark.slow
@pytest.mark.parametrize("signal_to_leader", [signal.SIGKILL, signal.SIGSTOP])
async def test_no_acknowledged_word_is_lost_when_the_leader_of_three_stores_falls_silent(
    two: Two, typists: Begin, tmp_path: Path, signal_to_leader: signal.Signals
) -> None:
    store = nats(tmp_path / "store", servers=3, sync_interval="always")
    try:
        one, other = two(store)
        people = await typists(one, 5)
        await asyncio.gather(*(typist.type(2) for typist in people))
        await asyncio.gather(*(typist.until_acknowledged() for typist in people))
        (await leader(store)).process.send_signal(signal_to_leader)
        await asyncio.gather(*(typist.type(2) for typist in people))
        await asyncio.gather(*(typist.until_analysed() for typist in people))
        await asyncio.gather(*(typist.until_acknowledged() for typist in people))
        one.kill()
        await asyncio.gather(*(typist.come_back(other) for typist in people))
    finally:
        store.kill()


async def leader(store: Store) -> StoreServer:
    """The server of NATS that leads for the bucket."""
    import nats as library

    client = await library.connect(store.address.removeprefix("nats://").split(",")[0])
    cluster = (await client.jetstream().stream_info("KV_treewhile")).cluster
    await client.close()
    assert cluster
    return store.servers[int(str(cluster.leader).removeprefix("n"))]
