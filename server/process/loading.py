"""Loading of models while the server runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import perf_counter
from typing import Any, TypeVar

from treewhile.oracles.compilation import begin_to_replace
from treewhile.oracles.errors import InputError
from treewhile.server.logs import Say, place_of
from treewhile.server.process.server import Server
from treewhile.server.process.short_waits import leave_out_of_collections
from treewhile.server.work.engines import Engine, load_engines
from treewhile.server.work.served_models import ServedModels

Result = TypeVar("Result")


class Loading:
    """Loader of models; former ones serve until others are loaded."""

    def __init__(self, server: Server, models: ServedModels, say: Say) -> None:
        self._server, self._models, self._say = server, models, say
        self._task: asyncio.Task[None] | None = None
        self.failed: InputError | None = None  # error of the first models, which ends the server

    def begin_first(self, ending: asyncio.Event) -> None:
        """Start to load the models, unless the server has them; an error sets `ending`."""
        begin_to_replace()
        if self._server.preparations.engines:
            leave_out_of_collections()
        else:
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

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        if self._task:
            self._task.cancel()
        self._task = asyncio.create_task(self._guarded(work))

    async def _first(self, ending: asyncio.Event) -> None:
        try:
            self._server.preparations.use(await self._loaded())
        except InputError as error:
            self.failed = error
            ending.set()
            return
        leave_out_of_collections()

    async def _again(self) -> None:
        self._server.entrance.read_files()
        self._server.preparations.use(await self._loaded())
        if self._server.desk:
            self._server.desk.renew()
        self._server.log.info("loaded anew", models=[*self._models.names])

    async def _loaded(self) -> dict[str, Engine]:
        start = perf_counter()
        engines = await in_thread(load_engines, *self._models)
        self._say(f"{self._models}: loaded in {perf_counter() - start:.1f} s")
        return engines

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
        except Exception as error:
            self._server.log.error("loading failed", error=place_of(error))


async def in_thread(work: Callable[..., Result], *arguments: object) -> Result:
    """Return the result of work in a thread of its own, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            result = work(*arguments)
        except BaseException as error:
            _tell(loop, future, future.set_exception, error)
        else:
            _tell(loop, future, future.set_result, result)

    threading.Thread(target=run, name="getting ready", daemon=True).start()
    return await future


def _tell(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[Result],
    tell: Callable[..., None],
    what: object,
) -> None:
    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(_tell_if_waited_for, future, tell, what)


def _tell_if_waited_for(future: asyncio.Future[Result], tell: Callable[..., None], what: object) -> None:
    if not future.done():
        tell(what)
