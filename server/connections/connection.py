"""One socket round a session, in four steps: read a frame, feed the session, let jobs run, write what is new.

Messages are fetched from the session only when the socket takes them, so a slow reader gets fewer and newer
ones, and nothing piles up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from treewhile.incremental.sessions.messages import ErrorMessage, Open
from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.connections.turns import TokenBucket, pause_after
from treewhile.server.hosted.hosted_session import ClientSession
from treewhile.server.logs import place_of
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import (
    Encoding,
    Hello,
    Incoming,
    Outgoing,
    Ping,
    Pong,
    Readiness,
    RefusedFrameError,
    UndecodableError,
    Welcome,
    farewell,
)

if TYPE_CHECKING:
    from treewhile.server.process.server import Server

SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT = 1.0, 300.0  # seconds
AT_ONCE: Final = 16  # messages read or written before others have their turn
GOODBYE_SECONDS: Final = 2.0  # for the last message, and for closing: a socket may take nothing
NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES = 10.0, 100  # frames that are no message of the protocol
MOST_UNANSWERED: Final = 64  # frames that are taken while the socket takes no messages
LOOK_AGAIN: Final = 0.005  # seconds; how often it is looked whether all is said


class Dismissed(Exception):  # noqa: N818
    """The server has to close this connection."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.reason)
        self.code = code


