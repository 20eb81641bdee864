"""Connection: passes messages of a socket to a session, and new messages of the session to the socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import Any, Final

from msgspec import UNSET

from treewhile.incremental.sessions.messages import AnyEvent, ErrorMessage, Open, RefusedError
from treewhile.incremental.sessions.session import unknown_model
from treewhile.oracles.errors import InputError
from treewhile.server.connections.host import Host
from treewhile.server.connections.outlet import AT_ONCE, Outlet
from treewhile.server.connections.pacing import NEVER, LoopShare, Patience, agreed
from treewhile.server.connections.sockets import GuardedSocket
from treewhile.server.errors import ProtocolError, RefusedFrameError
from treewhile.server.hosted.hosted_session import HostedSession
from treewhile.server.logs import place_of
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import Encoding, Hello, Ping, Pong, Readiness
from treewhile.server.stores.session_store import NotFoundYetError

MOST_UNANSWERED: Final = 64  # frames accepted while the socket takes no messages


class Dismissed(Exception):  # noqa: N818
    """Error that makes the server close the connection."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.reason)
        self.code = code


class MessageReader:
    """Reader of messages, in turns with the readers of other connections.

    holding   task before the next message; the socket is not read meanwhile
    is_over   True once messages are dropped; without an answer, a client sends them again
    """

    def __init__(
        self,
        connection: Connection,
        socket: GuardedSocket,
        outlet: Outlet,
        share: LoopShare,
        patience: Patience,
    ) -> None:
        self._connection, self._socket, self._outlet = connection, socket, outlet
        self._share, self._patience = share, patience
        self.holding: asyncio.Task[None] | None = None
        self.is_over = False

    def listen(self) -> None:
        """Take messages of the client."""
        self._patience.listens_since = perf_counter()
        self._socket.listen(self._take)

    def _take(self, said: bytes, is_text: bool) -> None:
        if self.is_over:
            return
        start = self._patience.listens_since = perf_counter()
        try:
            comes_first = self._connection.follow(said, is_text) or self._turn_of_others(start)
        except Exception as error:
            self._connection.end_because(error)
        else:
            if comes_first:
                self._socket.hold()
                self._patience.listens_since = NEVER
                self.holding = asyncio.create_task(self._listen_after(comes_first))

    async def _listen_after(self, comes_first: Coroutine[Any, Any, None]) -> None:
        try:
            await comes_first
        except Exception as error:
            self._connection.end_because(error)
        self.listen()

    def _turn_of_others(self, start: float) -> Coroutine[Any, Any, None] | None:
        """Return the pause after a message that was begun at `start`, if one is needed."""
        self._outlet.unanswered += 1
        session = self._outlet.session
        pause = self._share.pause_after_message(start, session.spent() if session else 0.0)
        has_enough = self._outlet.unanswered % AT_ONCE == 0 or self._is_behind
        return self._pause(pause) if pause or has_enough else None

    async def _pause(self, seconds: float) -> None:
        """Wait, so that other connections get their turn and the client reads before it writes more."""
        await asyncio.sleep(seconds)
        outlet = self._outlet
        while self._is_behind or (outlet.unanswered >= MOST_UNANSWERED and outlet.is_busy):
            await outlet.stirring()

    @property
    def _is_behind(self) -> bool:
        """True if edits come faster than they can be attached."""
        return self._outlet.session is not None and self._outlet.session.is_behind


