"""Handover of connections to the desk, a separate process that answers HTTP requests.

The first bytes decide whether a connection is for the desk. Later bytes are copied in both directions over a
pair of sockets; only the status of the answer is read here. Each connection has one request, like all plain
HTTP on this port.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from http import HTTPStatus
from socket import socket, socketpair
from typing import Final, Protocol

from websockets.http11 import Response

from treewhile.server.connections.small_http import refusal

FOR_DESK: Final = re.compile(rb"[A-Z]{3,7} /(?:(?:process|models)[ ?]|(?:parser|inception)/)")
FIRST_BYTES: Final = 32  # enough to decide
PORTION: Final = 1 << 14  # bytes that are copied at once
LOOK_AGAIN: Final = 2.0  # seconds; if a desk has died, the next one takes the sockets that are left
LAST_SECONDS: Final = 10.0  # for the rest of an answer and the last bytes of a client
DIED: Final = refusal(
    HTTPStatus.BAD_GATEWAY, "the process that answers has died over this request or another: try again"
)


def is_for_desk(first: bytes) -> bool | None:
    """Return whether a connection with these first bytes is for the desk; None if more bytes are needed."""
    if len(first) < FIRST_BYTES and b"\n" not in first and first.isascii():
        return None
    return FOR_DESK.match(first) is not None


class Desk(Protocol):
    """Process that answers HTTP requests, as seen by the server."""

    def take(self, client: socket) -> None:
        """Take the socket of a client; raise OSError if the queue is full."""

    def wake(self) -> None:
        """Start the process if it is not running."""

    def renew(self) -> None:
        """Replace the process by one that loads the models again."""

    def end(self) -> None:
        """End the process."""


class Handover:
    """Connection of a client, whose first bytes were read, on its way to the desk and back.

    is_begun   True once the desk has the connection
    """

    def __init__(self, client: asyncio.Transport, first: bytes) -> None:
        self._client, self._first = client, first
        self._reader = asyncio.StreamReader(PORTION)
        protocol = asyncio.StreamReaderProtocol(self._reader)
        client.set_protocol(protocol)
        protocol.connection_made(client)
        self._writer = asyncio.StreamWriter(client, protocol, self._reader, asyncio.get_running_loop())
        self.is_begun = False

    async def run(self, desk: Desk) -> int:
        """Copy bytes until either side closes, and return the status of the answer; 0 if there was none.

        Raise OSError if the queue of the desk is full.
        """
        ours = _line_to(desk)
        self.is_begun = True
        reader, writer = await asyncio.open_connection(sock=ours, limit=PORTION)
        writer.write(self._first)
        answering = asyncio.create_task(self._copy_answer(reader, desk))
        asking = asyncio.create_task(self._copy_request(writer))
        try:
            await asyncio.wait([answering, asking], return_when=asyncio.FIRST_COMPLETED)
            has_left = not answering.done() or answering.exception()
        finally:
            answering.cancel()
            asking.cancel()
            writer.transport.abort()
            await asyncio.wait([answering, asking])  # a stream has one reader at a time
        if has_left:
            self.abort()
            return 0
        await self._finish()
        return answering.result()

    async def refuse(self, answer: Response) -> None:
        """Answer in place of the desk."""
        self._writer.write(answer.serialize())
        await self._finish()

    def abort(self) -> None:
        """Close the connection of the client at once."""
        self._client.abort()

    async def _copy_request(self, writer: asyncio.StreamWriter) -> None:
        """Copy what the client sends, until it leaves."""
        with suppress(OSError):
            while data := await self._reader.read(PORTION):
                writer.write(data)
                with suppress(OSError):  # the desk has left, which ends its answer
                    await writer.drain()

    async def _copy_answer(self, reader: asyncio.StreamReader, desk: Desk) -> int:
        """Copy the answer, and return its status; raise OSError if the client has left."""
        first = data = await _first_portion(reader, desk)
        while data:
            self._writer.write(data)
            await self._writer.drain()
            data = await _portion(reader)
        if not first:
            self._writer.write(DIED.serialize())
        return int(first[9:12]) if first[9:12].isdigit() else HTTPStatus.BAD_GATEWAY

    async def _finish(self) -> None:
        """Close; closing with unread bytes of the client would discard the answer, so they are read first."""
        try:
            if self._client.can_write_eof():
                self._client.write_eof()
            else:  # with TLS
                self._client.close()
            async with asyncio.timeout(LAST_SECONDS):
                while await self._reader.read(PORTION):
                    """It is dropped."""
        except OSError:  # the client is gone, or never closes
            pass
        finally:
            self._client.abort()


def _line_to(desk: Desk) -> socket:
    """Give the desk one end of a socket pair and return the other; raise OSError if its queue is full."""
    ours, theirs = socketpair()
    ours.setblocking(False)
    with theirs:
        try:
            desk.take(theirs)
        except OSError:
            ours.close()
            raise
    return ours


async def _first_portion(reader: asyncio.StreamReader, desk: Desk) -> bytes:
    """Return the first bytes of an answer, and wake the desk until they come."""
    while True:
        desk.wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN):
                return await _portion(reader)


async def _portion(reader: asyncio.StreamReader) -> bytes:
    """Return the next bytes of an answer; none if the desk has closed the connection, or has died."""
    try:
        return await reader.read(PORTION)
    except ConnectionError:
        return b""
