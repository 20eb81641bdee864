"""Messages on raw sockets: what comes at once, in pieces, or before it can be taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from cases import each
from raw_frames import BINARY, CONT, PING, PONG, TEXT, Raw, close, close_code, frame, frames_of, raw
from waiting import until

from treewhile.server.connections.connection import Connection
from treewhile.server.connections.outlet import AT_ONCE, Outlet
from treewhile.server.connections.sockets import PORTION
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

LIMITS = replace(Limits(), burst=10**6)
SLOW = replace(Limits(), messages_a_second=50, burst=2)


def said(type: str, **fields: Any) -> bytes:
    return json.dumps({"type": type, **fields}).encode()


def pings(count: int) -> bytes:
    return b"".join(frame(TEXT, said("ping", number=number)) for number in range(count))


def opening_and_words(last: int) -> bytes:
    """A document of words, with as many changes."""
    opening = frame(TEXT, said("open", document="d", version=0, words=[], options={"levels": ["L0"]}))
    words = (said("append", document="d", version=version, words=["dog"]) for version in range(1, last + 1))
    return opening + b"".join(frame(TEXT, word) for word in words)


def texts(data: bytes) -> list[Any]:
    """The messages in frames of a server."""
    return [json.loads(text) for opcode, text in frames_of(data) if opcode == TEXT]


async def messages(client: Raw, is_enough: Callable[[list[Any]], object]) -> list[Any]:
    """What the server says, until that is enough."""
    return texts(await client.until(lambda data: is_enough(texts(data))))


async def pong_numbers(client: Raw, count: int) -> list[int]:
    told = await messages(client, lambda told: len([one for one in told if one["type"] == "pong"]) >= count)
    return [one["number"] for one in told if one["type"] == "pong"]


async def only_connection(server: Server) -> Connection:
    return next(iter(await until(lambda: server.entrance.connections)))


async def gone(server: Server) -> None:
    await until(lambda: not server.entrance.connections)


# --- in order -----------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_flood_in_one_segment_is_taken_turn_by_turn_and_answered_in_order(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, taken, say = await start(LIMITS), 0, Outlet.say

    def counting(outlet: Outlet, message: Any) -> None:
        nonlocal taken
        taken += 1
        say(outlet, message)

    monkeypatch.setattr(Outlet, "say", counting)
    async with raw(server) as client:
        await client.shake()
        socket = (await only_connection(server)).socket
        answers = asyncio.create_task(pong_numbers(client, 3000))
        await client.send(pings(3000))
        most, most_unread = 0, 0
        while not answers.done():
            before = taken
            await asyncio.sleep(0)
            most, most_unread = max(most, taken - before), max(most_unread, socket.unread_bytes)
        assert await answers == [*range(3000)]
    assert most == AT_ONCE
    assert most_unread > PORTION  # of what comes at once, most waits as bytes


def frames_of_all_kinds() -> list[bytes]:
    """Five messages, short and long, whole and in parts, with a ping of WebSocket between."""
    parted = said("ping", number=1)
    return [
        frame(TEXT, said("ping", number=0)),
        frame(TEXT, parted[:9], fin=False),
        frame(PING, b"x"),
        frame(CONT, parted[9:12], fin=False),
        frame(CONT, parted[12:]),
        frame(TEXT, said("ping", number=2)),
        frame(TEXT, said("ping", number=3) + b" " * 200),
        frame(TEXT, said("ping", number=4)),
    ]


@pytest.mark.slow
@each("size", [None, 1, 2, 3, 7, 50, 10_000])
async def test_messages_in_any_pieces_are_answered_in_order(start: StartServer, size: int | None) -> None:
    """In pieces of a size, or in one for each frame."""
    pieces = frames_of_all_kinds()
    if size:
        data = b"".join(pieces)
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        for piece in pieces:
            await client.send(piece)
            await asyncio.sleep(0.001)
        told = await client.until(lambda data: len(texts(data)) == 5)
        await client.send(close(1000))
        told += await client.rest()
    assert [one["number"] for one in texts(told)] == [0, 1, 2, 3, 4]
    assert [payload for opcode, payload in frames_of(told) if opcode == PONG] == [b"x"]


@pytest.mark.slow
async def test_what_looks_like_a_letter_within_a_message_is_none(start: StartServer) -> None:
    inner = frame(TEXT, said("ping", number=0))
    outer = frame(BINARY, inner)
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        for piece in (outer[: -len(inner)], inner):
            await client.send(piece)
            await asyncio.sleep(0.05)
        [refused, goodbye] = texts(await client.rest())
    assert (refused["code"], goodbye["code"]) == ("bad_event", 4400)


async def test_a_letter_between_fragments_breaks_the_standard(start: StartServer) -> None:
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        for piece in (frame(TEXT, b"{", fin=False), frame(TEXT, said("ping", number=0))):
            await client.send(piece)
            await asyncio.sleep(0.05)
        ended = await client.rest()
    assert [told["code"] for told in texts(ended)] == [1002]


async def test_a_short_message_may_be_too_long(start: StartServer) -> None:
    async with raw(await start(replace(LIMITS, message_bytes=60))) as client:
        await client.shake()
        await client.send(frame(TEXT, said("ping", number=0)))
        assert await pong_numbers(client, 1) == [0]
        await client.send(frame(TEXT, b" " * 61))
        assert await client.code() == 1009


async def test_a_letter_overtakes_nothing_that_has_come_in_too_many_fragments(start: StartServer) -> None:
    many = frame(TEXT, fin=False) + frame(CONT, fin=False) * 2500 + frame(CONT, said("ping", number=0))
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        await client.send(many + many + frame(TEXT, said("ping", number=1)))
        await asyncio.sleep(0.1)
        await client.send(frame(TEXT, said("ping", number=2)))
        assert await pong_numbers(client, 4) == [0, 0, 1, 2]


async def test_what_there_is_to_say_in_a_turn_is_one_write(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start(LIMITS)
    async with raw(server) as client:
        await client.shake()
        transport, writes = (await only_connection(server)).socket.transport, list[bytes]()
        write = transport.write
        monkeypatch.setattr(transport, "write", lambda data: writes.append(data) or write(data))
        await client.send(pings(AT_ONCE - 1))
        assert await pong_numbers(client, AT_ONCE - 1) == [*range(AT_ONCE - 1)]
    assert [len([*frames_of(written)]) for written in writes] == [AT_ONCE - 1]


# --- while nobody listens -----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_what_is_said_behind_a_resumption_waits_for_it_and_no_more_is_read(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, found = await start(LIMITS), asyncio.Event()
    find = server.host.store.find

    async def late(token: str) -> Any:
        await found.wait()
        return await find(token)

    monkeypatch.setattr(server.host.store, "find", late)
    async with raw(server) as client:
        await client.shake()
        connection = await only_connection(server)
        await client.send(frame(TEXT, said("hello", resume="nobody's")) + pings(3000))
        await until(lambda: not connection.socket.transport.is_reading())
        await asyncio.sleep(0.1)
        assert (connection.held, connection.outlet.is_busy) == ({}, False)
        assert 0 < connection.socket.unread_bytes <= 1 << 18
        assert not connection.socket.transport.is_reading()
        found.set()
        told = await messages(client, lambda told: len(told) == 3001)
    assert told[0]["type"] == "welcome"
    assert [one["number"] for one in told[1:]] == [*range(3000)]


async def test_letters_that_wait_are_few_however_they_come(start: StartServer) -> None:
    server = await start(replace(SLOW, messages_a_second=0.5))
    async with raw(server) as client:
        await client.shake()
        connection = await only_connection(server)
        for number in range(60):
            await client.send(frame(TEXT, said("ping", number=number)))
            await asyncio.sleep(0.002)
        await until(lambda: not connection.socket.transport.is_reading())
        assert connection.socket.unread_bytes


@pytest.mark.parametrize("end", [close(1000), b""], ids=["with a goodbye", "without"])
async def test_what_was_said_before_the_end_is_taken_after_it(
    start: StartServer, dial: Dial, end: bytes
) -> None:
    server = await start(SLOW)
    async with raw(server) as client:
        await client.shake()
        await client.send(frame(TEXT, said("hello")))
        [welcome] = await messages(client, lambda told: len(told) == 1)
        await client.send(opening_and_words(20) + end)
        client.writer.write_eof()
        await client.rest()
        await gone(server)
    again = await dial(server)
    await again.say("hello", resume=welcome["session"])
    assert (await again.next())["documents"][0]["version"] == 20


async def test_a_client_that_is_cut_off_while_it_is_held_back_leaves_its_session(start: StartServer) -> None:
    server = await start(SLOW)
    async with raw(server) as client:
        await client.shake()
        await client.send(opening_and_words(20))
        connection = await only_connection(server)
        await until(lambda: connection.held)
    await gone(server)
    assert len(server.host.store) == 1


async def test_a_server_that_stops_takes_nothing_that_waits(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, held, drain = await start(replace(SLOW, messages_a_second=1)), list[int](), Connection.drain

    async def noting(connection: Connection) -> None:
        held.extend(connection.held.values())
        await drain(connection)

    monkeypatch.setattr(Connection, "drain", noting)
    async with raw(server) as client:
        await client.shake()
        await client.send(opening_and_words(2000))
        connection = await only_connection(server)
        await until(lambda: connection.held)
        draining = asyncio.create_task(server.drain())
        ended = await client.rest()
        await draining
    [version] = held
    assert version < 20
    assert close_code(ended) == 1012
    answered = [number for told in texts(ended) for number in told.get("answers", ())]
    assert max(answered) <= version
    assert not server.entrance.connections


@pytest.mark.slow
async def test_text_that_is_none_ends_a_connection_behind_what_was_said_before(start: StartServer) -> None:
    async with raw(await start(SLOW)) as client:
        await client.shake()
        await client.send(pings(6) + frame(TEXT, b"\xff") + pings(1))
        ended = await client.rest()
    assert [told.get("number", told.get("code")) for told in texts(ended)] == [0, 1, 2, 3, 4, 5, 1007]
    assert close_code(ended) == 1007
