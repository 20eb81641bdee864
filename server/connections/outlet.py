"""The way out of a connection: messages are fetched from the session only when the socket takes them.

So a slow reader gets fewer and newer ones, and nothing piles up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Final, Protocol

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.connections.turns import pause_after
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.metrics import Metrics
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import Encoding, Outgoing, farewell

AT_ONCE: Final = 16  # messages read or written before others have their turn
GOODBYE_SECONDS: Final = 2.0  # for the last message, and for closing: a socket may take nothing


class Keeper(Protocol):
    """Ends the connection where writing shows that it has to end."""

    def dismiss(self, code: CloseCode) -> None:
        """Says goodbye and closes."""

    def fail(self, error: Exception) -> None:
        """Something in this connection is broken, and only there."""


class Outlet:
    """Writes what is said here, and what the session says.

    session     whose messages these are, once it has begun
    unanswered  frames that have come since messages wait, or were fetched last
    stirred     set whenever something was written, or there is nothing to write any more
    """

    def __init__(
        self, socket: GuardedSocket, encoding: Encoding, keeper: Keeper, metrics: Metrics, patience: float
    ) -> None:
        self._socket, self._keeper, self._metrics = socket, keeper, metrics
        self.encoding = encoding
        self._patience = patience  # seconds, with a reader that takes nothing
        self.session: HostedSession | None = None
        self.unanswered = 0
        self.stirred = asyncio.Event()
        self._said: deque[Outgoing] = deque()
        self._writer: asyncio.Handle | asyncio.Task[None] | None = None
        self._is_shut = False

    @property
    def is_busy(self) -> bool:
        """Whether there is, or may be, something to write."""
        return self._writer is not None

    @property
    def unsaid(self) -> int:
        """How many messages of the connection's own wait to be written."""
        return len(self._said)

    def add(self, message: Outgoing) -> None:
        """Something of the connection's own, to be said before all else when anything is."""
        self._said.append(message)

    def say(self, message: Outgoing) -> None:
        """Says something of the connection's own."""
        self._said.append(message)
        self.wake()

    def wake(self) -> None:
        """There may be messages to fetch."""
        if self._writer is None and not self._is_shut:
            self._writer = asyncio.get_running_loop().call_soon(self._write_at_once)
            self.unanswered = 0

    def shut(self) -> None:
        """Nothing more is fetched."""
        self._is_shut = True
        self.stirred.set()

    async def close(self, code: CloseCode) -> None:
        """Says what is left and goodbye, and closes the socket."""
        writer = self._writer
        if writer and writer is not asyncio.current_task():
            writer.cancel()
        await close_with(self._socket, self.encoding, code, self._said)

    # --- at once, or in a task ------------------------------------------------------------------------------

    def _write_at_once(self) -> None:
        """Writes what is new; where that has to wait, a task goes on with it."""
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
        """What is new, and how long to wait behind it."""
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
    """Says what is left and goodbye, and closes, all of it in bounded time."""
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
