"""Entrance of a server: listening sockets, admission of connections, refusals, and pages about its status."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from socket import SO_RCVBUF, SO_SNDBUF, SOL_SOCKET, socket
from typing import Final, cast

from websockets.asyncio.server import Server as SocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from treewhile.server.connections import small_http
from treewhile.server.connections.admission import Certificate, is_allowed, is_loopback, shown
from treewhile.server.connections.connection import Connection
from treewhile.server.connections.handovers import Desk, Handover
from treewhile.server.connections.host import VERSION, Host, Preparations
from treewhile.server.connections.outlet import close_with
from treewhile.server.connections.pages import Page, json_page
from treewhile.server.connections.sockets import WRITE_LIMIT, GuardedSocket
from treewhile.server.connections.static_files import StaticFile, read_files
from treewhile.server.logs import library_logger
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.asyncapi import asyncapi_document
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import ENCODINGS, JSON, Encoding

REFUSED_AT_ONCE: Final = 256  # connections that get a close code as reason; more get an HTTP status
MOST_HANDOVERS: Final = 256  # connections that the desk has, or that wait for it
TOO_MANY: Final = "there are too many requests at once: try again"
ENDING: Final = "the server is about to end: try again"
LAST_SECONDS: Final = 0.4  # for clients to read the goodbye, and to close
CUT_OFF_SECONDS: Final = 0.1  # for the server to notice that aborted connections are gone
BUFFER: Final = 1 << 17  # bytes that the system buffers each way; by default, megabytes of outdated messages


@dataclass(frozen=True, slots=True)
class Place:
    """Address of a server, with TLS and the conditions for clients."""

    host: str = "127.0.0.1"
    port: int = 0  # 0 for any free port
    tls: Certificate | None = None
    token: str | None = None  # shown by clients
    origins: Sequence[str] = ()  # of web pages that may connect, besides the server's own
    sockets: Sequence[socket] = ()  # listening already, at host and port

    def address(self, port: int) -> str:
        """Return the URL for a browser, given the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.tls else ''}://{host}:{port}/"


class Entrance:
    """Listening sockets of a server, from `open` to `close`.

    connections   admitted connections
    handovers     connections of the desk, if there is one
    refusing      number of connections that are being refused
    port          port of the listening sockets
    """

    def __init__(self, place: Place, host: Host, status: Status, desk: Desk | None = None) -> None:
        self._place, self._host, self._status, self._desk = place, host, status, desk
        self.connections: set[Connection] = set()
        self.handovers: dict[Handover, asyncio.Task[None]] = {}
        self._refusals: dict[Handover, asyncio.Task[None]] = {}
        self.refusing = 0
        self.port = place.port
        self._files: dict[str, StaticFile] = {}
        self._listeners: Sequence[SocketServer] = ()

    async def open(self) -> None:
        """Start to listen; raise OSError if the system refuses."""
        self.read_files()
        self._listeners = await self._listen()
        self.port = next(iter(self._listeners[0].sockets)).getsockname()[1]

    async def close(self) -> None:
        """Close all connections; abort those whose clients do not close in time."""
        for listener in self._listeners:
            listener.close(code=close_codes.RESTART.number)
        for handover in [*self.handovers, *self._refusals]:
            handover.abort()
        try:
            await self._wait_until_closed(LAST_SECONDS)
        except TimeoutError:
            for connection in [one for listener in self._listeners for one in listener.all_connections]:
                connection.transport.abort()
            with suppress(TimeoutError):
                await self._wait_until_closed(CUT_OFF_SECONDS)

    async def _wait_until_closed(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            for listener in self._listeners:
                await listener.wait_closed()

    def read_files(self) -> None:
        """Read the files of the page and the certificate again."""
        if self._place.tls:
            self._place.tls.read()
        protocol = json_page(asyncapi_document(VERSION))
        self._files = {**read_files(), "/asyncapi.json": StaticFile(protocol.body, protocol.content_type)}

    @property
    def open_sockets(self) -> int:
        """Number of open sockets, admitted or not."""
        return sum(len(listener.all_connections) for listener in self._listeners)

    async def _listen(self) -> list[SocketServer]:
        limits = self._host.limits
        serving = partial(
            serve,
            self._handle,
            ssl=self._place.tls.context if self._place.tls else None,
            subprotocols=[Subprotocol(name) for name in ENCODINGS],
            select_subprotocol=_select_subprotocol,
            process_request=self._answer,
            compression=None,
            create_connection=cast(
                type[GuardedSocket],
                partial(GuardedSocket, hand_over=self._hand_over if self._desk else None),
            ),
            server_header=None,
            open_timeout=limits.handshake_seconds,
            close_timeout=limits.handshake_seconds,
            max_size=limits.message_bytes,
            write_limit=WRITE_LIMIT,
            logger=library_logger(self._host.log),
        )
        if self._place.sockets:
            return [await serving(sock=one) for one in self._place.sockets]
        return [await serving(self._place.host, self._place.port)]

    def _answer(self, _: ServerConnection, request: Request) -> Response | None:
        """Return the answer to a plain HTTP request, or None if a websocket may follow."""
        path = request.path.partition("?")[0]
        if not small_http.is_upgrade(request):
            return small_http.answer(request, self._files, self._status.pages)
        if path != "/":
            return small_http.refusal(HTTPStatus.NOT_FOUND, "websockets connect to /")
        if self.refusing >= REFUSED_AT_ONCE:
            self._host.metrics.refused.labels(503).inc()
            return busy("too much to do")
        return None

    def _hand_over(self, client: asyncio.Transport, first: bytes) -> None:
        """Hand a client over to the desk, or answer with an error."""
        handover = Handover(client, first)
        if self._status.is_draining:
            self._refuse_request(handover, ENDING)
        elif len(self.handovers) >= MOST_HANDOVERS:
            self._refuse_request(handover, TOO_MANY)
        else:
            task = asyncio.create_task(self._pass_on(handover))
            self.handovers[handover] = task
            task.add_done_callback(lambda _: self.handovers.pop(handover))

    async def _pass_on(self, handover: Handover) -> None:
        """Let a client wait until the models are loaded, and give it to the desk."""
        assert self._desk
        try:
            await self._host.preparations.loaded()
            self._count(await handover.run(self._desk))
        except OSError:
            self._refuse_request(handover, TOO_MANY)

    def _refuse_request(self, handover: Handover, why: str) -> None:
        self._count(HTTPStatus.SERVICE_UNAVAILABLE)
        task = asyncio.create_task(handover.refuse(busy(why)))
        self._refusals[handover] = task
        task.add_done_callback(lambda _: self._refusals.pop(handover))

    def _count(self, status: int) -> None:
        self._host.metrics.requests.labels(status or "none").inc()

    async def drain_desk(self) -> None:
        """Refuse clients that the desk has not begun, and wait for its other answers."""
        for handover, task in [*self.handovers.items()]:
            if not handover.is_begun:
                task.cancel()
                self._refuse_request(handover, ENDING)
        tasks = [*self.handovers.values(), *self._refusals.values()]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _handle(self, socket: ServerConnection) -> None:
        assert isinstance(socket, GuardedSocket)
        code = self._refusal(socket)
        if code:
            await self._refuse(socket, code)
            return
        connection = Connection(self._host, socket, _encoding_of(socket), self._knows(socket))
        self.connections.add(connection)
        for way in (SO_SNDBUF, SO_RCVBUF):
            socket.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, way, BUFFER)
        try:
            await connection.serve()
        finally:
            self.connections.discard(connection)

    def _refusal(self, socket: ServerConnection) -> CloseCode | None:
        place, host = self._place, self._host
        origin, own = _header(socket, "Origin"), _header(socket, "Host") or ""
        if not is_allowed(origin, own, place.origins, is_loopback(place.host), place.tls is not None):
            return close_codes.BAD_ORIGIN
        has_shown = _header(socket, "Authorization") is not None
        if has_shown and not self._knows(socket):
            return close_codes.BAD_TOKEN
        if self._status.is_draining:
            return close_codes.RESTART
        return close_codes.OVERLOAD if len(self.connections) >= host.limits.connections else None

    def _knows(self, socket: ServerConnection) -> bool:
        """Return whether a client has shown the token, or none is needed."""
        return self._host.token is None or self._host.knows(shown(_header(socket, "Authorization")))

    async def _refuse(self, socket: ServerConnection, code: CloseCode) -> None:
        self._host.metrics.refused.labels(code.number).inc()
        self.refusing += 1
        try:
            await close_with(socket, _encoding_of(socket), code)
        finally:
            self.refusing -= 1


