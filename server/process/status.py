"""Status of a server, as answered over plain HTTP."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus

from treewhile.server.connections.host import VERSION
from treewhile.server.connections.small_http import Page, json_page
from treewhile.server.hosted.preparations import Preparations


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
        return bool(self._preparations.engines) and not self.is_draining

    def _health(self) -> Page:
        return json_page({"status": "ok", "loop_lag_ms": round(1000 * self.lag, 3), "worker": self._worker})

    def _readiness(self) -> Page:
        preparations = self._preparations
        readiness, engines = preparations.readiness, preparations.engines
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
        models = [*self._preparations.engines]
        return json_page({"treewhile": VERSION, "python": python, "models": models})
