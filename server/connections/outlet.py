"""Outlet: writes messages of a session to a socket, with back-pressure.

Messages are fetched from the session only when the socket takes them, so that a slow reader gets fewer and
newer messages, and no queue grows.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Final, Protocol

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from treewhile.server.connections.pacing import pause_after
from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.hosted.metrics import Metrics
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import Encoding, Outgoing, farewell

AT_ONCE: Final = 16  # messages read or written before other connections get their turn
LOOK_AGAIN: Final = 0.05  # seconds; a thread may not have reported the end of a job yet
GOODBYE_SECONDS: Final = 2.0  # for the last message, and for closing, in case the socket takes nothing


class Keeper(Protocol):
    """Owner of an outlet, which ends the connection when writing fails."""

    def dismiss(self, code: CloseCode) -> None:
        """Send a goodbye and close the connection."""

    def fail(self, error: Exception) -> None:
        """Close the connection after an unexpected error."""


class Outlet:
    """Writer of messages of a connection and of its session.

    session     source of messages, once it has begun
    unanswered  number of frames received since messages wait, or were fetched last
    stirred     event that is set when something was written or nothing is left to write
    """

    def __init__(
        self, socket: GuardedSocket, encoding: Encoding, keeper: Keeper, metrics: Metrics, patience: float
    ) -> None:
        self._socket, self._keeper, self._metrics = socket, keeper, metrics
        self.encoding = encoding
        self._patience = patience  # seconds for a reader that takes nothing
        self.session: HostedSession | None = None
        self.unanswered = 0
        self.stirred = asyncio.Event()
        self._said: deque[Outgoing] = deque()
        self._writer: asyncio.Handle | asyncio.Task[None] | None = None
        self._is_shut = False

    @property
    def is_busy(self) -> bool:
        """True if there are, or may be, messages to write."""
        return self._writer is not None

    @property
    def unsaid(self) -> int:
        """Number of messages of the connection itself that wait to be written."""
        return len(self._said)

    def add(self, message: Outgoing) -> None:
        """Queue a message of the connection, to be written before messages of the session."""
        self._said.append(message)

    def say(self, message: Outgoing) -> None:
        """Queue a message of the connection, and write soon."""
        self._said.append(message)
        self.wake()

    def wake(self) -> None:
        """Schedule fetching and writing of messages."""
        if self._writer is None and not self._is_shut:
            self._writer = asyncio.get_running_loop().call_soon(self._write_at_once)
            self.unanswered = 0

    async def stirring(self) -> None:
        """Wait until there may be messages to write, or a short time has passed."""
        self.stirred.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN):
                await self.stirred.wait()

    def shut(self) -> None:
        """Fetch no more messages."""
        self._is_shut = True
        self.stirred.set()

    async def close(self, code: CloseCode) -> None:
        """Send the queued messages and a goodbye, and close the socket."""
        writer = self._writer
        if writer and writer is not asyncio.current_task():
            writer.cancel()
        await close_with(self._socket, self.encoding, code, self._said)

    # --- writing, at once or in a task ----------------------------------------------------------------------

    def _write_at_once(self) -> None:
        """Write new messages; start a task for those that the socket does not take yet."""
        self._writer = None
        try:
            messages, pause = self._fetched()
            encoding, at_once = self.encoding, messages[: 0 if pause else AT_ONCE]
            sent = self._socket.send_at_once(map(encoding.encode, at_once), encoding.is_text)
            for message in messages[:sent]:
                self._metrics.count_sent(message)
            left = messages[sent:]
            if not left and self.session and self.session.has_messages:
                left, pause = self._fetched()
        except Exception as error:
            self._keeper.fail(error)
            return
        if left:
            self._writer = asyncio.create_task(self._write(left, pause))
        else:
            self.stirred.set()

    async def _write(self, messages: Sequence[Outgoing], pause: float) -> None:
        try:
            await self._write_all(messages, pause)
        except ConnectionClosed:
            pass
        except TimeoutError:
            self._keeper.dismiss(close_codes.SLOW_READER)
        except Exception as error:
            self._keeper.fail(error)
        finally:
            self._writer = None
            self.stirred.set()

    async def _write_all(self, messages: Sequence[Outgoing], pause: float) -> None:
        while messages:
            for number, message in enumerate(messages, 1):
                await self._send(message)
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
            if pause:
                await asyncio.sleep(pause)
            messages, pause = self._fetched()

    def _fetched(self) -> tuple[Sequence[Outgoing], float]:
        """Fetch new messages; return them with the pause after them in seconds."""
        start = perf_counter()
        messages = [*self._said, *(self.session.messages() if self.session else ())]
        self._said.clear()
        self.unanswered = 0
        self.stirred.set()
        return messages, pause_after(perf_counter() - start)

    async def _send(self, message: Outgoing) -> None:
        self._metrics.count_sent(message)
        async with asyncio.timeout(self._patience):
            await self._socket.send(self.encoding.encode(message), text=self.encoding.is_text)


async def close_with(
    socket: ServerConnection, encoding: Encoding, code: CloseCode, said: Iterable[Outgoing] = ()
) -> None:
    """Send last messages and a goodbye, and close the socket, in bounded time."""
    goodbye = farewell(code)
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            for message in (*said, goodbye):
                await socket.send(encoding.encode(message), text=encoding.is_text)
    except (TimeoutError, ConnectionClosed):
        pass
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            await socket.close(goodbye.code, goodbye.reason)
    except TimeoutError:
        socket.transport.abort()
