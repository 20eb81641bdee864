"""Loading of compiled levels while the server runs.

Kernels that are not in the cache are compiled by other processes, since compiling holds the interpreter lock;
see `compiling`. If processes cannot share a cache, this process compiles for itself.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeVar

from treewhile.incremental.compiling import LEVELS
from treewhile.oracles import watched_compilation
from treewhile.oracles.watched_compilation import NotCompiledError, from_cache
from treewhile.server.process.compiling_process import Compiler, Process, Say, progress_of
from treewhile.server.work.engines import Engine
from treewhile.server.work.served_models import ServedModels

Result = TypeVar("Result")

PAUSE: Final = 0.5  # seconds before the next attempt
GIVEN_UP: Final = " ".join(["1", *LEVELS]).encode()  # line that ends all waiting, even if levels are missing


class Progress:
    """Progress of compiling, from lines of the compiling process; `ask` starts that process on demand."""

    def __init__(self, ask: Callable[[], object], note: Callable[[float], None] = lambda share: None) -> None:
        self._ask, self._note = ask, note
        self._is_asked = False
        self._levels: set[str] = set()
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def until(self, level: str) -> None:
        """Wait until a level is compiled, or compiling is given up."""
        if watched_compilation.not_kept:
            return  # without a shared cache, other processes cannot help
        if not self._is_asked:
            self._is_asked = True
            self._ask()
        if level not in self._levels:
            done = self._waiting.setdefault(level, asyncio.get_running_loop().create_future())
            await asyncio.shield(done)

    def take(self, line: bytes) -> None:
        """Process a line of progress."""
        share, levels = progress_of(line)
        self._note(share)
        self._add(levels)

    async def end(self) -> None:
        """Stop waiting."""

    def _add(self, levels: Iterable[str]) -> None:
        for level in {*levels} - self._levels:
            self._levels.add(level)
            if level in self._waiting:
                self._waiting.pop(level).set_result(None)


class Compiling(Progress):
    """Progress of a compiling process that belongs to this process, started on demand."""

    def __init__(
        self,
        models: ServedModels,
        say: Say,
        note: Callable[[float], None],
        process: Process | None = None,
    ) -> None:
        super().__init__(self._begin, note)
        self._compiler = Compiler(models, say, process)
        self._task: asyncio.Task[None] | None = None

    async def end(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._compiler.end()

    def _begin(self) -> None:
        self._compiler.ask()
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while process := self._compiler.process:
            code = await in_thread(self._read, process, asyncio.get_running_loop())
            if self._compiler.take_end(code):
                self.take(GIVEN_UP)
            await asyncio.sleep(PAUSE)

    def _read(self, process: Process, loop: asyncio.AbstractEventLoop) -> int:
        """Pass on the lines of the process, and return its exit code."""
        assert process.stdout
        for line in process.stdout:
            loop.call_soon_threadsafe(self.take, line)
        return process.wait()


def is_warm(engines: Iterable[Engine], level: str) -> bool:
    """Load the kernels of a level, and return whether all of them are compiled."""
    try:
        with from_cache():
            warm(engines, level)
    except NotCompiledError:
        return False
    return True


def warm(engines: Iterable[Engine], level: str) -> None:
    """Load or compile the kernels of a level."""
    for engine in engines:
        engine.warm(level)


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
