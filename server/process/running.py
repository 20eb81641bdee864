"""A server as a process: it gets ready, answers signals, and ends when it is told to."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from socket import socket
from time import perf_counter
from typing import Any, Final

from treewhile.incremental.compiling import LEVELS
from treewhile.oracles.errors import InputError
from treewhile.server.logs import place_of
from treewhile.server.process.compiling_process import Lines, Process
from treewhile.server.process.server import Server
from treewhile.server.process.warming import Compiling, Progress, Say, in_thread, is_warm, warm
from treewhile.server.work.engines import Engine, load_engines

SWITCH_INTERVAL: Final = 0.0005  # seconds that a thread may keep the loop waiting, a tenth of the usual
COLLECT_AFTER: Final = 3_000  # objects; usual are 700, most of which are still in use
TRIM_SECONDS: Final = 5.0

COMPILE: Final = b"compile"  # what a worker asks its supervisor for
JOINED: Final = {
    "L0": "first analyses have joined",
    "L1": "better analyses have joined",
    "L2": "the search has joined",
    "steps": "next steps have joined",
}


def run(
    make_server: Callable[[], Server], models: Sequence[str], say: Say, compiling: Process | None = None
) -> None:
    """Serves until SIGTERM or SIGINT, then drains. SIGHUP loads models and files anew.

    What compiles may have begun already.
    """
    _run(partial(_serve, make_server, models, say, compiling))


def run_worker(server: Server, models: Sequence[str], say: Say, supervisor: socket) -> None:
    """Serves as one of several, with the engines that its server has, until told to end or left alone."""
    _run(partial(_serve_for, server, models, say, supervisor))


def _run(serving: Callable[[], Coroutine[Any, Any, None]]) -> None:
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serving())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop's, where there is one."""
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


def ready(address: str) -> str:
    """What is said once there is somebody at an address."""
    return f"ready: open {address} in a browser, or connect to {address.replace('http', 'ws', 1)}"


async def _serve(
    make_server: Callable[[], Server], models: Sequence[str], say: Say, compiling: Process | None
) -> None:
    server = make_server()
    loading = Loading(server, models, say, Compiling(models, say, server.note, compiling))
    async with _running(server, loading) as ending:
        say(ready(server.address))
        loading.begin_first(ending)
        await ending.wait()
    if loading.failed:
        raise loading.failed


async def _serve_for(server: Server, models: Sequence[str], say: Say, supervisor: socket) -> None:
    supervisor.setblocking(False)
    progress = Progress(partial(supervisor.send, COMPILE + b"\n"), server.note)
    loading = Loading(server, models, say, progress)
    async with _running(server, loading) as ending:
        asyncio.get_running_loop().add_reader(supervisor, _listen_to, supervisor, Lines(), progress, ending)
        supervisor.send(server.address.encode() + b"\n")  # it is ready there
        loading.begin_first(ending)
        await ending.wait()
        asyncio.get_running_loop().remove_reader(supervisor)


def _listen_to(supervisor: socket, lines: Lines, progress: Progress, ending: asyncio.Event) -> None:
    told = supervisor.recv(4096)
    if not told:  # it is dead
        ending.set()
    for line in lines.added(told):
        progress.take(line)


@asynccontextmanager
async def _running(server: Server, loading: Loading) -> AsyncIterator[asyncio.Event]:
    """A block in which a server listens, and which should end with the event; then it drains."""
    ending = asyncio.Event()
    try:
        await server.start()
    except OSError as error:
        where = f"{server.place.host} port {server.place.port}"
        raise InputError(
            f"cannot listen at {where} ({error.strerror or error}): choose another one"
        ) from None
    trimming = asyncio.create_task(_give_memory_back())
    try:
        _on_signals({"SIGTERM": ending.set, "SIGINT": ending.set, "SIGHUP": loading.begin_again})
        yield ending
    finally:
        await loading.end()
        trimming.cancel()
        await server.drain()


async def _give_memory_back() -> None:
    """Now and then gives free pages within the heap of glibc back to the system.

    Large arrays that live for milliseconds leave holes between sessions that stay: without this, they take
    twice the memory of the sessions themselves. To map such arrays one by one costs a tenth more time.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    while trim is not None:  # other C libraries have none
        await asyncio.sleep(TRIM_SECONDS)
        await asyncio.to_thread(trim, 0)


class Loading:
    """Models and levels on their way; what is there serves until other models can take its place."""

    def __init__(self, server: Server, models: Sequence[str], say: Say, progress: Progress) -> None:
        self._server, self._models, self._say, self._progress = server, models, say, progress
        self._start = perf_counter()
        self._task: asyncio.Task[None] | None = None
        self.failed: InputError | None = None  # because of which nothing could begin

    def begin_first(self, ending: asyncio.Event) -> None:
        """Loads all; where the models are no good, that is the end."""
        self._begin(self._first(ending))

    def begin_again(self) -> None:
        """Loads models and files anew, if there are any so far."""
        if self._server.engines:
            self._begin(self._again())

    async def end(self) -> None:
        """Leaves it as it is."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._progress.end()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        if self._task:
            self._task.cancel()
        self._task = asyncio.create_task(self._guarded(work))

    async def _first(self, ending: asyncio.Event) -> None:
        if not self._server.engines:
            try:
                self._server.use(await self._loaded())
            except InputError as error:
                self.failed = error
                ending.set()
                return
        gc.collect()
        gc.freeze()  # to look at code and models again would stop the loop for a tenth of a second each time
        await self._join_levels()

    async def _again(self) -> None:
        self._server.read_files()
        engines = await self._loaded()
        for level in self._server.levels:
            await in_thread(warm, engines.values(), level)
        self._server.use(engines)
        self._server.log.info("loaded anew", models=[*self._models])
        await self._join_levels()

    async def _loaded(self) -> dict[str, Engine]:
        start = perf_counter()
        engines = await in_thread(load_engines, self._models)
        self._say(f"{', '.join(self._models)}: loaded in {perf_counter() - start:.1f} s")
        return engines

    async def _join_levels(self) -> None:
        engines = self._server.engines.values()
        for level in LEVELS:
            if level in self._server.levels:
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


def _on_signals(handlers: dict[str, Callable[[], None]]) -> None:
    loop = asyncio.get_running_loop()
    for name, handler in handlers.items():
        number = getattr(signal, name, None)  # Windows has not all of them
        if number is not None and sys.platform != "win32":
            loop.add_signal_handler(number, handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])  # they were held back until here