class Connection:
    """Connection of one client; `serve` returns when it is closed.

    outlet  writer of messages to the socket
    wake    function that makes the outlet fetch messages of the session
    """

    def __init__(self, host: Host, socket: GuardedSocket, encoding: Encoding, is_known: bool) -> None:
        self._host, self.socket = host, socket
        self._is_known = is_known  # the client has shown the token, or the server has none
        self._session: HostedSession | None = None
        self._positions = "code_points"
        self._closer: asyncio.Task[None] | None = None
        self._is_draining = False
        self._readiness: Readiness | None = None  # last one sent
        self._share = LoopShare(host.limits)
        self._patience = Patience(self.dismiss)
        self.outlet = Outlet(socket, encoding, self, host.metrics, host.limits.slow_reader_seconds)
        self.wake: Callable[[], None] = self.outlet.wake
        self._reader = MessageReader(self, socket, self.outlet, self._share, self._patience)

    async def serve(self) -> None:
        """Serve the client until the socket is closed and all received messages are processed."""
        limits = self._host.limits
        try:
            await self._host.preparations.loaded()
            self._patience.bear(limits.first_message_seconds if self._is_known else limits.token_seconds)
            self._reader.listen()
            await self.socket.wait_closed()
            while (task := self._reader.holding) and not (task.done() or self._is_draining):
                await task
        except Exception as error:
            self.fail(error)
        finally:
            self._patience.end()
            self._leave()
            if self._closer:
                await self._closer

    # --- called by the session and the server ---------------------------------------------------------------

    def fail(self, error: Exception) -> None:
        """Log an error of this connection, remove its session and close the connection."""
        self._host.log.error("connection failed", error=place_of(error))
        session = self._detached()
        if session:
            self._host.store.remove(session)
        self.dismiss(close_codes.BROKEN)

    def dismiss(self, code: CloseCode) -> None:
        """Send a goodbye and close the connection."""
        if self._closer is None:
            self._host.metrics.closed.labels(code.number).inc()
            self._reader.is_over = True
            self.outlet.shut()
            self._closer = asyncio.create_task(self._close(code))

    def give_up(self) -> None:
        """Leave the session to another connection."""
        self._detached()
        self.dismiss(close_codes.TAKEN_OVER)

    def tell(self, readiness: Readiness) -> None:
        """Send the readiness of the server if it has changed and the client has a session."""
        if self._session and readiness != self._readiness:
            self._readiness = readiness
            self.outlet.say(readiness)

    async def drain(self) -> None:
        """Send all first analyses and steps that are owed, before the server stops."""
        self._is_draining = self._reader.is_over = True
        outlet = self.outlet
        if self._session:
            self._session.on_result = outlet.stirred.set
        while self._session and self._closer is None and (self._session.owes or outlet.is_busy):
            await outlet.stirring()

    @property
    def documents(self) -> int:
        """Number of open documents."""
        return self._session.documents if self._session else 0

    @property
    def held(self) -> dict[str, int]:
        """Versions of the open documents, by name."""
        return {one.document: one.version for one in self._session.held} if self._session else {}

    @property
    def is_closing(self) -> bool:
        """True once the goodbye is being sent."""
        return self._closer is not None

    # --- reading --------------------------------------------------------------------------------------------

    def follow(self, said: bytes, is_text: bool) -> Coroutine[Any, Any, None] | None:
        """Process a message; return a coroutine that has to end before the next message, if any."""
        try:
            message = self.outlet.encoding.decode(said.decode() if is_text else said)
        except UnicodeDecodeError:
            raise Dismissed(close_codes.NO_TEXT) from None
        except ProtocolError as error:
            self._refuse(error)
            return None
        if isinstance(message, Hello):
            return self._greet(message)
        event = self._event_of(message)
        if not isinstance(event, Open) or event.options.model is UNSET:
            self._pass(event)
            return None
        return self._with_model(event.options.model, lambda: self._pass(event), event)

    def _pass(self, event: AnyEvent | None) -> None:
        if event and self._session:
            self._session.receive(event)

    def _with_model(
        self, name: str | None, go_on: Callable[[], None], opening: Open | None = None
    ) -> Coroutine[Any, Any, None] | None:
        """Go on at once if there is a model that is loaded, or return a coroutine that loads it before."""
        engines = self._host.preparations.engines
        if name is None or name in engines.loaded:
            go_on()
        elif name in engines.names:
            return self._load(name, go_on, opening)
        else:
            self._say_failed(unknown_model(name, engines.names), opening)
        return None

    async def _load(self, name: str, go_on: Callable[[], None], opening: Open | None) -> None:
        try:
            await self._host.preparations.engines.get(name, self._host.log)
        except InputError as error:
            self._say_failed(RefusedError("failed", str(error), temporary=True), opening)
        else:
            if not self._reader.is_over:
                go_on()

    def _say_failed(self, error: RefusedError, opening: Open | None) -> None:
        document, version = (opening.document, opening.version) if opening else (None, None)
        self.outlet.say(ErrorMessage(error.code, str(error), document, version, error.temporary))

    def end_because(self, error: Exception) -> None:
        """End this connection because of an error."""
        if isinstance(error, Dismissed):
            self.dismiss(error.code)
        else:
            self.fail(error)

    def _refuse(self, error: ProtocolError) -> None:
        """Answer a frame that is no message, or end the connection."""
        if not isinstance(error, RefusedFrameError):
            self.outlet.add(ErrorMessage("bad_event", str(error)))
            raise Dismissed(close_codes.BAD_PROTOCOL)
        self.outlet.say(error.told)
        if not self._share.bears_no_message():
            raise Dismissed(close_codes.TOO_MANY)

    def _event_of(self, message: Ping | AnyEvent) -> AnyEvent | None:
        """Return the event of a message, or None for a ping; the first message begins a session."""
        if not self._is_known:
            raise Dismissed(close_codes.BAD_TOKEN)
        if isinstance(message, Ping):
            self._patience.hear_sense()
            self.outlet.say(Pong(message.number))
            return None
        if self._session is None:
            self._begin(self._new_session(None))
        if isinstance(message, Open) and self._positions == "utf16":
            return Open(
                message.document, message.version, message.text, message.words, "utf16", message.options
            )
        return message

    # --- the beginning --------------------------------------------------------------------------------------

    def _greet(self, hello: Hello) -> Coroutine[Any, Any, None] | None:
        """Welcome a client at once, or return a coroutine that resumes its session or loads its model."""
        if self._session:
            what = "hello came after the first message, which it has to be: leave it out"
            self.outlet.say(ErrorMessage("illegal", what))
            return None
        if not self._is_known and not self._host.knows(hello.token):
            raise Dismissed(close_codes.BAD_TOKEN)
        self._is_known = True
        if hello.resume and hello.model in (None, *self._host.preparations.engines.names):
            return self._resume(hello, hello.resume)
        return self._with_model(hello.model, lambda: self._welcome(hello, None))

    async def _resume(self, hello: Hello, token: str) -> None:
        try:
            held = await self._host.store.find(token)
        except NotFoundYetError:
            raise Dismissed(close_codes.STORE_AWAY) from None
        except InputError as error:
            self.outlet.say(ErrorMessage("failed", str(error), temporary=True))
            raise Dismissed(close_codes.MODEL_AWAY) from None
        if self._closer is None:
            loading = self._with_model(None if held else hello.model, lambda: self._welcome(hello, held))
            if loading:
                await loading
        elif held and held.reader is None:
            self._host.store.leave(held)

    def _welcome(self, hello: Hello, held: HostedSession | None) -> None:
        self._positions = hello.positions
        if held:
            if held.reader:
                held.reader.give_up()
            held.begin_again()
        session = self._begin(held or self._new_session(hello.model))
        heartbeat = agreed(hello.heartbeat)
        self._patience.hear_sense(heartbeat)
        self.outlet.say(self._host.welcome(session, held is not None, heartbeat))
        if self._host.preparations.readiness.waits_for:
            self.tell(self._host.preparations.readiness)

    def _new_session(self, model: str | None) -> HostedSession:
        """Return a new session, unless the server has too much load; sessions are resumed under any load."""
        if self._host.threads.refuses():
            raise Dismissed(close_codes.OVERLOAD)
        return self._host.new_session(model)

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
        """Detach and return the session."""
        session, self._session, self.outlet.session = self._session, None, None
        return session
