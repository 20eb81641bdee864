"""Connections that are handed over to the desk of a server, a process that answers requests over HTTP.

The first bytes say whether a connection is for the desk. From then on its bytes go there, and what comes back
goes out, over a pair of sockets; of all this only the status of the answer is read here. There is one request
in a connection, as with all that this port answers over plain HTTP.
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
FIRST_BYTES: Final = 32  # in which that can be seen
LOOK_AGAIN: Final = 2.0  # seconds; where a desk has died, the next one takes what it had not taken
LAST_SECONDS: Final = 10.0  # for the end of an answer, and for what a client still says
DIED: Final = refusal(
    HTTPStatus.BAD_GATEWAY, "the process that answers has died over this request or another: try again"
)


def is_for_desk(first: bytes) -> bool | None:
    """Whether a connection that begins with these bytes is for the desk; None while that is open."""
    if len(first) < FIRST_BYTES and b"\n" not in first and first.isascii():
        return None
    return FOR_DESK.match(first) is not None


class Desk(Protocol):
    """Where connections go."""

    def take(self, client: socket) -> None:
        """Takes the socket of a client; an OSError where there is no room."""

    def wake(self) -> None:
        """From now on there is somebody at the desk."""

    def renew(self) -> None:
        """From now on there is somebody who has loaded all anew."""

    def end(self) -> None:
        """There is nobody any more."""


class Handover:
    """The connection of a client that the desk has, until either of them leaves.

    `ended` is called then, with the status of the answer, which is 0 where there was none. Until it begins,
    nothing more is read of what the client says.
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
        """Goes on with what the client has said so far, over the end of a pair that is not the desk's."""
        self._far.waiting += first
        await asyncio.get_running_loop().create_connection(lambda: self._far, sock=ours)
        if self._near.is_lost:
            self._far.transport.abort()
        else:
            self._near.transport.resume_reading()
        self._look_after_desk()

    def refuse(self, answer: Response) -> None:
        """Answers in place of the desk."""
        Farewell(self._near.transport, answer.serialize())
        self._end(answer.status_code)

    @property
    def is_begun(self) -> bool:
        """Whether the desk has it, or has had it."""
        return self._far.is_connected

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._is_over.is_set()

    async def wait(self) -> None:
        """Until it has ended."""
        await self._is_over.wait()

    def abort(self) -> None:
        """Ends at once."""
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
    """One end of a handover: what comes here goes out at the other end, once that is connected."""

    transport: asyncio.Transport
    other: _End

    def __init__(self, left: Callable[[], None]) -> None:
        self._left = left
        self.is_connected = self.is_lost = False
        self.waiting = bytearray()  # what is to go out here
        self.first_heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.is_connected = cast(asyncio.Transport, transport), True
        self.transport.write(bytes(self.waiting))
        self.waiting.clear()

    def data_received(self, data: bytes) -> None:
        self.first_heard = self.first_heard or data[:12]
        self.other.write(data)

    def write(self, data: bytes) -> None:
        """Lets bytes out here."""
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
    """The last that a client is told; what it still says is not heard, but it could not listen otherwise."""

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
