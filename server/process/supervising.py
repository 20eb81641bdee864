"""Several processes on one port, and the one that begins them again when they die.

The supervisor loads the models once, and what first analyses and L1 run on, and forks: workers share its
memory, and a new one is there in milliseconds. It has one thread and no loop, so there is nothing that a fork
could break. What is not compiled yet it leaves to another process, whose progress it hands on to its workers:
they serve meanwhile, and load each level when it is there. Each worker has a
listening socket of its own on the same port, which spreads clients evenly; the supervisor has these sockets,
too, so what waits to be accepted by a worker that dies is accepted by the one that takes its place. A worker
that dies again and again gets ever longer pauses, in which its socket is closed and clients reach the others.

    SIGTERM, SIGINT   workers drain, then the supervisor ends
    SIGHUP            the supervisor loads the models anew, then each worker, which serves with the old ones
                      until then; where they cannot be loaded nothing changes
    kill -9           each worker finds its pipe closed, drains, and ends
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple

from treewhile.oracles.errors import InputError
from treewhile.server.limits import Limits
from treewhile.server.logs import Log
from treewhile.server.process.compiling_process import Lines, Process, begin, kill, progress_of
from treewhile.server.process.running import COMPILE, ready, run_worker
from treewhile.server.process.server import Server
from treewhile.server.process.warming import (
    COMPILING,
    GIVEN_UP,
    MOST_TRIES,
    Say,
    compiling_failed,
    is_warm,
    warm,
)
from treewhile.server.work.engines import Engine, load_engines

STEADY_SECONDS: Final = 10.0  # a worker that dies earlier has to wait
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 15.0  # seconds
KEEP_SOCKET: Final = 1.0  # seconds of a pause in which clients may wait for a worker
AFTER_DRAIN: Final = 10.0  # seconds; a worker that has not ended by then is killed
BACKLOG: Final = 1024
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

SHARED_LEVELS: Final = ("L0", "L1")  # which workers have from the supervisor, when it has them

MakeServer = Callable[[int, Sequence[socket.socket], Mapping[str, Engine], Sequence[str]], Server]


@dataclass(slots=True)
class _Worker:
    """A worker, or the place of one that is dead: `pid` is 0 then."""

    number: int
    sockets: list[socket.socket] = field(default_factory=list)
    pid: int = 0
    pipe: socket.socket | None = None
    lines: Lines = field(default_factory=Lines)
    is_ready: bool = False
    is_mute: bool = False  # nothing more will be heard of it
    began_at: float = 0.0
    pause: float = 0.0
    due_at: float = 0.0  # when it begins again


class Supervisor:
    """Begins workers, and begins them again, until it is told to end."""

    def __init__(
        self,
        host: str,
        port: int,
        workers: int,
        models: Sequence[str],
        limits: Limits,
        say: Say,
        log: Log,
        compiling: Process | None = None,  # that has begun already
    ) -> None:
        self._models, self._limits, self._say, self._log = models, limits, say, log
        self._workers = [_Worker(number) for number in range(workers)]
        self._places = _places(host, port)
        self._reserve = [_bound(place) for place in self._places]  # the port stays ours, whoever dies
        self.port: int = self._reserve[0].getsockname()[1]
        self._engines: Mapping[str, Engine] = {}
        self._levels: list[str] = []  # that are loaded here
        self._compiling = compiling
        self._tries = 0
        self._lines, self._progress = Lines(), b""  # the last one
        self._is_told = self._is_ending = False
        self._kill_at = float("inf")

    def run(self, make_server: MakeServer) -> None:
        """Returns when all workers have ended."""
        self._make_server = make_server
        with _waking() as wake:
            self._load()
            try:
                while not self._is_ending or any(worker.pid for worker in self._workers):
                    self._begin_those_due(wake)
                    self._wait(wake)
                    self._look_after()
            finally:
                self._end_compiling()

    # --- models ---------------------------------------------------------------------------------------------

    def _load(self) -> None:
        start = perf_counter()
        self._engines = load_engines(self._models)
        self._share_levels()
        self._say(f"{', '.join(self._models)}: loaded in {perf_counter() - start:.1f} s")
        gc.collect()
        gc.freeze()  # so that looking for garbage does not copy what is shared

    def _share_levels(self) -> None:
        """Loads what workers share, as far as it is compiled."""
        for level in SHARED_LEVELS:
            if level not in self._levels and not is_warm(self._engines.values(), level):
                return
            self._levels = [*dict.fromkeys([*self._levels, level])]

    def _load_again(self) -> None:
        try:
            engines = load_engines(self._models)
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
            return
        for level in self._levels:
            warm(engines.values(), level)
        self._engines = engines
        self._log.info("loaded anew", models=[*self._models])
        self._signal(signal.SIGHUP)

    # --- compiling ------------------------------------------------------------------------------------------

    def _compile(self) -> None:
        """Begins to compile, unless that has been begun, or is given up."""
        if not self._compiling and self._progress != GIVEN_UP:
            self._say(COMPILING)
            self._compiling = begin(self._models)

    def _take_progress(self) -> None:
        """The next lines of what compiles."""
        assert self._compiling
        assert self._compiling.stdout
        told = os.read(self._compiling.stdout.fileno(), 4096)
        for line in self._lines.added(told):
            self._tell_progress(line)
        if told:
            return
        code = self._compiling.wait()
        self._end_compiling()
        if code:
            self._try_again(code)

    def _try_again(self, code: int) -> None:
        self._tries += 1
        left = MOST_TRIES - self._tries
        self._say(compiling_failed(code, left))
        if left:
            self._compiling = begin(self._models)
        else:
            self._tell_progress(GIVEN_UP)

    def _tell_progress(self, line: bytes) -> None:
        self._progress = line
        for worker in self._workers:
            if worker.pipe:
                with suppress(OSError):
                    worker.pipe.send(line + b"\n")
        if {*SHARED_LEVELS} <= {*progress_of(self._progress)[1]}:
            self._share_levels()

    def _end_compiling(self) -> None:
        if self._compiling:
            kill(self._compiling)
            self._compiling, self._lines = None, Lines()

    # --- workers --------------------------------------------------------------------------------------------

    def _begin_those_due(self, wake: socket.socket) -> None:
        for worker in self._workers:
            if not (worker.pid or self._is_ending) and worker.due_at <= time.monotonic():
                worker.sockets = worker.sockets or [self._listening(place) for place in self._places]
                self._begin(worker, wake)

    def _listening(self, place: _Place) -> socket.socket:
        listening = _bound(place._replace(port=self.port))
        listening.listen(BACKLOG)
        return listening

    def _begin(self, worker: _Worker, wake: socket.socket) -> None:
        worker.pipe, theirs = socket.socketpair()
        worker.lines = Lines()
        worker.began_at, worker.is_ready, worker.is_mute = time.monotonic(), False, False
        sys.stdout.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # what comes now is for the handlers to be
        worker.pid = os.fork()
        if not worker.pid:
            self._work(worker, theirs, wake)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        theirs.close()
        if self._progress:
            worker.pipe.send(self._progress + b"\n")

    def _work(self, worker: _Worker, supervisor: socket.socket, wake: socket.socket) -> None:
        """The life of a worker. Does not return."""
        code = 1
        try:
            self._close_what_is_not_for(worker, wake)
            server = self._make_server(worker.number, worker.sockets, self._engines, self._levels)
            run_worker(server, self._models, partial(self._say_for, worker), supervisor)
            code = 0
        except InputError as error:
            self._say_for(worker, str(error))
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)

    def _say_for(self, worker: _Worker, line: str) -> None:
        self._say(f"worker {worker.number}: {line}")

    def _close_what_is_not_for(self, worker: _Worker, wake: socket.socket) -> None:
        """So that a pipe is closed when the supervisor is dead, and a port is free when all are."""
        signal.set_wakeup_fd(-1)
        wake.close()
        if self._compiling and self._compiling.stdin and self._compiling.stdout:
            self._compiling.stdin.close()
            self._compiling.stdout.close()
        for other in self._workers:
            if other.pipe:
                other.pipe.close()
            if other is not worker:
                _close(other.sockets)
        _close(self._reserve)

    def _look_after(self) -> None:
        for worker in self._workers:
            if worker.pid:
                pid, status = os.waitpid(worker.pid, os.WNOHANG)
                if pid:
                    self._take_death(worker, os.waitstatus_to_exitcode(status))
        if time.monotonic() >= self._kill_at:
            self._signal(signal.SIGKILL)

    def _take_death(self, worker: _Worker, code: int) -> None:
        if worker.pipe:
            worker.pipe.close()
        worker.pid, worker.pipe = 0, None
        if self._is_ending:
            return
        now = time.monotonic()
        if now - worker.began_at < STEADY_SECONDS:
            worker.pause = min(max(FIRST_PAUSE, 2 * worker.pause), LONGEST_PAUSE)
        else:
            worker.pause = 0.0
        worker.due_at = now + worker.pause
        if worker.pause > KEEP_SOCKET:
            _close(worker.sockets)
        self._log.error("worker died", worker=worker.number, code=code, seconds_to_next=worker.pause)

    def _signal(self, number: int) -> None:
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, number)

    # --- what comes -----------------------------------------------------------------------------------------

    def _wait(self, wake: socket.socket) -> None:
        """Until there is something to do, and does what is told."""
        due = [worker.due_at for worker in self._workers if not (worker.pid or self._is_ending)]
        timeout = min([*due, self._kill_at, time.monotonic() + 1.0]) - time.monotonic()
        pipes = {worker.pipe: worker for worker in self._workers if worker.pipe and not worker.is_mute}
        listened: list[Any] = [wake, *pipes, *([self._compiling.stdout] if self._compiling else [])]
        found, _, _ = select.select(listened, [], [], max(0.0, timeout))
        for one in found:
            if one is wake:
                self._take_signals({*wake.recv(4096)})
            elif one in pipes:
                self._take_words(pipes[one])
            else:
                self._take_progress()

    def _take_words(self, worker: _Worker) -> None:
        """A worker wants something compiled, or says its address, since it is ready there."""
        assert worker.pipe
        try:
            told = worker.pipe.recv(4096)
        except OSError:
            told = b""
        worker.is_mute = not told
        for line in worker.lines.added(told):
            if line == COMPILE:
                self._compile()
            else:
                worker.is_ready = True
                self._tell_all_are_ready(line.decode())

    def _tell_all_are_ready(self, address: str) -> None:
        if not self._is_told and all(one.is_ready for one in self._workers):
            self._is_told = True
            self._say(ready(address))

    def _take_signals(self, numbers: set[int]) -> None:
        if signal.SIGHUP in numbers and not self._is_ending:
            self._load_again()
        if numbers & {signal.SIGTERM, signal.SIGINT} and not self._is_ending:
            self._is_ending = True
            self._log.info("ending", workers=sum(worker.pid > 0 for worker in self._workers))
            self._kill_at = time.monotonic() + self._limits.drain_seconds + AFTER_DRAIN
            self._signal(signal.SIGTERM)
            for worker in self._workers:
                _close(worker.sockets)


@contextmanager
def _waking() -> Iterator[socket.socket]:
    """A socket that has the numbers of signals as they come; they do nothing else in the block."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # those that were held back come now
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


# --- sockets ------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    family: int
    host: str
    port: int


def _places(host: str, port: int) -> list[_Place]:
    """The addresses of a host, all with the port that is free, if any is."""
    where = f"{host} port {port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        places = [*dict.fromkeys(_Place(family, str(address[0]), port) for family, _, _, _, address in found)]
        with _bound(places[0], is_shared=False) as probe:  # one that is shared would share a port in use, too
            free = probe.getsockname()[1]
        return [place._replace(port=free) for place in places]
    except OSError as error:
        what = f"cannot listen at {where} ({error.strerror or error})"
        raise InputError(f"{what}: choose another one") from None


def _bound(place: _Place, is_shared: bool = True) -> socket.socket:
    bound = socket.socket(place.family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if place.family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        bound.bind((place.host, place.port))
    except OSError:
        bound.close()
        raise
    return bound


def _close(sockets: list[socket.socket]) -> None:
    for one in sockets:
        one.close()
    sockets.clear()
