"""Server: entrance, sessions and threads from start to drain, in any asyncio loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final

from treewhile.incremental.sessions.jobs import Rank
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS, DocumentOptions
from treewhile.server.connections.handovers import Desk
from treewhile.server.connections.host import Host, Preparations
from treewhile.server.hosted.metrics import Metrics
from treewhile.server.limits import Limits
from treewhile.server.logs import Log, json_log
from treewhile.server.process.entrance import Entrance, Place, Status
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.frames import Readiness
from treewhile.server.work.engines import Engines
from treewhile.server.work.served_models import ServedModels, every_installed_model
from treewhile.server.work.worker_threads import WorkerThreads

__all__ = ["Means", "Place", "Server"]

BEAT: Final = 0.25  # seconds between measurements of loop lag and checks for expired sessions
TELL_EVERY: Final = 2  # beats between readiness messages


@dataclass(frozen=True, slots=True)
class Means:
    """Resources of a server.

    sessions   place of stored sessions, a folder or an address; memory if None
    worker     number of this worker, if there are several
    options    options of documents for which clients choose none
    desk       process for HTTP requests; if None, its paths are not found
    """

    threads: int = 2
    sessions: Path | str | None = None
    worker: int | None = None
    options: DocumentOptions = DEFAULT_OPTIONS
    desk: Desk | None = None


class Server:
    """Server, started in a running loop. Connections wait until the default model is loaded.

    host    state shared by connections; set by `start`, like `entrance`
    desk    may be replaced before `start`
    """

    host: Host
    entrance: Entrance
    _heart: asyncio.Task[None]

    def __init__(
        self,
        place: Place | None = None,
        limits: Limits | None = None,
        means: Means | None = None,
        log: Log | None = None,
        engines: Engines | None = None,
    ) -> None:
        self.place, self.limits, self._means = place or Place(), limits or Limits(), means or Means()
        self.desk = self._means.desk
        self.log = log or json_log()
        self.metrics = Metrics()
        self.preparations = Preparations(engines or Engines(ServedModels(every_installed_model())))
        self.status = Status(self.preparations, self._means.worker)
        self._told: Readiness = self.preparations.readiness

    # --- start and end --------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start to listen; raise OSError if the system refuses."""
        self.host = Host(
            WorkerThreads(self._means.threads),
            self.limits,
            self.metrics,
            self._means.options,
            log=self.log,
            preparations=self.preparations,
            token=self.place.token,
            sessions=self._means.sessions,
        )
        self.entrance = Entrance(self.place, self.host, self.status, self.desk)
        self._show_metrics()
        await self.entrance.open()
        self._heart = asyncio.create_task(self._beat())
        self.log.info("listening", host=self.place.host, port=self.port)

    async def drain(self) -> None:
        """Send every client the answers that are owed and a goodbye, in bounded time, and close."""
        if self.status.is_draining:
            return
        self.status.is_draining = True
        connections = [*self.entrance.connections]
        self.log.info("draining", connections=len(connections))
        try:
            async with asyncio.timeout(self.limits.drain_seconds):
                drained = [connection.drain() for connection in connections]
                await asyncio.gather(*drained, self.entrance.drain_desk())
        except TimeoutError:
            self.log.warning("not all was said in time")
        for connection in connections:
            connection.dismiss(close_codes.RESTART)
        await self.close()

    async def close(self) -> None:
        """Close at once, with a short time for clients to read the goodbye."""
        self.status.is_draining = True
        self.preparations.give_up()
        self._heart.cancel()
        await self.entrance.close()
        await self.host.store.close()
        self.host.threads.end()
        if self.desk:
            await asyncio.to_thread(self.desk.end)
        self.log.info("closed")

    @property
    def port(self) -> int:
        """Port of the listening sockets."""
        return self.entrance.port

    @property
    def address(self) -> str:
        """URL for a browser."""
        return self.place.address(self.port)

    # --- running --------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        for beat in count():
            start = perf_counter()
            await asyncio.sleep(BEAT)
            self.status.lag = max(0.0, perf_counter() - start - BEAT)
            self.host.store.expire(perf_counter())
            if beat % TELL_EVERY == 0:
                self._tell_readiness()

    def _tell_readiness(self) -> None:
        readiness = self.preparations.readiness
        if readiness != self._told:
            self._told = readiness
            for connection in [*self.entrance.connections]:
                connection.tell(readiness)

    def _show_metrics(self) -> None:
        show, host, connections = self.metrics.show, self.host, self.entrance.connections
        handovers = self.entrance.handovers
        show("connections", "Open connections.", lambda: len(connections))
        show("handovers", "Connections that the desk has.", lambda: len(handovers))
        show("sessions", "Sessions, with a socket or waiting for one.", lambda: len(host.store))
        show("sessions_behind", "Sessions that wait for the store.", lambda: host.store.behind)
        show("documents", "Open documents.", lambda: sum(one.documents for one in [*connections]))
        show("loop_lag_seconds", "How late the loop was.", lambda: self.status.lag)
        show("waited_seconds", "How long first analyses have waited recently.", host.threads.waited)
        show(
            "refining_share",
            "Share of a processor that refinements have taken recently.",
            host.threads.refining,
        )
        for label in (rank.label for rank in Rank):
            show(f"waiting_{label.lower()}", f"Jobs of {label} that wait.", partial(self._waiting, label))

    def _waiting(self, label: str) -> int:
        return self.host.threads.lengths()[label]
