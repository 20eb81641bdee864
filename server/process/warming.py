"""Getting ready while serving: level after level is loaded from the cache of compiled kernels.

What is not there is compiled by other processes, since compiling holds the interpreter; see `compiling`.
Where processes cannot share a cache, this one compiles for itself.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from treewhile.incremental.compiling import LEVELS
from treewhile.oracles import compilation
from treewhile.oracles.compilation import NotCompiledError, from_cache
from treewhile.server.process.compiling_process import Process, begin, kill, progress_of
from treewhile.server.work.engines import Engine

Say = Callable[[str], None]
Result = TypeVar("Result")

MOST_TRIES: Final = 3  # to compile
COMPILING: Final = "compiling, once: first analyses come in some seconds, all levels in half a minute"
PAUSE: Final = 0.5  # seconds before the next one
GIVEN_UP: Final = " ".join(["1", *LEVELS]).encode()  # the line that ends waiting, whatever was done


class Progress:
    """How far compiling is, by lines of `compiling` as they come; begun by whom it asks when it is needed."""

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
    """Begins the process that compiles, unless it has begun already, and again when it dies."""

    def __init__(
        self,
        names: Sequence[str],
        say: Say,
        note: Callable[[float], None],
        process: Process | None = None,
    ) -> None:
        super().__init__(self._begin, note)
        self._names, self._say, self._process = names, say, process
        self._task: asyncio.Task[None] | None = None

    async def end(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._kill()

    def _begin(self) -> None:
        self._say(COMPILING)
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        for left in reversed(range(MOST_TRIES)):
            self._process = self._process or begin(self._names)
            code = await in_thread(self._read, self._process, asyncio.get_running_loop())
            self._kill()
            if not code:
                return
            self._say(compiling_failed(code, left))
            await asyncio.sleep(PAUSE)
        self.take(GIVEN_UP)

    def _read(self, process: Process, loop: asyncio.AbstractEventLoop) -> int:
        """Hands on what it says, and gives its exit code."""
        assert process.stdout
        for line in process.stdout:
            loop.call_soon_threadsafe(self.take, line)
        return process.wait()

    def _kill(self) -> None:
        if self._process:
            kill(self._process)
            self._process = None


def compiling_failed(code: int, left: int) -> str:
    next_step = f"it is tried {left} times more" if left else "the server does it while serving, slowly"
    return f"the process that compiles has ended (exit code {code}): {next_step}"


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
