"""The sockets of the load against a server of the library, which knows the standard."""

from __future__ import annotations

import asyncio

import pytest
from waiting import PATIENCE
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from treewhile.server.errors import DisconnectedError
from treewhile.server.load.client_sockets import ClientSocket, open_socket
from treewhile.server.protocol.frames import MSGPACK

LENGTHS = [0, 1, 125, 126, 127, 65535, 65536, 300_000]


class Ear:
    """What a socket hears, and how it ended."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.ends: list[int | None] = []
        self.news = asyncio.Event()

    def hear(self, message: bytes) -> None:
        self.heard.append(message)
        self.news.set()

    def lose(self, code: int | None) -> None:
        self.ends.append(code)
        self.news.set()

    async def until(self, heard: int, ends: int = 0) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.heard) < heard or len(self.ends) < ends:
                self.news.clear()
                await self.news.wait()


async def opened(url: str, ear: Ear) -> ClientSocket:
    return await open_socket(url, ear.hear, ear.lose)


async def test_messages_of_all_lengths_come_back_as_they_went() -> None:
    ear = Ear()

    async def echo(connection: ServerConnection) -> None:
        assert connection.subprotocol == MSGPACK.name
        async for message in connection:
            await (await connection.ping(b"there?"))
            await connection.send(message)
        assert connection.close_code is not None

    protocols = [Subprotocol(MSGPACK.name)]
    async with serve(echo, "127.0.0.1", 0, subprotocols=protocols, compression=None, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        line = await opened(f"ws://127.0.0.1:{port}/", ear)
        sent = [bytes([length % 251]) * length for length in LENGTHS]
        for message in sent:
            line.send(message)
        await ear.until(len(sent))
        assert ear.heard == sent
        line.close()


async def test_the_code_of_the_end_is_told() -> None:
    ear = Ear()

    async def refuse(connection: ServerConnection) -> None:
        await connection.send(b"goodbye")
        await connection.close(1013, "later")

    async with serve(refuse, "127.0.0.1", 0, subprotocols=[Subprotocol(MSGPACK.name)]) as server:
        await opened(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", ear)
        await ear.until(1, ends=1)
    assert (ear.heard, ear.ends) == ([b"goodbye"], [1013])


async def test_what_is_no_websocket_is_told_in_a_sentence() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(DisconnectedError, match="the server refuses"):
            await opened(f"ws://127.0.0.1:{port}/", Ear())
    with pytest.raises(DisconnectedError, match="is no address"):
        await opened("nonsense", Ear())


async def test_who_hangs_up_during_the_handshake_is_no_server() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        with pytest.raises((DisconnectedError, OSError)):
            await opened(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/", Ear())
