"""Handover of connections to the desk, a separate process that answers HTTP requests.

The first bytes decide whether a connection is for the desk. Later bytes are copied in both directions over a
pair of sockets; only the status of the answer is read here. Each connection has one request, like all plain
HTTP on this port.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from socket import socket
from typing import Final, Protocol, cast

from websockets.http11 import Response

from treewhile.server.connections.small_http import refusal

FOR_DESK: Final = re.compile(rb"[A-Z]{3,7} /(?:(?:process|models)[ ?]|(?:parser|inception)/)")
FIRST_BYTES: Final = 32  # enough to decide
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
    """Connection of a client whose bytes are copied to and from the desk until either side closes.

    `ended` is called then, with the status of the answer, 0 if there was none. Until `begin`, no further
    bytes of the client are read.
    """

    def __init__(self, client: asyncio.Transport, desk: Desk, ended: Callable[[Handover, int], None]) -> None:
        self._desk, self._ended = desk, ended
        self._near, self._far = _End(self._client_left), _End(self._desk_left)
        self._near.other, self._far.other = self._far, self._near
        self._near.connection_made(client)
        client.pause_reading()
        self._look: asyncio.TimerHandle | None = None
        self._is_over = asyncio.Event()
        client.set_protocol(self._near)

    async def begin(self, first: bytes, ours: socket) -> None:
        """Send the first bytes of the client to the desk and start copying, over our end of a socket pair."""
        self._far.waiting += first
        await asyncio.get_running_loop().create_connection(lambda: self._far, sock=ours)
        if self._near.is_lost:
            self._far.transport.abort()
        else:
            self._near.transport.resume_reading()
        self._look_after_desk()

    def refuse(self, answer: Response) -> None:
        """Answer in place of the desk."""
        Farewell(self._near.transport, answer.serialize())
        self._end(answer.status_code)

    @property
    def is_begun(self) -> bool:
        """True once the bytes go to the desk."""
        return self._far.is_connected

    @property
    def is_over(self) -> bool:
        """True once the handover has ended."""
        return self._is_over.is_set()

    async def wait(self) -> None:
        """Wait until the handover has ended."""
        await self._is_over.wait()

    def abort(self) -> None:
        """Close the connection of the client at once."""
        self._near.transport.abort()

    def _look_after_desk(self) -> None:
        if not (self._far.first_heard or self._far.is_lost or self._near.is_lost):
            self._desk.wake()
            self._look = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._look_after_desk)

    def _client_left(self) -> None:
        if self._far.is_connected:
            self._far.transport.abort()
        if not self._far.is_lost:
            self._end(0)

    def _desk_left(self) -> None:
        status = self._far.first_heard[9:12]
        if not self._near.is_lost:
            Farewell(self._near.transport, b"" if status else DIED.serialize())
            self._end(int(status) if status.isdigit() else HTTPStatus.BAD_GATEWAY)

    def _end(self, status: int) -> None:
        if self._look:
            self._look.cancel()
        self._is_over.set()
        self._ended(self, status)


class _End(asyncio.Protocol):
    """One end of a handover: received bytes are written to the other end once that is connected."""

    transport: asyncio.Transport
    other: _End

    def __init__(self, left: Callable[[], None]) -> None:
        self._left = left
        self.is_connected = self.is_lost = False
        self.waiting = bytearray()  # bytes to write once connected
        self.first_heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.is_connected = cast(asyncio.Transport, transport), True
        self.transport.write(bytes(self.waiting))
        self.waiting.clear()

    def data_received(self, data: bytes) -> None:
        self.first_heard = self.first_heard or data[:12]
        self.other.write(data)

    def write(self, data: bytes) -> None:
        """Write bytes, or keep them until this end is connected."""
        if self.is_connected:
            self.transport.write(data)
        else:
            self.waiting += data

    def pause_writing(self) -> None:
        self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        self.other.transport.resume_reading()

    def connection_lost(self, _: Exception | None) -> None:
        self.is_lost = True
        self._left()


class Farewell(asyncio.Protocol):
    """Protocol that sends last bytes and then closes; bytes of the client are read and dropped meanwhile."""

    def __init__(self, client: asyncio.Transport, last: bytes) -> None:
        self._client = client
        self._timer = asyncio.get_running_loop().call_later(LAST_SECONDS, client.abort)
        client.set_protocol(self)
        client.write(last)
        client.resume_reading()
        if client.can_write_eof():
            client.write_eof()
        else:  # with TLS
            client.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._timer.cancel()
