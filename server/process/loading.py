"""Loading of models and compiled levels while the server runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from time import perf_counter
from typing import Any, Final

from treewhile.incremental.compiling import LEVELS
from treewhile.oracles.errors import InputError
from treewhile.server.logs import place_of
from treewhile.server.process.compiling_process import Say
from treewhile.server.process.server import Server
from treewhile.server.process.short_waits import leave_out_of_collections
from treewhile.server.process.warming import Progress, in_thread, is_warm, warm
from treewhile.server.work.engines import Engine, load_engines
from treewhile.server.work.served_models import ServedModels

JOINED: Final = {
    "L0": "first analyses have joined",
    "L1": "better analyses have joined",
    "L2": "the search has joined",
    "steps": "next steps have joined",
}


class Loading:
    """Loader of models and levels; former models serve until others are loaded."""

    def __init__(self, server: Server, models: ServedModels, say: Say, progress: Progress) -> None:
        self._server, self._models, self._say, self._progress = server, models, say, progress
        self._start = perf_counter()
        self._task: asyncio.Task[None] | None = None
        self.failed: InputError | None = None  # error of the first models, which ends the server

    def begin_first(self, ending: asyncio.Event) -> None:
        """Start to load everything; an error of the models sets `ending`."""
        self._begin(self._first(ending))

    def begin_again(self) -> None:
        """Start to load models and files again, if models were loaded before."""
        if self._server.preparations.engines:
            self._begin(self._again())

    async def end(self) -> None:
        """Stop loading."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._progress.end()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        if self._task:
            self._task.cancel()
        self._task = asyncio.create_task(self._guarded(work))

    async def _first(self, ending: asyncio.Event) -> None:
        if not self._server.preparations.engines:
            try:
                self._server.preparations.use(await self._loaded())
            except InputError as error:
                self.failed = error
                ending.set()
                return
        leave_out_of_collections()
        await self._join_levels()

    async def _again(self) -> None:
        self._server.entrance.read_files()
        await self._join_levels()  # comes first: sessions keep their models, and some may wait for the search
        engines = await self._loaded()
        for level in self._server.preparations.levels:
            await in_thread(warm, engines.values(), level)
        self._server.preparations.use(engines)
        if self._server.desk:
            self._server.desk.renew()
        self._server.log.info("loaded anew", models=[*self._models.names])

    async def _loaded(self) -> dict[str, Engine]:
        start = perf_counter()
        engines = await in_thread(load_engines, *self._models)
        self._say(f"{self._models}: loaded in {perf_counter() - start:.1f} s")
        return engines

    async def _join_levels(self) -> None:
        engines = self._server.preparations.engines.values()
        for level in LEVELS:
            if level in self._server.preparations.levels:
                continue
            if not await in_thread(is_warm, engines, level):
                await self._progress.until(level)
                await in_thread(warm, engines, level)
            self._server.allow(level)
            self._say(f"{JOINED[level]} after {perf_counter() - self._start:.1f} s")

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
        except Exception as error:
            self._server.log.error("loading failed", error=place_of(error))
