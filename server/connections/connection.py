"""One socket round a session: read a frame, feed the session, let jobs run, write what is new."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Final

from websockets.exceptions import ConnectionClosed

from treewhile.incremental.sessions.messages import AnyEvent, ErrorMessage, Open
from treewhile.server.connections.host import Host
from treewhile.server.connections.outlet import AT_ONCE, Outlet
from treewhile.server.connections.patience import NEVER, Patience, agreed
from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.connections.turns import LoopShare
from treewhile.server.errors import ProtocolError, RefusedFrameError
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.logs import place_of
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import Encoding, Hello, Ping, Pong, Readiness
from treewhile.server.stores.session_store import NotFoundYetError

MOST_UNANSWERED: Final = 64  # frames that are taken while the socket takes no messages
LOOK_AGAIN: Final = 0.05  # seconds; a thread may not have said yet that it is done with a job


class Dismissed(Exception):  # noqa: N818
    """The server has to close this connection."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.reason)
        self.code = code


class Connection:
    """One socket. `serve` returns when it is closed.

    outlet  writes what is said
    wake    tells it that there may be messages to fetch
    """

    def __init__(self, host: Host, socket: GuardedSocket, encoding: Encoding, is_known: bool) -> None:
        self._host, self.socket = host, socket
        self._is_known = is_known  # has shown the token, or there is none
        self._session: HostedSession | None = None
        self._positions = "code_points"
        self._closer: asyncio.Task[None] | None = None
        self._is_draining = False
        self._readiness: Readiness | None = None  # what was said of it last
        self._share = LoopShare(host.limits)
        self._patience = Patience(self.dismiss)
        self.outlet = Outlet(socket, encoding, self, host.metrics, host.limits.slow_reader_seconds)
        self.wake: Callable[[], None] = self.outlet.wake

    async def serve(self) -> None:
        """Reads until somebody closes."""
        limits = self._host.limits
        try:
            await self._host.preparations.loaded()
            self._patience.bear(limits.first_message_seconds if self._is_known else limits.token_seconds)
            await self._read()
        except ConnectionClosed:
            pass
        except Dismissed as dismissed:
            self.dismiss(dismissed.code)
        except Exception as error:
            self.fail(error)
        finally:
            self._patience.end()
            self._leave()
            if self._closer:
                await self._closer

    # --- for the session and the server ---------------------------------------------------------------------

    def fail(self, error: Exception) -> None:
        """Something in this connection is broken, and only there."""
        self._host.log.error("connection failed", error=place_of(error))
        session = self._detached()
        if session:
            self._host.store.remove(session)
        self.dismiss(close_codes.BROKEN)

    def dismiss(self, code: CloseCode) -> None:
        """Says goodbye and closes."""
        if self._closer is None:
            self._host.metrics.closed.labels(code.number).inc()
            self.outlet.shut()
            self._closer = asyncio.create_task(self._close(code))

    def give_up(self) -> None:
        """Another connection goes on with this session."""
        self._detached()
        self.dismiss(close_codes.TAKEN_OVER)

    def tell(self, readiness: Readiness) -> None:
        """The server is nearer to being ready; clients that have said nothing yet are not told."""
        if self._session and readiness != self._readiness:
            self._readiness = readiness
            self.outlet.say(readiness)

    def search_too(self) -> None:
        """The search has joined."""
        if self._session:
            self._session.search_too()

    async def drain(self) -> None:
        """Says what is owed for all that has come, then goodbye, since the server stops."""
        self._is_draining = True
        outlet = self.outlet
        if self._session:
            self._session.on_result = outlet.stirred.set
        while self._session and self._closer is None and (self._session.owes or outlet.is_busy):
            await self._stirring()

    @property
    def documents(self) -> int:
        """How many documents are open."""
        return self._session.documents if self._session else 0

    @property
    def held(self) -> dict[str, int]:
        """The versions of the open documents."""
        return {one.document: one.version for one in self._session.held} if self._session else {}

    @property
    def is_closing(self) -> bool:
        """Whether goodbye is said."""
        return self._closer is not None

    # --- reading --------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        socket, patience, outlet, decode = (
            self.socket,
            self._patience,
            self.outlet,
            self.outlet.encoding.decode,
        )
        while True:
            patience.listens_since = perf_counter()
            frame = await socket.recv()
            patience.listens_since = NEVER
            start = perf_counter()
            if self._is_draining or self._closer:
                continue  # it has no answer, so the client sends it again
            try:
                message = decode(frame)
            except ProtocolError as error:
                self._refuse(error)
            else:
                if isinstance(message, Hello):
                    await self._greet(message)
                elif (event := self._event_of(message)) and self._session:
                    self._session.receive(event)
            outlet.unanswered += 1
            pause = self._share.pause_after_message(start)
            if pause or outlet.unanswered % AT_ONCE == 0:
                await asyncio.sleep(pause)  # others have their turn; the socket is not read meanwhile
            while outlet.unanswered >= MOST_UNANSWERED and outlet.is_busy:
                await self._stirring()

    async def _stirring(self) -> None:
        """Until something may have changed in what there is to say."""
        self.outlet.stirred.clear()
        try:
            async with asyncio.timeout(LOOK_AGAIN):
                await self.outlet.stirred.wait()
        except TimeoutError:
            return

    def _refuse(self, error: ProtocolError) -> None:
        """Answers a frame that is no message, or ends the connection."""
        if not isinstance(error, RefusedFrameError):
            self.outlet.add(ErrorMessage("bad_event", str(error)))
            raise Dismissed(close_codes.BAD_PROTOCOL)
        self.outlet.say(error.told)
        if not self._share.bears_no_message():
            raise Dismissed(close_codes.TOO_MANY)

    def _event_of(self, message: Ping | AnyEvent) -> AnyEvent | None:
        """What a message tells the session, which the first one begins; nothing if it is a ping."""
        if not self._is_known:
            raise Dismissed(close_codes.BAD_TOKEN)
        if isinstance(message, Ping):
            self._patience.hear_sense()
            self.outlet.say(Pong(message.number))
            return None
        if self._session is None:
            self._begin(self._host.new_session(None))
        if isinstance(message, Open) and self._positions == "utf16":
            return Open(
                message.document, message.version, message.text, message.words, "utf16", message.options
            )
        return message

    # --- the beginning --------------------------------------------------------------------------------------

    async def _greet(self, hello: Hello) -> None:
        if self._session:
            what = "hello came after the first message, which it has to be: leave it out"
            self.outlet.say(ErrorMessage("illegal", what))
            return
        if not self._is_known and not self._host.knows(hello.token):
            raise Dismissed(close_codes.BAD_TOKEN)
        self._is_known = True
        engines = self._host.preparations.engines
        if hello.model is not None and hello.model not in engines:
            what = f"there is no model {hello.model!r:.40}: name one of {', '.join(engines)}"
            self.outlet.say(ErrorMessage("unsupported", what))
            return
        held = await self._held(hello.resume) if hello.resume else None
        if self._closer is None:
            self._welcome(hello, held)
        elif held and held.reader is None:
            self._host.store.leave(held)

    async def _held(self, token: str) -> HostedSession | None:
        try:
            return await self._host.store.find(token)
        except NotFoundYetError:
            raise Dismissed(close_codes.OVERLOAD) from None

    def _welcome(self, hello: Hello, held: HostedSession | None) -> None:
        self._positions = hello.positions
        if held:
            if held.reader:
                held.reader.give_up()
            held.begin_again()
        session = self._begin(held or self._host.new_session(hello.model))
        heartbeat = agreed(hello.heartbeat)
        self._patience.hear_sense(heartbeat)
        self.outlet.say(self._host.welcome(session, held is not None, heartbeat))
        if self._host.preparations.missing:
            self.tell(self._host.preparations.readiness)

    def _begin(self, session: HostedSession) -> HostedSession:
        self._patience.hear_sense()
        self._session = self.outlet.session = session
        session.attach(self)
        return session

    # --- the end --------------------------------------------------------------------------------------------

    async def _close(self, code: CloseCode) -> None:
        self._leave()
        await self.outlet.close(code)

    def _leave(self) -> None:
        session = self._detached()
        if session and session.reader is self:
            session.leave()
            self._host.store.leave(session)

    def _detached(self) -> HostedSession | None:
        """The session, which this connection has no longer."""
        session, self._session, self.outlet.session = self._session, None, None
        return session
