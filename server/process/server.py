"""The server: its sockets, sessions and threads from start to drain. It runs in any asyncio loop."""

from __future__ import annotations

import asyncio
import hmac
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from itertools import count
from pathlib import Path
from socket import SO_RCVBUF, SO_SNDBUF, SOL_SOCKET, socket
from time import perf_counter
from typing import Final

from websockets.asyncio.server import Server as SocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from treewhile.incremental.compiling import share_of
from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.incremental.sessions.messages import (
    LONGEST_GOLD,
    MOST_CHARACTERS,
    MOST_DOCUMENTS,
    MOST_SENTENCES,
    MOST_WORDS,
)
from treewhile.incremental.sessions.ranks import RANKS_OF, Rank
from treewhile.incremental.sessions.requests import MOST_REQUESTS
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.server.connections import small_http
from treewhile.server.connections.connection import Connection, close_with
from treewhile.server.connections.origins import is_allowed, is_loopback
from treewhile.server.connections.small_http import Page, json_page
from treewhile.server.connections.sockets import WRITE_LIMIT, GuardedSocket
from treewhile.server.hosted.hosted_session import ClientSession
from treewhile.server.limits import Limits
from treewhile.server.logs import Log, json_log, library_logger
from treewhile.server.metrics import Metrics
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.asyncapi import asyncapi_document
from treewhile.server.protocol.close_codes import CloseCode
from treewhile.server.protocol.frames import ENCODINGS, JSON, Encoding, Readiness, WireLimits
from treewhile.server.stores.file_store import FileStore
from treewhile.server.stores.session_store import MemoryStore, SessionStore
from treewhile.server.work.engines import Engine
from treewhile.server.work.worker_threads import WorkerThreads

LEVELS: Final = ("L0", "L1", "L2")  # of analyses
FIRST, SEARCH = LEVELS[0], LEVELS[-1]
WAITS_FOR: Final = {  # a level, where it is the first that is missing
    "L0": "First analyses come as soon as the parser is compiled, which takes some seconds, once.",
    "L1": "First analyses are there; better ones come as soon as more is compiled.",
    "L2": "The search for better analyses is being compiled, which takes half a minute, once.",
    "steps": "Next steps come as soon as they are compiled.",
}
READY: Final = tuple(RANKS_OF)  # the levels of a server that has all
BEAT: Final = 0.25  # seconds between looks at the loop's lag and at sessions whose time is over
REFUSED_AT_ONCE: Final = 256  # connections that are told why they are refused; more get an HTTP status
TELL_EVERY: Final = 2  # beats, while it gets ready
QUEUE: Final = (8, 4)  # inbound frames at which a socket stops and starts reading
BUFFER: Final = 1 << 17  # bytes that the system keeps each way; left alone, it takes megabytes of old news


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens, and to whom."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any free one
    tls: ssl.SSLContext | None = None
    token: str | None = None  # that clients have to show
    origins: Sequence[str] = ()  # of web pages that may connect, beside the server's own
    sockets: Sequence[socket] = ()  # that listen already, at host and port


