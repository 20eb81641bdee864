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

import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

from treewhile.oracles.errors import InputError
from treewhile.server.limits import Limits
from treewhile.server.logs import Log
from treewhile.server.process.compiling_process import Compiler, Lines, Process, Say, close_pipes, progress_of
from treewhile.server.process.desk import DeskProcess
from treewhile.server.process.listening import Listening, close_all
from treewhile.server.process.running import COMPILE, DESK, ready, run_worker
from treewhile.server.process.server import Server
from treewhile.server.process.shared_engines import SHARED_LEVELS, SharedEngines
from treewhile.server.process.warming import GIVEN_UP
from treewhile.server.process.workers import Worker
from treewhile.server.work.engines import Engine
from treewhile.server.work.served_models import ServedModels

AFTER_DRAIN: Final = 0.8  # seconds; a worker that is still running after that is killed
LONGEST_WAIT: Final = 1.0  # seconds
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

MakeServer = Callable[[int, Sequence[socket.socket], Mapping[str, Engine], Sequence[str]], Server]


class Supervisor:
    """Begins workers, and begins them again, until it is told to end."""

    def __init__(
        self,
        host: str,
        port: int,
        workers: int,
        models: ServedModels,
        limits: Limits,
        say: Say,
        log: Log,
        compiling: Process | None = None,  # that has begun already
        desk: DeskProcess | None = None,
    ) -> None:
        self._limits, self._say, self._log, self._desk = limits, say, log, desk
        self._workers = [Worker(number) for number in range(workers)]
        self._listening = Listening(host, port)
        self._shared = SharedEngines(models)
        self._compiler = Compiler(models, say, compiling)
        self._lines, self._progress = Lines(), b""  # of what compiles, and the last one
        self._is_told = self._is_ending = False
        self._kill_at = float("inf")

    @property
    def port(self) -> int:
        """Where all workers listen."""
        return self._listening.port

    def run(self, make_server: MakeServer) -> None:
        """Returns when all workers have ended."""
        self._shared.load(self._say)
        with _waking() as wake:
            try:
                while not self._is_ending or any(worker.pid for worker in self._workers):
                    self._begin_those_due(make_server, wake)
                    self._wait(wake)
                    self._bury_the_dead()
            finally:
                self._compiler.end()
                if self._desk:
                    self._desk.end()

    # --- workers --------------------------------------------------------------------------------------------

    def _begin_those_due(self, make_server: MakeServer, wake: socket.socket) -> None:
        now = time.monotonic()
        for worker in self._workers:
            if worker.is_due(now) and not self._is_ending:
                worker.sockets = worker.sockets or self._listening.new_sockets()
                self._begin(worker, make_server, wake)

    def _begin(self, worker: Worker, make_server: MakeServer, wake: socket.socket) -> None:
        theirs = worker.begin(time.monotonic())
        sys.stdout.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # what comes now is for the handlers to be
        worker.pid = os.fork()
        if not worker.pid:
            self._work(worker, make_server, theirs, wake)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        theirs.close()
        if self._progress:
            worker.tell(self._progress)

    def _work(
        self, worker: Worker, make_server: MakeServer, supervisor: socket.socket, wake: socket.socket
    ) -> None:
        """The life of a worker. Does not return."""
        code = 1
        say = partial(self._say_for, worker)
        try:
            self._close_what_is_not_for(worker, wake)
            shared = self._shared
            server = make_server(worker.number, worker.sockets, shared.engines, shared.levels)
            run_worker(server, shared.models, say, supervisor)
            code = 0
        except InputError as error:
            say(str(error))
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)

    def _say_for(self, worker: Worker, line: str) -> None:
        self._say(f"worker {worker.number}: {line}")

    def _close_what_is_not_for(self, worker: Worker, wake: socket.socket) -> None:
        """So that a pipe is closed when the supervisor is dead, and a port is free when all are."""
        signal.set_wakeup_fd(-1)
        wake.close()
        if self._compiler.process:
            close_pipes(self._compiler.process)
        if self._desk:
            self._desk.close_for_worker()
        for other in self._workers:
            if other.pipe:
                other.pipe.close()
            if other is not worker:
                close_all(other.sockets)
        self._listening.close()

    def _bury_the_dead(self) -> None:
        for worker in self._workers:
            code = worker.exit_code()
            if code is not None:
                worker.bury()
                if not self._is_ending:
                    pause = worker.wait_for_next(time.monotonic())
                    self._log.error("worker died", worker=worker.number, code=code, seconds_to_next=pause)
        if time.monotonic() >= self._kill_at:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for worker in self._workers:
            worker.signal(number)

    # --- what comes -----------------------------------------------------------------------------------------

    def _wait(self, wake: socket.socket) -> None:
        """Until there is something to do, and does what is told."""
        due = [worker.due_at for worker in self._workers if not (worker.pid or self._is_ending)]
        timeout = min([*due, self._kill_at, time.monotonic() + LONGEST_WAIT]) - time.monotonic()
        pipes = {worker.pipe: worker for worker in self._workers if worker.is_heard}
        compiling = [self._compiler.process.stdout] if self._compiler.process else []
        listened: list[Any] = [wake, *pipes, *compiling]
        found, _, _ = select.select(listened, [], [], max(0.0, timeout))
        for one in found:
            if one is wake:
                self._take_signals({*wake.recv(4096)})
            elif one in pipes:
                self._take_words(pipes[one])
            else:
                self._take_progress()

    def _take_words(self, worker: Worker) -> None:
        """A worker asks for what is compiled or for the desk, or says its address, where it is ready."""
        for line in worker.told():
            if line == COMPILE:
                self._compiler.ask()
            elif line == DESK:
                if self._desk:
                    self._desk.wake()
            else:
                worker.is_ready = True
                self._tell_all_are_ready(line.decode())

    def _tell_all_are_ready(self, address: str) -> None:
        if not self._is_told and all(one.is_ready for one in self._workers):
            self._is_told = True
            self._say(ready(address))

    def _take_progress(self) -> None:
        """The next lines of what compiles, or its end."""
        process = self._compiler.process
        assert process
        assert process.stdout
        told = os.read(process.stdout.fileno(), 4096)
        for line in self._lines.added(told):
            self._tell_progress(line)
        if not told:
            self._lines = Lines()
            if self._compiler.take_end(process.wait()):
                self._tell_progress(GIVEN_UP)

    def _tell_progress(self, line: bytes) -> None:
        self._progress = line
        for worker in self._workers:
            worker.tell(line)
        if {*SHARED_LEVELS} <= {*progress_of(line)[1]}:
            self._shared.share_levels()

    def _take_signals(self, numbers: set[int]) -> None:
        if signal.SIGHUP in numbers and not self._is_ending:
            self._load_again()
        if numbers & {signal.SIGTERM, signal.SIGINT} and not self._is_ending:
            self._end()

    def _load_again(self) -> None:
        try:
            self._shared.load_again()
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
            return
        self._log.info("loaded anew", models=[*self._shared.models.names])
        if self._desk:
            self._desk.renew()
        self._signal(signal.SIGHUP)

    def _end(self) -> None:
        self._is_ending = True
        self._log.info("ending", workers=sum(worker.pid > 0 for worker in self._workers))
        self._kill_at = time.monotonic() + self._limits.drain_seconds + AFTER_DRAIN
        self._signal(signal.SIGTERM)
        for worker in self._workers:
            close_all(worker.sockets)


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