def busy(why: str) -> Response:
    """Return the answer to a request that may be repeated later."""
    return small_http.refusal(HTTPStatus.SERVICE_UNAVAILABLE, why, Retry_After="5")


def _select_subprotocol(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the first offered subprotocol that the server has, or None."""
    return next((name for name in offered if name in ENCODINGS), None)


def _encoding_of(socket: ServerConnection) -> Encoding:
    return ENCODINGS[socket.subprotocol] if socket.subprotocol else JSON


def _header(socket: ServerConnection, name: str) -> str | None:
    """Return a header of the handshake; repeated values are joined, and so match nothing."""
    assert socket.request is not None
    values = socket.request.headers.get_all(name)
    return ", ".join(values) if values else None


# --- status -------------------------------------------------------------------------------------------------


class Status:
    """Status of a server, or of one worker.

    lag           last measured delay of the event loop, in seconds
    is_draining   True once new clients are refused
    """

    def __init__(self, preparations: Preparations, worker: int | None) -> None:
        self._preparations, self._worker = preparations, worker
        self.lag = 0.0
        self.is_draining = False

    @property
    def pages(self) -> Mapping[str, Callable[[], Page]]:
        """Status pages by path."""
        return {"/healthz": self._health, "/readyz": self._readiness, "/version": self._version}

    @property
    def is_ready(self) -> bool:
        """True if clients are accepted and get analyses."""
        return self._preparations.engines.is_ready and not self.is_draining

    def _health(self) -> Page:
        return json_page({"status": "ok", "loop_lag_ms": round(1000 * self.lag, 3), "worker": self._worker})

    def _readiness(self) -> Page:
        preparations = self._preparations
        readiness, engines = preparations.readiness, preparations.engines.loaded
        told = {
            "ready": self.is_ready,
            "because": [] if self.is_ready else ["draining" if self.is_draining else readiness.waits_for],
            "levels": readiness.levels,
            "share": readiness.share,
            "waits_for": readiness.waits_for,
            "search": {name: engine.searcher is not None for name, engine in engines.items()},
            "worker": self._worker,
        }
        return json_page(told, HTTPStatus.OK if self.is_ready else HTTPStatus.SERVICE_UNAVAILABLE)

    def _version(self) -> Page:
        python = ".".join(map(str, sys.version_info[:3]))
        models = self._preparations.engines.names
        return json_page({"treewhile": VERSION, "python": python, "models": models})
