"""Servers in this process, on any free port, and clients that say and read what a test wants."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cables import Cable
from waiting import PATIENCE
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from treewhile.incremental.parsers.parsing import Model
from treewhile.server.limits import Limits
from treewhile.server.logs import json_log
from treewhile.server.process.entrance import Place
from treewhile.server.process.server import Means, Server
from treewhile.server.work import scheduling
from treewhile.server.work.engines import Engine, Engines

LIMITS = Limits()


class Wire:
    """A client that speaks JSON."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, type: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": type, **fields}))

    async def hello(self) -> str:
        """Begins, and gives the token of the session."""
        await self.say("hello")
        token: str = (await self.next())["session"]
        return token

    async def open(self, *words: str, document: str = "d", version: int = 0, **options: Any) -> None:
        chosen = {"levels": ["L0"], **options}
        await self.say("open", document=document, version=version, words=[*words], options=chosen)

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            message: dict[str, Any] = json.loads(await self.socket.recv())
        return message

    async def until(self, type: str, **fields: Any) -> dict[str, Any]:
        """The next message of a type that has these fields."""
        while True:
            message = await self.next()
            if message["type"] == type and fields.items() <= message.items():
                return message

    async def answered(self, version: int) -> dict[str, Any]:
        """The message that answers a version."""
        while True:
            message = await self.next()
            if version in message.get("answers", ()):
                return message

    async def reached(self, stage: str) -> dict[str, Any]:
        """The next analysis of a stage, in full or as a delta."""
        while True:
            message = await self.next()
            if message.get("stage") == stage:
                return message

    async def close_code(self) -> int | None:
        """With what code the server closes, whatever it says before."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await self.socket.recv()
        except ConnectionClosed:
            return self.socket.close_code


@pytest.fixture(scope="session")
def engines(make_model: Callable[..., Model]) -> Mapping[str, Engine]:
    """A tiny model with random weights, under the name `tiny`, without a search."""
    engine = Engine("tiny", make_model(with_spans=True))
    engine.searcher = None
    return {"tiny": engine}


StartServer = Callable[..., Awaitable[Server]]


@pytest.fixture
async def start(engines: Mapping[str, Engine], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StartServer]:
    """Starts servers, which end with the test; `log` takes their lines.

    They refuse nobody because this machine stood still: what has waited meanwhile is no load.
    """
    monkeypatch.setattr(scheduling, "REFUSE", PATIENCE)
    servers: list[Server] = []

    async def started(
        limits: Limits = LIMITS,
        served: Mapping[str, Engine] | Engines = engines,
        threads: int = 2,
        log: io.StringIO | None = None,
        sessions: Path | str | None = None,
        **place: Any,
    ) -> Server:
        told = json_log(log or io.StringIO())
        held = served if isinstance(served, Engines) else Engines.holding(served)
        server = Server(Place(**place), limits, Means(threads, sessions), told, held)
        await server.start()
        servers.append(server)
        return server

    yield started
    for server in servers:
        await server.close()
        server.host.threads.join(PATIENCE)


Dial = Callable[..., Awaitable[Wire]]


@pytest.fixture
async def dial() -> AsyncIterator[Dial]:
    """Connects to a server; the sockets close with the test."""
    sockets: list[ClientConnection] = []

    async def dialled(server: Server, **options: Any) -> Wire:
        quiet = {"compression": None, "ping_interval": None, **options}  # pings wait behind what is held back
        socket = await connect(f"ws://127.0.0.1:{server.port}/", **quiet)
        sockets.append(socket)
        return Wire(socket)

    yield dialled
    for socket in sockets:
        await socket.close()


@pytest.fixture
async def cable() -> AsyncIterator[Callable[[Server], Awaitable[tuple[Cable, str]]]]:
    """Lays a cable to a server: gives it and its address."""
    listeners, cables = [], []

    async def lay(server: Server) -> tuple[Cable, str]:
        cables.append(Cable())
        cables[-1].port = server.port
        listeners.append(await asyncio.start_server(cables[-1].carry, "127.0.0.1", 0))
        return cables[-1], f"ws://127.0.0.1:{listeners[-1].sockets[0].getsockname()[1]}/"

    yield lay
    for listener, one in zip(listeners, cables, strict=True):
        listener.close()
        one.cut()
    await asyncio.sleep(0.05)