class Connection:
    """One socket. `serve` returns when it is closed."""

    def __init__(self, server: Server, socket: GuardedSocket, encoding: Encoding, is_known: bool) -> None:
        self._server, self._socket, self._encoding = server, socket, encoding
        self._is_known = is_known  # has shown the token, or there is none
        self._session: ClientSession | None = None
        self._positions = "code_points"
        self._said: deque[Outgoing] = deque()
        self._writer: asyncio.Handle | asyncio.Task[None] | None = None
        self._closer: asyncio.Task[None] | None = None
        self._is_draining = False
        self._readiness: Readiness | None = None  # what was said of it last
        self._unanswered = 0  # frames since messages wait, or were fetched last
        limits = server.limits
        now = perf_counter()
        self._messages = TokenBucket(limits.messages_a_second, limits.burst, now)
        self._no_messages = TokenBucket(NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES, now)
        self._patience = limits.first_message_seconds if is_known else limits.token_seconds
        self._silence = close_codes.TOO_LATE
        self._listens_since = inf  # never: it has something to do
        self._watchdog: asyncio.TimerHandle | None = None

    async def serve(self) -> None:
        """Reads until somebody closes."""
        try:
            await self._server.loaded()
            self._bear_silence(self._patience)
            await self._read()
        except ConnectionClosed:
            pass
        except Dismissed as dismissed:
            self.dismiss(dismissed.code)
        except Exception as error:
            self.fail(error)
        finally:
            self._bear_silence(0.0)
            self._leave()
            if self._closer:
                await self._closer

    # --- for the session and the server ---------------------------------------------------------------------

    def wake(self) -> None:
        """There may be messages to fetch."""
        if self._writer is None and self._closer is None:
            self._writer = asyncio.get_running_loop().call_soon(self._write_at_once)
            self._unanswered = 0

    def fail(self, error: Exception) -> None:
        """Something is broken here, and only here."""
        self._server.log.error("connection failed", error=place_of(error))
        if self._session:
            self._server.store.remove(self._session)
            self._session = None
        self.dismiss(close_codes.BROKEN)

    def dismiss(self, code: CloseCode) -> None:
        """Says goodbye and closes."""
        if self._closer is None:
            self._server.metrics.closed.labels(code.number).inc()
            self._closer = asyncio.create_task(self._close(code))

    def tell(self, readiness: Readiness) -> None:
        """The server is nearer to being ready; nobody is told who has not begun."""
        if self._session and readiness != self._readiness:
            self._readiness = readiness
            self._say(readiness)

    def search_too(self) -> None:
        """The search has joined."""
        if self._session:
            self._session.search_too()

    async def drain(self) -> None:
        """Says what is owed for all that has come, then goodbye, since the server stops."""
        self._is_draining = True
        while self._session and self._closer is None and (self._session.owes or self._writer):
            await asyncio.sleep(LOOK_AGAIN)

    @property
    def documents(self) -> int:
        return self._session.documents if self._session else 0

    @property
    def unread(self) -> int:
        """How many bytes have come that are not yet read."""
        return self._socket.unread

    @property
    def unsaid(self) -> int:
        """How many messages wait to be written, beside those of the session."""
        return len(self._said)

    # --- reading --------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            self._listens_since = perf_counter()
            frame = await self._socket.recv()
            self._listens_since = inf
            start = perf_counter()
            if self._is_draining or self._closer:
                continue  # it has no answer, so the client sends it again
            await self._take(frame)
            self._unanswered += 1
            await self._give_way(start)
            while self._writer and self._unanswered >= MOST_UNANSWERED:
                await asyncio.sleep(LOOK_AGAIN)

    async def _give_way(self, start: float) -> None:
        """Lets others have their turn after a message that was begun at `start`.

        A client that sends more than its share waits: its socket is not read meanwhile.
        """
        now = perf_counter()
        pause = max(self._messages.take(start), pause_after(now - start))
        if pause or self._unanswered % AT_ONCE == 0:
            await asyncio.sleep(pause)

    def _bear_silence(self, seconds: float) -> None:
        """For so long from now on, or for ever: with one timer, not with one for each frame."""
        if self._watchdog:
            self._watchdog.cancel()
        self._patience, self._watchdog = seconds, None
        if seconds:
            self._look_after(seconds)

    def _look_after(self, seconds: float) -> None:
        self._watchdog = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        left = self._listens_since + self._patience - perf_counter()
        if left > 0:
            self._look_after(min(left, self._patience))
        else:
            self.dismiss(self._silence)

    async def _take(self, frame: str | bytes) -> None:
        try:
            await self._receive(self._encoding.decode(frame))
        except UndecodableError as error:
            self._said.append(ErrorMessage("bad_event", str(error)))
            raise Dismissed(close_codes.BAD_PROTOCOL) from None
        except RefusedFrameError as error:
            self._say(error.told)
            if self._no_messages.take(perf_counter()):
                raise Dismissed(close_codes.TOO_MANY) from None

    async def _receive(self, message: Incoming) -> None:
        if isinstance(message, Hello):
            await self._greet(message)
        elif not self._is_known:
            raise Dismissed(close_codes.BAD_TOKEN)
        elif isinstance(message, Ping):
            self._expect_more()
            self._say(Pong(message.number))
        else:
            session = self._session or self._begin(Hello())
            if isinstance(message, Open) and self._positions == "utf16":
                message = Open(
                    message.document, message.version, message.text, message.words, "utf16", message.options
                )
            session.receive(message)

    # --- the beginning --------------------------------------------------------------------------------------

    async def _greet(self, hello: Hello) -> None:
        if self._session:
            what = "hello came after the first message, which it has to be: leave it out"
            self._say(ErrorMessage("illegal", what))
            return
        if not self._is_known and not self._server.knows(hello.token):
            raise Dismissed(close_codes.BAD_TOKEN)
        self._is_known = True
        if hello.model is not None and hello.model not in self._server.engines:
            what = f"there is no model {hello.model!r:.40}: name one of {', '.join(self._server.engines)}"
            self._say(ErrorMessage("unsupported", what))
            return
        held = await self._server.resumed(hello.resume) if hello.resume else None
        if self._closer is None:
            self._welcome(hello, held)
        elif held and held.reader is None:
            self._server.store.leave(held)

    def _welcome(self, hello: Hello, held: ClientSession | None) -> None:
        self._positions = hello.positions
        session = self._begin(hello, held)
        heartbeat = hello.heartbeat
        if heartbeat:
            heartbeat = min(max(heartbeat, SHORTEST_HEARTBEAT), LONGEST_HEARTBEAT)
        self._expect_more(heartbeat)
        self._said.append(
            Welcome(
                session=session.token,
                epoch=session.epoch,
                resumed=held is not None,
                documents=session.held,
                heartbeat=heartbeat or None,
                model=session.engine.name,
                models=[*self._server.engines],
                limits=self._server.wire_limits,
                resume_seconds=self._server.limits.resume_seconds,
                server=self._server.version,
            )
        )
        if self._server.is_ready:
            self.wake()
        else:
            self.tell(self._server.readiness)

    def _begin(self, hello: Hello, held: ClientSession | None = None) -> ClientSession:
        self._expect_more()
        session = held or self._server.new_session(hello.model)
        if held:
            previous = held.reader
            if isinstance(previous, Connection):
                previous.give_up()
            held.begin_again()
        self._session = session
        session.attach(self)
        return session

    def give_up(self) -> None:
        """Another connection goes on with this session."""
        self._session = None
        self.dismiss(close_codes.TAKEN_OVER)

    def _expect_more(self, heartbeat: float | None = None) -> None:
        """The client has said something that makes sense: from now on only heartbeats count."""
        if self._silence is close_codes.TOO_LATE:
            self._silence = close_codes.SILENT
            self._bear_silence(0.0)
        if heartbeat:
            self._bear_silence(2 * heartbeat)

    # --- writing --------------------------------------------------------------------------------------------

    def _say(self, message: Outgoing) -> None:
        self._said.append(message)
        self.wake()

    def _write_at_once(self) -> None:
        """Writes what is new; a task goes on where that takes waiting."""
        self._writer = None
        try:
            messages, pause = self._fetched()
            left = messages if pause else self._left_after_writing(messages)
            if not left and self._session and self._session.has_messages:
                left, pause = self._fetched()
        except Exception as error:
            self.fail(error)
            return
        if left:
            self._writer = asyncio.create_task(self._write(left, pause))

    def _left_after_writing(self, messages: Sequence[Outgoing]) -> Sequence[Outgoing]:
        """Those for which the socket has no room, or that have to wait for the turns of others."""
        for number, message in enumerate(messages[:AT_ONCE]):
            frame = self._encoding.encode(message)
            if not self._socket.takes_at_once(frame):
                return messages[number:]
            self._server.metrics.count_sent(message)
            self._socket.send_at_once(frame, self._encoding.is_text)
        return messages[AT_ONCE:]

    async def _write(self, messages: Sequence[Outgoing], pause: float) -> None:
        try:
            await self._write_all(messages, pause)
        except ConnectionClosed:
            pass
        except TimeoutError:
            self.dismiss(close_codes.SLOW_READER)
        except Exception as error:
            self.fail(error)
        finally:
            self._writer = None

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
        messages = [*self._said, *(self._session.messages() if self._session else ())]
        self._said.clear()
        self._unanswered = 0
        return messages, pause_after(perf_counter() - start)

    async def _send(self, message: Outgoing) -> None:
        self._server.metrics.count_sent(message)
        async with asyncio.timeout(self._server.limits.slow_reader_seconds):
            await self._socket.send(self._encoding.encode(message), text=self._encoding.is_text)

    # --- the end --------------------------------------------------------------------------------------------

    async def _close(self, code: CloseCode) -> None:
        self._leave()
        writer = self._writer
        if writer and writer is not asyncio.current_task():
            writer.cancel()
        await close_with(self._socket, self._encoding, code, self._said)

    def _leave(self) -> None:
        session, self._session = self._session, None
        if session and session.reader is self:
            session.leave()
            self._server.store.leave(session)


async def close_with(
    socket: ServerConnection, encoding: Encoding, code: CloseCode, said: Iterable[Outgoing] = ()
) -> None:
    """Says what is left and goodbye, and closes, all of it in bounded time."""
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            for message in (*said, farewell(code)):
                await socket.send(encoding.encode(message), text=encoding.is_text)
    except (TimeoutError, ConnectionClosed):
        pass
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            await socket.close(code.number, code.reason)
    except TimeoutError:
        socket.transport.abort()
