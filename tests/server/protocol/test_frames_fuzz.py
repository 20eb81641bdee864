"""Broken frames and handshakes on raw sockets: each ends its own connection, and nobody else notices."""

from __future__ import annotations

import asyncio
import gc
import io
import random
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raw_frames import BINARY, CLOSE, CONT, PING, PONG, TEXT, Raw, close, frame, handshake, raw
from waiting import PATIENCE, until

from treewhile.server.connections import outlet, sockets
from treewhile.server.limits import Limits
from treewhile.server.process.entrance import REFUSED_AT_ONCE
from treewhile.server.process.server import Server

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

LIMITS = Limits()
BROKEN_CONNECTIONS, AT_ONCE = 2000, 20
CROWD = 1000
SECRET = b"qzxgeheim"  # stands in what must not be logged
LONGEST_WAIT = 5.0  # seconds that the typist waits for a word, whatever others do
BEAT = 0.05  # seconds


def open_sockets(server: Server) -> int:
    """How many there are, whatever has been said on them."""
    return server.entrance.open_sockets


class Typist:
    """Types a word at a time and waits for each answer."""

    def __init__(self, wire: Any) -> None:
        self.words, self.longest_wait = 0, 0.0
        self._wire, self._is_done, self._beats = wire, False, 0

    async def type(self) -> None:
        await self._wire.open()
        await self._wire.answered(0)
        while not self._is_done:
            self.words += 1
            before = self._lived
            await self._wire.say("append", document="d", version=2 * self.words, words=["dog"])
            await self._wire.answered(2 * self.words)
            self.longest_wait = max(self.longest_wait, self._lived - before)
            await self._wire.say("revoke", document="d", version=2 * self.words + 1, count=1)
            await self._wire.answered(2 * self.words + 1)
            await asyncio.sleep(0.01)

    async def beat(self) -> None:
        """Goes on for ever."""
        while True:
            await asyncio.sleep(BEAT)
            self._beats += 1

    @property
    def _lived(self) -> float:
        """Seconds in which this thread has worked, and waited; not those in which the machine stood still."""
        return time.thread_time() + BEAT * self._beats

    def stop(self) -> None:
        self._is_done = True


@asynccontextmanager
async def undisturbed(server: Server, dial: Dial) -> AsyncIterator[Typist]:
    """Somebody types all the while, and has every answer."""
    typist = Typist(await dial(server))
    typing, beating = asyncio.create_task(typist.type()), asyncio.create_task(typist.beat())
    try:
        yield typist
        before = typist.words
        while typist.words < before + 3 and not typing.done():
            await asyncio.sleep(0.01)
    finally:
        typist.stop()
        await typing
        beating.cancel()
    assert typist.longest_wait < LONGEST_WAIT


# --- handshakes ---------------------------------------------------------------------------------------------

