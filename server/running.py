"""A server as a process: it gets ready, answers signals, and ends when it is told to."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from socket import socket
from time import perf_counter
from typing import Any, Final

from treewhile.oracles.errors import InputError
from treewhile.server.logs import place_of
from treewhile.server.serving import Server
from treewhile.server.warming import Say, join_search, warm_engines, warm_rest

SWITCH_INTERVAL: Final = 0.0005  # seconds that a thread may keep the loop waiting, a tenth of the usual
COLLECT_AFTER: Final = 3_000  # objects; usual are 700, most of which are still in use
TRIM_SECONDS: Final = 5.0

COMPILED: Final = b"c"  # from a supervisor to its workers


def run(make_server: Callable[[], Server], models: Sequence[str], say: Say) -> None:
    """Serves until SIGTERM or SIGINT, then drains. SIGHUP loads models and files anew."""
    _run(_serve(make_server(), models, say))


def run_worker(server: Server, models: Sequence[str], say: Say, supervisor: socket, has_search: bool) -> None:
    """Serves as one of several, with the engines that its server has, until told to end or left alone."""
    _run(_serve_for(server, models, say, supervisor, has_search))


def _run(serving: Coroutine[Any, Any, None]) -> None:
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serving)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop's, where there is one."""
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


async def _serve(server: Server, models: Sequence[str], say: Say) -> None:
    loading = _Loading(server, models, say)
    async with _running(server, loading) as ending:
        await loading.first()
        say(ready(server.address))
        await ending.wait()


def ready(address: str) -> str:
    """What is said once there is somebody at an address."""
    return f"ready: open {address} in a browser, or connect to {address.replace('http', 'ws', 1)}"


async def _serve_for(
    server: Server, models: Sequence[str], say: Say, supervisor: socket, has_search: bool
) -> None:
    loading = _Loading(server, models, say, has_search)
    async with _running(server, loading) as ending:
        supervisor.setblocking(False)
        asyncio.get_running_loop().add_reader(supervisor, _listen_to, supervisor, loading, ending)
        supervisor.send(server.address.encode())  # it is ready there
        if has_search:
            loading.join()
        await ending.wait()
        asyncio.get_running_loop().remove_reader(supervisor)


def _listen_to(supervisor: socket, loading: _Loading, ending: asyncio.Event) -> None:
    told = supervisor.recv(16)
    if not told:  # it is dead
        ending.set()
    elif COMPILED in told:
        loading.join()


@asynccontextmanager
async def _running(server: Server, loading: _Loading) -> AsyncIterator[asyncio.Event]:
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
        _on_signals({"SIGTERM": ending.set, "SIGINT": ending.set, "SIGHUP": loading.begin})
        yield ending
    finally:
        loading.end()
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


class _Loading:
    """Models on their way; those that are there serve until others can take their place."""

    def __init__(
        self, server: Server, models: Sequence[str], say: Say, has_search: bool | None = None
    ) -> None:
        self._server, self._models, self._say = server, models, say
        self._has_search = has_search  # whether it is compiled; None where that is ours to do
        self._task: asyncio.Task[None] | None = None

    async def first(self) -> None:
        self._server.engines = await warm_engines(self._models, self._say)
        gc.collect()
        gc.freeze()  # to look at code and models again would stop the loop for a tenth of a second each time
        self._begin(self._join())

    def join(self) -> None:
        """The search is compiled now."""
        self._has_search = True
        self._begin(self._join())

    def begin(self) -> None:
        self._begin(self._again())

    def end(self) -> None:
        if self._task:
            self._task.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self.end()
        self._task = asyncio.create_task(self._guarded(work))

    async def _again(self) -> None:
        self._server.read_files()
        self._server.engines = await warm_engines(self._models, self._say)
        self._server.log.info("loaded anew", models=[*self._models])
        await self._join()

    async def _join(self) -> None:
        if self._has_search is None:
            await warm_rest(self._server.engines, self._models, self._say)
        elif self._has_search:
            await join_search(self._server.engines, self._say, perf_counter())

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
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])  # a supervisor holds them back until here
