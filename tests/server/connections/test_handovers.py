"""Requests over HTTP that come before their server can do all its work, or when it can no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from socket import SHUT_WR, socket

import pytest
from waiting import PATIENCE

from treewhile.server.process import entrance
from treewhile.server.process.server import Means, Server
from treewhile.server.work.engines import Engine, Engines
from treewhile.server.work.served_models import ServedModels

REQUEST = b"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\ndata=here"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Answering:
    """A desk that has the same answer for everybody."""

    def __init__(self) -> None:
        self.taken: list[socket] = []
        self.is_silent = False

    def take(self, client: socket) -> None:
        ours = client.dup()
        self.taken.append(ours)
        if self.is_silent:
            return
        ours.sendall(ANSWER)
        ours.shutdown(SHUT_WR)

    def wake(self) -> None:
        """There is somebody."""

    def renew(self) -> None:
        """It stays."""

    def end(self) -> None:
        for client in self.taken:
            client.close()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server with a desk that answers, whose models are not loaded yet."""
    made = Server(means=Means(desk=Answering()), engines=Engines(ServedModels(["tiny"])))
    await made.start()
    yield made
    await made.close()


async def asked(server: Server, request: bytes) -> bytes:
    """All that a request is answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def waiting_for_the_desk(server: Server) -> asyncio.Task[bytes]:
    asking = asyncio.create_task(asked(server, REQUEST))
    while not server.entrance.handovers:
        await asyncio.sleep(0)
    return asking


async def test_requests_wait_until_the_server_is_ready(server: Server, engines: Mapping[str, Engine]) -> None:
    question = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert (await asked(server, question)).startswith(b"HTTP/1.1 503 ")
    asking = await waiting_for_the_desk(server)
    assert isinstance(server.desk, Answering)
    assert not server.desk.taken
    server.preparations.use(engines)
    assert (await asked(server, question)).startswith(b"HTTP/1.1 200 ")
    assert await asking == ANSWER


async def test_those_who_wait_when_the_server_ends_are_told_to_try_again(server: Server) -> None:
    asking = await waiting_for_the_desk(server)
    await server.drain()
    told = await asking
    assert told.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: " in told


async def test_a_client_that_leaves_is_no_client_of_the_desk_any_more(
    server: Server, engines: Mapping[str, Engine]
) -> None:
    server.preparations.use(engines)
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    assert isinstance(server.desk, Answering)
    server.desk.is_silent = True
    writer.write(REQUEST)
    while not server.desk.taken:
        await asyncio.sleep(0)
    writer.close()
    async with asyncio.timeout(PATIENCE):
        while server.entrance.handovers:
            await asyncio.sleep(0.001)


async def test_more_clients_than_the_desk_may_have_are_told_to_try_again(
    server: Server, engines: Mapping[str, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "MOST_HANDOVERS", 1)
    asking = await waiting_for_the_desk(server)
    told = await asked(server, REQUEST)
    assert told.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: " in told
    server.preparations.use(engines)
    assert await asking == ANSWER


async def test_a_desk_that_dies_over_a_request_is_told(server: Server, engines: Mapping[str, Engine]) -> None:
    server.preparations.use(engines)
    assert isinstance(server.desk, Answering)
    server.desk.is_silent = True
    asking = asyncio.create_task(asked(server, REQUEST))
    while not server.desk.taken:
        await asyncio.sleep(0)
    server.desk.end()
    told = await asking
    assert told.startswith(b"HTTP/1.1 502 ")
    assert b"has died" in told