HANDSHAKES = {
    "noise": (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
    "no version of HTTP": (b"GET /\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "HTTP/1.0": (handshake("GET / HTTP/1.0"), 505),
    "a header without a name": (b"GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
    "a header over two lines": (b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400),
    "a header with a zero byte": (b"GET / HTTP/1.1\r\nA: \0\r\n\r\n", 400),
    "bare line feeds": (handshake().replace(b"\r\n", b"\n"), 400),
    "a giant header": (handshake(Cookie="x" * 100_000), 431),
    "a giant path": (handshake(f"GET /{'x' * 100_000} HTTP/1.1"), 414),
    "a thousand headers": (handshake(**{f"X{number}": "x" for number in range(1000)}), 431),
    "a body": (handshake("POST / HTTP/1.1", Upgrade=None, Content_Length="5") + b"hello", 400),
    "two lengths": (handshake(Content_Length="5", content_length="6") + b"hello", 400),
    "a chunked body": (
        handshake(Transfer_Encoding="chunked") + b"0\r\n\r\nGET /version HTTP/1.1\r\n\r\n",
        400,
    ),
    "a negative length": (handshake(Content_Length="-1"), 400),
    "no key": (handshake(Sec_WebSocket_Key=None), 400),
    "a bad key": (handshake(Sec_WebSocket_Key="AAAA"), 400),
    "another version": (handshake(Sec_WebSocket_Version="12"), 400),
    "no version": (handshake(Sec_WebSocket_Version=None), 400),
    "no connection": (handshake(Connection="close"), 426),
    "another path": (handshake("GET /etc/passwd HTTP/1.1"), 404),
    "a path upwards": (handshake("GET /../../etc/passwd HTTP/1.1", Upgrade=None), 404),
    "another upgrade": (handshake(Upgrade="h2c", line="GET /nothing HTTP/1.1"), 404),
    "another method": (handshake("PUT / HTTP/1.1", Upgrade=None), 405),
}


async def test_broken_handshakes_are_answered_over_http_or_closed(start: StartServer, dial: Dial) -> None:
    server, got = await start(LIMITS), {}
    async with undisturbed(server, dial):
        for what, (request, _) in HANDSHAKES.items():
            async with raw(server) as client:
                await client.send(request)
                got[what] = await client.status()
    assert got == {what: status for what, (_, status) in HANDSHAKES.items()}


async def test_what_follows_a_plain_request_is_never_answered(start: StartServer) -> None:
    async with raw(await start(LIMITS)) as client:
        await client.send(b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        assert (await client.rest()).count(b"HTTP/1.1 ") <= 1


@pytest.mark.slow
async def test_a_slow_handshake_is_given_up(start: StartServer, dial: Dial) -> None:
    server, request = await start(replace(LIMITS, handshake_seconds=1.0)), handshake()
    async with undisturbed(server, dial), raw(server) as client:
        sent = 0
        while sent < len(request) and not client.is_at_end:
            await client.send(request[sent : sent + 1])
            await asyncio.sleep(0.1)
            sent += 1
        assert sent < len(request)
        assert await client.status() in (0, 408)


async def test_compression_is_offered_in_vain(start: StartServer) -> None:
    async with raw(await start(LIMITS)) as client:
        await client.send(handshake(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"))
        assert b"Extensions" not in await client.reader.readuntil(b"\r\n\r\n")
        await client.send(frame(TEXT, b"{}", rsv=4))
        assert await client.code() == 1002


@pytest.mark.slow
async def test_a_token_of_strange_bytes_is_a_wrong_one(start: StartServer) -> None:
    for shown, code in (("Bearer \xff\xfe", 4401), ("Bearer s\xc3\xa9same", 0)):
        async with raw(await start(LIMITS, token="sésame")) as client:
            await client.send(handshake(Authorization=shown))
            await client.reader.readuntil(b"\r\n\r\n")
            if code:
                assert await client.code() == code
            else:
                await client.send(frame(TEXT, b'{"type": "ping", "number": 1}'))
                assert b"pong" in await client.reader.read(100)


# --- frames -------------------------------------------------------------------------------------------------

PART = frame(TEXT, b'{"type": ', fin=False)
FRAMES = {
    "unmasked": (frame(TEXT, b"{}", mask=False), 1002),
    "a reserved bit": (frame(TEXT, b"{}", rsv=1), 1002),
    "all reserved bits": (frame(TEXT, b"{}", rsv=7), 1002),
    **{f"opcode {number}": (frame(number), 1002) for number in (3, 7, 11, 15)},
    "text that is none": (frame(TEXT, b"\xff\xfe"), 1007),
    "a character in two frames that is none": (
        frame(TEXT, b"\xf0\x9f", fin=False) + frame(CONT, b"\xff"),
        1007,
    ),
    "half a surrogate pair": (frame(TEXT, b"\xed\xa0\x80"), 1007),
    "a message within a message": (PART + frame(TEXT, b"{}"), 1002),
    "the rest of nothing": (frame(CONT, b"}"), 1002),
    "a long ping": (frame(PING, bytes(126)), 1002),
    "half a ping": (frame(PING, b"x", fin=False), 1002),
    "half a close": (frame(CLOSE, b"\x03"), 1002),
    "a long close": (close(1000, bytes(124)), 1002),
    "a close that is no text": (close(1000, b"\xff"), 1007),
    **{
        f"a close with {code}": (close(code), 1002)
        for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535)
    },
    "a close in a message": (PART + close(1000), 1002),
    "a message that is too long": (frame(TEXT, length=(1 << 20) + 1), 1009),
    "fragments that are too long": (
        frame(TEXT, bytes(600_000), fin=False) + frame(CONT, bytes(600_000)),
        1009,
    ),
    "2^63 bytes": (frame(BINARY, length=1 << 63), 1009),
    "2^64 - 1 bytes": (frame(BINARY, length=(1 << 64) - 1), 1009),
    "binary for text": (frame(BINARY, b"{}"), 4400),
    "pings without end": (frame(PING, bytes(125)) * 5000, 4429),
    "pongs without end": (frame(PONG) * 5000, 4429),
    "empty fragments without end": (PART + frame(CONT, fin=False) * 10_000, 4429),
    "messages without end": (frame(TEXT, b"{}") * 20_000, 4429),
}


@pytest.mark.slow
async def test_broken_frames_end_their_connections_with_a_code(start: StartServer, dial: Dial) -> None:
    server, got = await start(LIMITS), {}
    async with undisturbed(server, dial):
        for what, (data, _) in FRAMES.items():
            async with raw(server) as client:
                await client.shake()
                await client.send(data)
                got[what] = await client.code()
    assert got == {what: code for what, (_, code) in FRAMES.items()}


async def test_a_ping_between_fragments_is_answered_and_the_message_read(start: StartServer) -> None:
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        await client.send(PART + frame(PING, b"x") + frame(CONT, b'"ping", "number": 7}'))
        assert await client.reader.readexactly(3) == b"\x8a\x01x"
        assert b'"number":7' in await client.reader.read(100)


async def test_a_message_that_never_ends_is_given_up(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MESSAGE_SECONDS", 0.2)
    server = await start(LIMITS)
    async with undisturbed(server, dial):
        for data in (PART, frame(TEXT, length=1000) + b"{", frame(TEXT)[:1], frame(TEXT)[:2]):
            async with raw(server) as client:
                await client.shake()
                await client.send(frame(TEXT, b'{"type": "ping", "number": 1}') + data)
                assert await client.code() == 4410


async def test_a_message_that_begins_with_the_handshake_has_to_end_too(
    start: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MESSAGE_SECONDS", 0.2)
    async with raw(await start(LIMITS)) as client:
        await client.send(handshake() + PART)
        assert b" 101 " in await client.reader.readuntil(b"\r\n\r\n")
        assert await client.code() == 4410


@pytest.mark.slow
@pytest.mark.parametrize("what", ["text that is none", "a reserved bit", "2^63 bytes", "pings without end"])
async def test_whatever_is_wrong_with_frames_there_is_a_goodbye(start: StartServer, what: str) -> None:
    data, code = FRAMES[what]
    async with raw(await start(LIMITS)) as client:
        await client.shake()
        await client.send(data)
        assert f'{{"type":"goodbye","code":{code},'.encode() in await client.rest()


@pytest.mark.parametrize("data", [close(1000), frame(TEXT, b"{}", mask=False), frame(BINARY)])
async def test_a_client_that_does_not_let_go_is_cut_off(start: StartServer, data: bytes) -> None:
    server = await start(replace(LIMITS, handshake_seconds=0.2))
    async with raw(server) as client:
        await client.shake()
        await client.send(data)
        await client.rest()  # and this end stays open
        assert await until(lambda: not server.entrance.connections and not open_sockets(server))


@pytest.mark.alone
async def test_thousands_of_broken_connections_disturb_nobody_and_leave_nothing(
    start: StartServer, dial: Dial, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    log = io.StringIO()
    server = await start(replace(LIMITS, handshake_seconds=10.0), log=log)
    source, codes = random.Random(99), Counter[int]()
    async with undisturbed(server, dial):
        for _ in range(BROKEN_CONNECTIONS // AT_ONCE):
            codes.update(await asyncio.gather(*(_broken_connection(server, source) for _ in range(AT_ONCE))))
    assert {*codes} <= {0, 400, 1000, 1002, 1007, 1009, 4400}
    assert len(codes) >= 5
    await until(lambda: open_sockets(server) == 1)  # the typist's
    output = capfd.readouterr()
    told = log.getvalue() + caplog.text + output.out + output.err
    assert SECRET.decode() not in told
    assert "Traceback" not in told


async def _broken_connection(server: Server, source: random.Random) -> int:
    """What becomes of a connection that is broken in the handshake or soon after."""
    async with raw(server) as client:
        if source.randrange(4) == 0:
            await client.send(_damaged(handshake(Cookie=SECRET.decode()), source))
            await client.end()
            return min(await client.status(), 400)
        await client.shake()
        for _ in range(source.randrange(1, 5)):
            opcode = source.choice((TEXT, TEXT, BINARY, PING, CLOSE, CONT))
            whole = frame(opcode, SECRET, rsv=source.choice((0, 0, 1)))
            await client.send(whole if source.randrange(2) else _damaged(whole, source))
        await client.end()
        return await client.code()


def _damaged(data: bytes, source: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(source.randrange(1, 4)):
        damaged[source.randrange(len(damaged))] = source.randrange(256)
    return bytes(damaged[: source.randrange(1, len(damaged) + 1)])


# --- crowds -------------------------------------------------------------------------------------------------


def resident_kilobytes() -> int:
    """How much memory this process has, which is server and client here."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.alone
async def test_a_thousand_connections_that_say_nothing_cost_little_and_disturb_nobody(
    start: StartServer, dial: Dial, record_property: Callable[[str, object], None]
) -> None:
    server = await start(replace(LIMITS, handshake_seconds=20.0, first_message_seconds=20.0))
    gc.collect()
    before = resident_kilobytes()
    crowd: Sequence[Raw] = []
    async with undisturbed(server, dial):
        for shakes in (False, True):
            more = [Raw(*await asyncio.open_connection("127.0.0.1", server.port)) for _ in range(CROWD // 2)]
            crowd = [*crowd, *more]
            if shakes:
                await asyncio.gather(*(client.shake() for client in more))
        each = (resident_kilobytes() - before) / CROWD
        record_property("kilobytes_each", each)
        print(f"{each:.1f} KiB a silent connection, both ends")
        assert each < 100
        assert len(server.entrance.connections) == CROWD // 2 + 1
    for client in crowd:
        client.leave()


@pytest.mark.slow
async def test_who_says_nothing_is_sent_away_in_time(start: StartServer, dial: Dial) -> None:
    server = await start(replace(LIMITS, handshake_seconds=2.0, first_message_seconds=0.5))
    async with undisturbed(server, dial):
        quiet = [Raw(*await asyncio.open_connection("127.0.0.1", server.port)) for _ in range(50)]
        shaken = [
            await Raw(*await asyncio.open_connection("127.0.0.1", server.port)).shake() for _ in range(50)
        ]
        assert {await client.rest() for client in quiet} == {b""}
        assert {await client.code() for client in shaken} == {4408}
        for client in (*quiet, *shaken):
            client.leave()


async def test_those_beyond_all_bounds_get_a_status(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start(LIMITS)
    server.entrance.refusing = REFUSED_AT_ONCE
    async with raw(server) as client:
        await client.send(handshake())
        said = await client.rest()
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 5" in said


@pytest.mark.alone
async def test_many_who_never_read_are_closed_and_memory_stays_bounded(
    start: StartServer, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "GOODBYE_SECONDS", 0.2)
    server = await start(replace(LIMITS, slow_reader_seconds=0.5, messages_a_second=1e6, burst=10**6))
    gc.collect()
    before = resident_kilobytes()
    ask = frame(TEXT, b'{"type": "ask_analyses", "document": "d"}')
    async with undisturbed(server, dial):
        deaf = [
            await Raw(*await asyncio.open_connection("127.0.0.1", server.port, limit=1024)).shake()
            for _ in range(20)
        ]
        opening = (
            b'{"type": "open", "document": "d", "version": 0, "text": "' + b"the dog sees . " * 200 + b'"}'
        )
        for client in deaf:
            client.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.writer.transport.pause_reading()
            client.writer.write(frame(TEXT, opening) + ask * 200)
        async with asyncio.timeout(PATIENCE):
            while len(server.entrance.connections) > 1:
                for client in deaf:
                    if not client.writer.is_closing():
                        client.writer.write(ask)
                await asyncio.sleep(0.02)
        grown = (resident_kilobytes() - before) / 1024
        print(f"{grown:.0f} MiB grown by 10 clients that never read")
        assert grown < 200
    for client in deaf:
        client.leave()