@dataclass(slots=True)
class Server:
    """To be started in a running loop. Connections wait until it has engines, and jobs for their levels."""

    place: Place = field(default_factory=Place)
    limits: Limits = field(default_factory=Limits)
    threads_wanted: int = 2
    log: Log = field(default_factory=json_log)
    metrics: Metrics = field(default_factory=Metrics)
    engines: Mapping[str, Engine] = field(default_factory=dict)  # the default first
    levels: Sequence[str] = READY  # of which jobs may run
    sessions: Path | None = None  # a folder that keeps them; in memory without one
    worker: int | None = None  # which one this is, where there are several
    risk: float = RISK  # of committed parses, where clients do not say it
    store: SessionStore = field(init=False)
    threads: WorkerThreads[ClientSession] = field(init=False)
    version: str = field(init=False, default_factory=lambda: version("treewhile"))
    port: int = field(init=False)  # where it listens indeed
    is_draining: bool = field(init=False, default=False)
    _connections: set[Connection] = field(init=False, default_factory=set)
    _refusing: int = field(init=False, default=0)
    _lag: float = field(init=False, default=0.0)
    _loaded: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _share: float = field(init=False, default=0.0)
    _told: Readiness = field(init=False)
    _files: Mapping[str, Page] = field(init=False, default_factory=dict)
    _listeners: Sequence[SocketServer] = field(init=False)
    _heart: asyncio.Task[None] = field(init=False)

    # --- from start to end ----------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listens; what the system refuses is an OSError."""
        self.store = self._new_store()
        held = [rank for level in READY if level not in self.levels for rank in RANKS_OF[level]]
        self.threads = WorkerThreads(self.threads_wanted, held)
        self._told = self.readiness
        if self.engines:
            self._loaded.set()
        self.read_files()
        self._show_metrics()
        self._listeners = await self._listen()
        self.port = next(iter(self._listeners[0].sockets)).getsockname()[1]
        self._heart = asyncio.create_task(self._beat())
        self.log.info("listening", host=self.place.host, port=self.port)

    async def _listen(self) -> list[SocketServer]:
        serving = partial(
            serve,
            self._handle,
            ssl=self.place.tls,
            subprotocols=[Subprotocol(name) for name in ENCODINGS],
            select_subprotocol=_select_subprotocol,
            process_request=self._process_request,
            compression=None,
            create_connection=GuardedSocket,
            server_header=None,
            open_timeout=self.limits.handshake_seconds,
            close_timeout=self.limits.handshake_seconds,
            max_size=self.limits.message_bytes,
            max_queue=QUEUE,
            write_limit=WRITE_LIMIT,
            logger=library_logger(self.log),
        )
        if self.place.sockets:
            return [await serving(sock=one) for one in self.place.sockets]
        return [await serving(self.place.host, self.place.port)]

    async def drain(self) -> None:
        """Says what is owed to every client, then goodbye; in bounded time."""
        if self.is_draining:
            return
        self.is_draining = True
        self.log.info("draining", connections=len(self._connections))
        connections = [*self._connections]
        try:
            async with asyncio.timeout(self.limits.drain_seconds):
                await asyncio.gather(*(connection.drain() for connection in connections))
        except TimeoutError:
            self.log.warning("not all was said in time")
        for connection in connections:
            connection.dismiss(close_codes.RESTART)
        await self.close()

    async def close(self) -> None:
        """Ends at once."""
        self.is_draining = True
        self._loaded.set()  # who waits for engines sees that none come
        self._heart.cancel()
        for listener in self._listeners:
            listener.close(code=close_codes.RESTART.number)
        for listener in self._listeners:
            await listener.wait_closed()
        await self.store.close()
        self.threads.end()
        self.log.info("closed")

    def read_files(self) -> None:
        """Takes the files of the page anew."""
        self._files = {
            **small_http.read_files(),
            "/asyncapi.json": json_page(asyncapi_document(self.version)),
        }

    @property
    def address(self) -> str:
        """What a browser takes."""
        host = f"[{self.place.host}]" if ":" in self.place.host else self.place.host
        return f"http{'s' if self.place.tls else ''}://{host}:{self.port}/"

    # --- getting ready --------------------------------------------------------------------------------------

    def use(self, engines: Mapping[str, Engine]) -> None:
        """From now on sessions begin with these."""
        self.engines = engines
        self._loaded.set()

    def note(self, share: float) -> None:
        """So much of the work is done that has to be done before all levels are there."""
        self._share = max(self._share, share)

    def allow(self, level: str) -> None:
        """A level has joined: what waits for it runs."""
        if level not in self.levels:
            self.levels = [*self.levels, level]
        self.threads.release(RANKS_OF[level])
        if level == SEARCH:
            for connection in [*self._connections]:
                connection.search_too()

    @property
    def is_ready(self) -> bool:
        return {*READY} <= {*self.levels}

    @property
    def readiness(self) -> Readiness:
        """How far it is."""
        levels = [level for level in LEVELS if level in self.levels]
        share = 1.0 if self.is_ready else round(max(self._share, share_of(self.levels)), 3)
        return Readiness(levels, share, self._waits_for)

    @property
    def _waits_for(self) -> str:
        if not self.engines:
            return "The models are being loaded."
        if not (self.is_ready or self._share):
            return "What was compiled before is being loaded."
        return next((why for level, why in WAITS_FOR.items() if level not in self.levels), "")

    def _tell_readiness(self) -> None:
        readiness = self.readiness
        if readiness != self._told:
            self._told = readiness
            for connection in [*self._connections]:
                connection.tell(readiness)

    # --- for connections ------------------------------------------------------------------------------------

    async def loaded(self) -> None:
        """Until there are engines, or the server ends."""
        await self._loaded.wait()

    def new_session(self, model: str | None) -> ClientSession:
        engine = self.engines[model] if model else next(iter(self.engines.values()))
        session = self._session_of(engine)
        self.store.add(session)
        return session

    async def resumed(self, token: str) -> ClientSession | None:
        """The session of a token, if it is still there."""
        return await self.store.find(token)

    def _new_store(self) -> SessionStore:
        seconds, most = self.limits.resume_seconds, self.limits.resumable
        if self.sessions is None:
            return MemoryStore(seconds, most)
        return FileStore(self.sessions, seconds, most, self._session_with, self.log)

    def _session_with(self, model: str, token: str) -> ClientSession | None:
        """A session that is to be what another one was, if its model is still there."""
        engine = self.engines.get(model)
        return self._session_of(engine, token) if engine else None

    def _session_of(self, engine: Engine, token: str | None = None) -> ClientSession:
        return ClientSession(engine, self.threads, self.limits, self.metrics, token, self.risk)

    def knows(self, token: str | None) -> bool:
        """Whether this is the token that clients have to show."""
        return self.place.token is None or (
            token is not None and hmac.compare_digest(_as_sent(token), _as_sent(self.place.token))
        )

    @property
    def wire_limits(self) -> WireLimits:
        limits = self.limits
        return WireLimits(
            message_bytes=limits.message_bytes,
            messages_a_second=limits.messages_a_second,
            burst=limits.burst,
            documents=min(limits.documents, MOST_DOCUMENTS),
            characters=limits.characters,
            text_characters=MOST_CHARACTERS,
            words=MOST_WORDS,
            word_characters=LONGEST_WORD,
            sentence_words=LONGEST_SENTENCE,
            sentences=MOST_SENTENCES,
            gold_heads=LONGEST_GOLD,
            requests=MOST_REQUESTS,
        )

    # --- sockets --------------------------------------------------------------------------------------------

    def _process_request(self, socket: ServerConnection, request: Request) -> Response | None:
        if not small_http.is_upgrade(request):
            live: dict[str, Callable[[], Page]] = {
                "/healthz": self._health,
                "/readyz": self._readiness,
                "/version": self._version,
            }
            return small_http.answer(request, self._files, live)
        if request.path.partition("?")[0] != "/":
            return small_http.refusal(HTTPStatus.NOT_FOUND, "websockets connect to /")
        if self._refusing >= REFUSED_AT_ONCE:
            self.metrics.refused.labels(503).inc()
            return small_http.refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too much to do", Retry_After="5")
        return None

    async def _handle(self, socket: ServerConnection) -> None:
        encoding = ENCODINGS[socket.subprotocol] if socket.subprotocol else JSON
        code = self._refusal(socket)
        if code:
            await self._refuse(socket, encoding, code)
            return
        is_known = self.place.token is None or self.knows(_bearer(socket))
        assert isinstance(socket, GuardedSocket)
        connection = Connection(self, socket, encoding, is_known)
        self._connections.add(connection)
        for way in (SO_SNDBUF, SO_RCVBUF):
            socket.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, way, BUFFER)
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)

    def _refusal(self, socket: ServerConnection) -> CloseCode | None:
        if not self._may_connect(socket):
            return close_codes.BAD_ORIGIN
        has_shown = _header(socket, "Authorization") is not None
        if self.place.token is not None and has_shown and not self.knows(_bearer(socket)):
            return close_codes.BAD_TOKEN
        if self.is_draining:
            return close_codes.RESTART
        is_full = len(self._connections) >= self.limits.connections
        return close_codes.OVERLOAD if is_full or self.threads.refuses() else None

    def _may_connect(self, socket: ServerConnection) -> bool:
        """Whether it comes from no page, or from one that may."""
        origin, host = _header(socket, "Origin"), _header(socket, "Host") or ""
        place = self.place
        return is_allowed(origin, host, place.origins, is_loopback(place.host), place.tls is not None)

    async def _refuse(self, socket: ServerConnection, encoding: Encoding, code: CloseCode) -> None:
        self.metrics.refused.labels(code.number).inc()
        with self._counting_refusal():
            await close_with(socket, encoding, code)

    @contextmanager
    def _counting_refusal(self) -> Iterator[None]:
        self._refusing += 1
        try:
            yield
        finally:
            self._refusing -= 1

    # --- how it is ------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        for beat in count():
            start = perf_counter()
            await asyncio.sleep(BEAT)
            self._lag = max(0.0, perf_counter() - start - BEAT)
            self.store.expire(perf_counter())
            if beat % TELL_EVERY == 0:
                self._tell_readiness()

    def _health(self) -> Page:
        return json_page({"status": "ok", "loop_lag_ms": round(1000 * self._lag, 3), "worker": self.worker})

    def _readiness(self) -> Page:
        is_ready = FIRST in self.levels and bool(self.engines) and not self.is_draining
        told = {
            "ready": is_ready,
            "because": [] if is_ready else ["draining" if self.is_draining else self._waits_for],
            "levels": self.readiness.levels,
            "share": self.readiness.share,
            "waits_for": self._waits_for,
            "search": {name: engine.searcher is not None for name, engine in self.engines.items()},
            "worker": self.worker,
        }
        return json_page(told, HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE)

    def _version(self) -> Page:
        python = ".".join(map(str, sys.version_info[:3]))
        return json_page({"treewhile": self.version, "python": python, "models": [*self.engines]})

    def _show_metrics(self) -> None:
        show = self.metrics.show
        show("connections", "Open connections.", lambda: len(self._connections))
        show("sessions", "Sessions, with a socket or waiting for one.", lambda: len(self.store))
        show("documents", "Open documents.", lambda: sum(one.documents for one in [*self._connections]))
        show("sockets", "Sockets, also those that are no connections yet.", self._count_sockets)
        show(
            "unread_bytes",
            "Bytes that wait to be read.",
            lambda: sum(one.unread for one in [*self._connections]),
        )
        show(
            "unsaid_messages",
            "Messages that wait to be written.",
            lambda: sum(one.unsaid for one in [*self._connections]),
        )
        show("loop_lag_seconds", "How late the loop was.", lambda: self._lag)
        show("waited_seconds", "How long first analyses waited of late.", self.threads.waited)
        for label in (rank.label for rank in Rank):
            show(f"waiting_{label.lower()}", f"Jobs of {label} that wait.", partial(self._waiting, label))

    def _count_sockets(self) -> int:
        return sum(len(listener.all_connections) for listener in self._listeners)

    def _waiting(self, rank: str) -> int:
        return self.threads.lengths()[rank]


def _select_subprotocol(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first that both have; none for a client that offers none, or others only."""
    return next((name for name in offered if name in ENCODINGS), None)


def _as_sent(token: str) -> bytes:
    """The bytes of a token, whatever they are."""
    return token.encode("utf-8", "surrogateescape")


def _bearer(socket: ServerConnection) -> str | None:
    scheme, _, token = (_header(socket, "Authorization") or "").partition(" ")
    sent = token.strip(" \t").encode("latin-1")  # as which the library reads bytes
    return sent.decode("utf-8", "surrogateescape") if scheme.lower() == "bearer" else None


def _header(socket: ServerConnection, name: str) -> str | None:
    """A header of the handshake, empty if it is; one that comes twice fits nothing."""
    assert socket.request is not None
    values = socket.request.headers.get_all(name)
    return ", ".join(values) if values else None
