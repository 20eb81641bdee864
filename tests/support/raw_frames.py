"""A client of websockets that sends bytes as it likes, for what no library would send."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress

from waiting import PATIENCE

from treewhile.server.process.server import Server

HEADERS = {
    "Host": "localhost",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Version": "13",
}
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


def handshake(line: str = "GET / HTTP/1.1", **headers: str | None) -> bytes:
    """A request with the usual headers and others; None leaves one out."""
    named = HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [line, *(f"{name}: {value}" for name, value in named.items() if value is not None)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def frame(
    opcode: int, data: bytes = b"", *, fin: bool = True, mask: bool = True, rsv: int = 0, length: int = -1
) -> bytes:
    """A frame, which may say that it is longer than it is."""
    length = len(data) if length < 0 else length
    if length < 126:
        size, more = length, b""
    else:
        size, more = (
            (126, struct.pack(">H", length)) if length < 1 << 16 else (127, struct.pack(">Q", length))
        )
    return bytes([fin << 7 | rsv << 4 | opcode, mask << 7 | size]) + more + bytes(4 * mask) + data


def close(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack(">H", code) + reason)


class Raw:
    """A client that sends bytes as it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        with suppress(ConnectionError):
            self.writer.write(data)
            await self.writer.drain()

    async def shake(self) -> Raw:
        await self.send(handshake())
        assert b" 101 " in await self.reader.readuntil(b"\r\n\r\n")
        return self

    async def until(self, is_enough: Callable[[bytes], object]) -> bytes:
        """What comes until that is enough."""
        data = b""
        async with asyncio.timeout(PATIENCE):
            while not is_enough(data):
                more = await self.reader.read(1 << 16)
                assert more, data
                data += more
        return data

    async def rest(self) -> bytes:
        """All that comes until the server ends."""
        data = b""
        with suppress(ConnectionError):
            async with asyncio.timeout(PATIENCE):
                while more := await self.reader.read(1 << 16):
                    data += more
        return data

    @property
    def is_at_end(self) -> bool:
        """Whether the server has let go, in order or not."""
        return self.reader.at_eof() or self.reader.exception() is not None

    async def status(self) -> int:
        """The status of an answer over HTTP; 0 if there is none."""
        words = (await self.rest()).split(b" ", 2)
        return int(words[1]) if words[0].startswith(b"HTTP/") else 0

    async def code(self) -> int:
        """With what code the server closes; 0 if it just goes."""
        return close_code(await self.rest())

    async def end(self) -> None:
        """Sends no more, once the server has had time to read."""
        await asyncio.sleep(0.03)
        with suppress(OSError):
            self.writer.write_eof()

    def leave(self) -> None:
        self.writer.transport.abort()


def close_code(data: bytes) -> int:
    """The code of the close frame among frames of a server."""
    return next((int.from_bytes(said[:2], "big") for opcode, said in frames_of(data) if opcode == CLOSE), 0)


def frames_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The opcodes of the frames of a server that are whole, and what these say."""
    while len(data) >= 2:
        size, start = data[1] & 127, 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(data[2:start], "big")
        if len(data) < start + size:
            return
        yield data[0] & 15, data[start : start + size]
        data = data[start + size :]


@asynccontextmanager
async def raw(server: Server) -> AsyncIterator[Raw]:
    client = Raw(*await asyncio.open_connection("127.0.0.1", server.port))
    try:
        yield client
    finally:
        client.leave()
