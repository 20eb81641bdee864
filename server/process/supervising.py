"""Supervisor of several worker processes on one port, which restarts workers that die.

The supervisor loads the default model once, and forks: workers share its memory, and a new one starts in
milliseconds. Each loads other models when its clients first use them. The supervisor has one thread and no
event loop, so that forking is safe. Each worker has a listening socket of its own on the same port, which
spreads clients evenly; the supervisor keeps these sockets open, too, so that connections waiting for a dead
worker are accepted by its successor. A worker that dies repeatedly gets longer and longer pauses, in which
its socket is closed and clients reach the others.

    SIGTERM, SIGINT   workers drain, then the supervisor ends
    SIGHUP            the supervisor loads its model again, then each worker all that it has loaded, and
                      serves with the old ones until then; if they cannot be loaded, nothing changes
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

from treewhile.oracles.errors import InputError
from treewhile.server.limits import Limits
from treewhile.server.logs import Log, Say
from treewhile.server.process.desk import DeskProcess
from treewhile.server.process.running import DESK, ready, run_worker
from treewhile.server.process.server import Server
from treewhile.server.process.settings import leave_out_of_collections
from treewhile.server.process.workers import Listening, Worker, close_all
from treewhile.server.work.engines import Engines

AFTER_DRAIN: Final = 0.8  # seconds; a worker that is still running then is killed
LONGEST_WAIT: Final = 1.0  # seconds
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

MakeServer = Callable[[int, Sequence[socket.socket], Engines], Server]


class Supervisor:
    """Supervisor that starts and restarts workers until a signal ends it."""

    def __init__(
        self,
        host: str,
        port: int,
        workers: int,
        engines: Engines,
        limits: Limits,
        say: Say,
        log: Log,
        desk: DeskProcess | None = None,
    ) -> None:
        self._limits, self._say, self._log, self._desk = limits, say, log, desk
        self._workers = [Worker(number) for number in range(workers)]
        self._listening = Listening(host, port)
        self._engines = engines  # that of the default model is shared by the workers
        self._is_told = self._is_ending = False
        self._kill_at = float("inf")

    @property
    def port(self) -> int:
        """Port of all workers."""
        return self._listening.port

    def run(self, make_server: MakeServer) -> None:
        """Run workers until all have ended."""
        self._load()
        with _waking() as wake:
            try:
                while not self._is_ending or any(worker.pid for worker in self._workers):
                    self._begin_those_due(make_server, wake)
                    self._wait(wake)
                    self._bury_the_dead()
            finally:
                if self._desk:
                    self._desk.end()

    def _load(self) -> None:
        start = time.perf_counter()
        self._load_default()
        self._say(self._engines.told_of_loading(time.perf_counter() - start))
        leave_out_of_collections()  # which would copy shared pages

    def _load_default(self) -> None:
        self._engines.keep(self._engines.load(self._engines.default))

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
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the worker has its own handlers
        worker.pid = os.fork()
        if not worker.pid:
            self._work(worker, make_server, theirs, wake)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        theirs.close()

    def _work(
        self, worker: Worker, make_server: MakeServer, supervisor: socket.socket, wake: socket.socket
    ) -> None:
        """Run a worker in the forked process. Does not return."""
        code = 1
        say = partial(self._say_for, worker)
        try:
            self._close_what_is_not_for(worker, wake)
            server = make_server(worker.number, worker.sockets, self._engines)
            run_worker(server, say, supervisor)
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
        """Close descriptors of the supervisor and of other workers in a forked worker.

        Otherwise pipes would stay open after the death of the supervisor, and the port after the end of all
        others.
        """
        signal.set_wakeup_fd(-1)
        wake.close()
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

    # --- events ---------------------------------------------------------------------------------------------

    def _wait(self, wake: socket.socket) -> None:
        """Wait for signals or workers, and handle them."""
        due = [worker.due_at for worker in self._workers if not (worker.pid or self._is_ending)]
        timeout = min([*due, self._kill_at, time.monotonic() + LONGEST_WAIT]) - time.monotonic()
        pipes = {worker.pipe: worker for worker in self._workers if worker.is_heard}
        listened: list[Any] = [wake, *pipes]
        found, _, _ = select.select(listened, [], [], max(0.0, timeout))
        for one in found:
            if one is wake:
                self._take_signals({*wake.recv(4096)})
            else:
                self._take_words(pipes[one])

    def _take_words(self, worker: Worker) -> None:
        """Handle the lines of a worker: a request for the desk, or an address once ready."""
        for line in worker.told():
            if line == DESK:
                if self._desk:
                    self._desk.wake()
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
            self._end()

    def _load_again(self) -> None:
        try:
            self._load_default()
        except InputError as error:
            self._say(f"nothing new was loaded: {error}")
            return
        self._log.info("loaded anew", models=[*self._engines.loaded])
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
    """Yield a socket that receives the numbers of signals; signals have no other effect in the block."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # delivers signals that were blocked
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()
