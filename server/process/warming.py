"""Getting ready while serving: level after level is loaded from the cache of compiled kernels.

What is not there is compiled by other processes, since compiling holds the interpreter; see `compiling`.
Where processes cannot share a cache, this one compiles for itself.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeVar

from treewhile.incremental.compiling import LEVELS
from treewhile.oracles import compilation
from treewhile.oracles.compilation import NotCompiledError, from_cache
from treewhile.server.process.compiling_process import Compiler, Process, Say, progress_of
from treewhile.server.work.engines import Engine
from treewhile.server.work.served_models import ServedModels

Result = TypeVar("Result")

PAUSE: Final = 0.5  # seconds before the next process is listened to
GIVEN_UP: Final = " ".join(["1", *LEVELS]).encode()  # the line that ends waiting, whatever was done


class Progress:
    """How far compiling is, by lines of `compiling` as they come; `ask` begins it when it is needed."""

    def __init__(self, ask: Callable[[], object], note: Callable[[float], None] = lambda share: None) -> None:
        self._ask, self._note = ask, note
        self._is_asked = False
        self._levels: set[str] = set()
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def until(self, level: str) -> None:
        """Until a level is compiled, or cannot be."""
        if compilation.not_kept:
            return  # other processes could not help
        if not self._is_asked:
            self._is_asked = True
            self._ask()
        if level not in self._levels:
            done = self._waiting.setdefault(level, asyncio.get_running_loop().create_future())
            await asyncio.shield(done)

    def take(self, line: bytes) -> None:
        """A line has come."""
        share, levels = progress_of(line)
        self._note(share)
        self._add(levels)

    async def end(self) -> None:
        """Nobody waits any more."""

    def _add(self, levels: Iterable[str]) -> None:
        for level in {*levels} - self._levels:
            self._levels.add(level)
            if level in self._waiting:
                self._waiting.pop(level).set_result(None)


class Compiling(Progress):
    """How far the process is that compiles for this one; it is begun when it is needed."""

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
        """Hands on what it says, and gives its exit code."""
        assert process.stdout
        for line in process.stdout:
            loop.call_soon_threadsafe(self.take, line)
        return process.wait()


def is_warm(engines: Iterable[Engine], level: str) -> bool:
    """Loads what a level runs on, if all of it is compiled."""
    try:
        with from_cache():
            warm(engines, level)
    except NotCompiledError:
        return False
    return True


def warm(engines: Iterable[Engine], level: str) -> None:
    """Loads or compiles what a level runs on."""
    for engine in engines:
        engine.warm(level)


async def in_thread(work: Callable[..., Result], *arguments: object) -> Result:
    """The result of work in a thread of its own, which nobody waits for at the end."""
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
