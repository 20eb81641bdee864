"""Main loop of a server process: loading of models, signals, and draining at the end."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from socket import socket
from time import perf_counter
from typing import Any, Final

from treewhile.oracles.compilation import begin_to_replace
from treewhile.oracles.errors import InputError
from treewhile.server.logs import Say, place_of
from treewhile.server.process.desk import DeskOfSupervisor
from treewhile.server.process.server import Server
from treewhile.server.process.settings import keep_waits_short, leave_out_of_collections

TRIM_SECONDS: Final = 5.0

DESK: Final = b"desk"  # request of a worker for the desk process


def run(make_server: Callable[[], Server], say: Say) -> None:
    """Serve until SIGTERM or SIGINT, then drain and end the process; SIGHUP loads everything again."""
    _run(partial(_serve, make_server, say))


def run_worker(server: Server, say: Say, supervisor: socket) -> None:
    """Serve as one of several workers, until the supervisor ends it or dies, then end the process."""
    _run(partial(_serve_for, server, say, supervisor))


def _run(serving: Callable[[], Coroutine[Any, Any, None]]) -> None:
    keep_waits_short()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serving())
        _end_process()


def _end_process() -> None:
    """End the process, whatever its threads are doing.

    The event loop would wait for threads at its end. The interpreter would stop them when they next take its
    lock; a thread that comes out of the compiler, which calls back into Python while it loads a kernel, can
    then abort the process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the loop factory of uvloop, if that is available."""
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


def ready(address: str) -> str:
    """Return the line that reports a server as ready at an address."""
    return f"ready: open {address} in a browser, or connect to {address.replace('http', 'ws', 1)}"


async def _serve(make_server: Callable[[], Server], say: Say) -> None:
    server = make_server()
    loading = Loading(server, say)
    async with _running(server, loading) as ending:
        say(ready(server.address))
        loading.begin_first(ending)
        await ending.wait()
    if loading.failed:
        raise loading.failed


async def _serve_for(server: Server, say: Say, supervisor: socket) -> None:
    supervisor.setblocking(False)
    if server.desk:
        server.desk = DeskOfSupervisor(server.desk, partial(supervisor.send, DESK + b"\n"))
    loading = Loading(server, say)
    async with _running(server, loading) as ending:
        asyncio.get_running_loop().add_reader(supervisor, _listen_to, supervisor, ending)
        supervisor.send(server.address.encode() + b"\n")  # reports readiness
        loading.begin_first(ending)
        await ending.wait()
        asyncio.get_running_loop().remove_reader(supervisor)


def _listen_to(supervisor: socket, ending: asyncio.Event) -> None:
    if not supervisor.recv(4096):  # the supervisor is dead
        ending.set()


@asynccontextmanager
async def _running(server: Server, loading: Loading) -> AsyncIterator[asyncio.Event]:
    """Start a server, yield the event that should end the block, and drain the server then."""
    ending = asyncio.Event()
    _on_signals({"SIGTERM": ending.set, "SIGINT": ending.set, "SIGHUP": loading.begin_again})
    try:
        await server.start()
    except OSError as error:
        where = f"{server.place.host} port {server.place.port}"
        raise InputError(
            f"cannot listen at {where} ({error.strerror or error}): choose another one"
        ) from None
    trimming = asyncio.create_task(_give_memory_back())
    try:
        yield ending
    finally:
        await loading.end()
        trimming.cancel()
        await server.drain()


async def _give_memory_back() -> None:
    """Return free pages in the heap of glibc to the system from time to time.

    Large temporary arrays leave holes between sessions, which would take twice the memory of the sessions
    themselves. Allocating such arrays with mmap would cost a tenth more time.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    while trim is not None:  # other C libraries lack malloc_trim
        await asyncio.sleep(TRIM_SECONDS)
        await asyncio.to_thread(trim, 0)


def _on_signals(handlers: dict[str, Callable[[], None]]) -> None:
    loop = asyncio.get_running_loop()
    for name, handler in handlers.items():
        number = getattr(signal, name, None)  # Windows lacks some signals
        if number is not None and sys.platform != "win32":
            loop.add_signal_handler(number, handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])  # blocked until here


# --- loading ------------------------------------------------------------------------------------------------


class Loading:
    """Loader of models that clients need not ask for; former ones serve until others are loaded."""

    def __init__(self, server: Server, say: Say) -> None:
        self._server, self._say = server, say
        self._task: asyncio.Task[None] | None = None
        self.failed: InputError | None = None  # error of the default model, which ends the server

    def begin_first(self, ending: asyncio.Event) -> None:
        """Start to load the default model, unless the server has it; an error sets `ending`."""
        begin_to_replace()
        if self._server.preparations.engines.is_ready:
            leave_out_of_collections()
        else:
            self._begin(self._first(ending))

    def begin_again(self) -> None:
        """Start to load models and files again, if models were loaded before."""
        if self._server.preparations.engines.is_ready:
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
            await self._timed(self._server.preparations.load())
        except InputError as error:
            self.failed = error
            ending.set()
            return
        leave_out_of_collections()

    async def _again(self) -> None:
        self._server.entrance.read_files()
        engines = self._server.preparations.engines
        await self._timed(engines.load_again())
        if self._server.desk:
            self._server.desk.renew()
        self._server.log.info("loaded anew", models=[*engines.loaded])

    async def _timed(self, loading: Awaitable[object]) -> None:
        """Await models, and say which are loaded, and how long that took."""
        start = perf_counter()
        await loading
        self._say(self._server.preparations.engines.told_of_loading(perf_counter() - start))

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
        except Exception as error:
            self._server.log.error("loading failed", error=place_of(error))
