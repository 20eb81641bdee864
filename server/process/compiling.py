"""Compilation of all kernels of a server into the cache, by several processes.

    python -m treewhile.server.process.compiling en af --trees=mh4

One process hands out parts, and forks helpers that compile them; modules that several parts need are imported
once. Each line on standard output reports the progress:

    0.31 L0      share of the work that is done, and levels that are compiled

A helper that dies is replaced, and the new one continues from the cache; a part at which helpers die
repeatedly ends the whole process. When all levels are compiled, kernels are built as a library for the next
start. All processes end when the process at the other end of standard input does.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import stat
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

from treewhile.incremental.building.builder import build
from treewhile.incremental.compiling import ALL_PARTS, LEVELS, Part, parts_for
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles.errors import InputError
from treewhile.oracles.watched_compilation import counted
from treewhile.server.errors import CompilingError
from treewhile.server.process.compiling_process import DETACHED, LEVEL, TREES
from treewhile.server.work.cores import cores

MOST_PROCESSES: Final = 4  # a quarter of a gigabyte for each
MOST_TRIES: Final = 3  # for one part
LONGEST: Final = 900  # seconds, if no server waits for the result
LOWEST: Final = 19
NICENESS: Final = 10  # for levels after the first ones, which users wait for
FIRST_LEVELS: Final = ("L0", "L1")

STEP, DONE = b".", b"\n"  # messages of a helper: one more function is compiled, and a part is done
ALMOST: Final = 0.95  # largest share of an unfinished part, which may have more functions than expected


@dataclass(slots=True, eq=False)
class _Helper:
    """Helper process, and its present part."""

    pid: int
    line: socket.socket
    part: Part | None = None


class Work:
    """State of the work: finished, running and waiting parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._levels = {part.level for part in parts}
        self._waiting = [*parts]
        self._done: set[str] = set()
        self._functions: dict[str, int] = {}  # number of compiled functions of running parts
        self._tries: dict[str, int] = {}

    @property
    def is_done(self) -> bool:
        return len(self._done) == len(self._parts)

    @property
    def share(self) -> float:
        """Share of the work that is done."""
        done = sum(part.seconds * self._share_of(part) for part in self._parts)
        return done / sum(part.seconds for part in self._parts)

    def _share_of(self, part: Part) -> float:
        if part.name in self._done:
            return 1.0
        return min(self._functions.get(part.name, 0) / part.functions, ALMOST)

    @property
    def levels(self) -> list[str]:
        """Levels whose parts are all done."""
        missing = {part.level for part in self._parts if part.name not in self._done}
        return [level for level in LEVELS if level in self._levels - missing]

    def take(self) -> Part | None:
        """Take the next part whose requirements are done, or return None."""
        for part in self._waiting:
            if self._done.issuperset(part.rests_on):
                self._waiting.remove(part)
                return part
        return None

    def advance(self, part: Part, functions: int) -> None:
        """Note more compiled functions of a part."""
        self._functions[part.name] = self._functions.get(part.name, 0) + functions

    def finish(self, part: Part) -> None:
        """Note that a part is done."""
        self._done.add(part.name)

    def put_back(self, part: Part) -> None:
        """Put back the part of a dead helper; raise CompilingError after MOST_TRIES."""
        self._tries[part.name] = self._tries.get(part.name, 0) + 1
        if self._tries[part.name] >= MOST_TRIES:
            raise CompilingError(f"what compiles {part.name} has ended {MOST_TRIES} times before it was done")
        self._waiting.insert(0, part)


def say_progress(work: Work) -> None:
    """Print the progress on standard output."""
    print(" ".join([f"{work.share:.3f}", *work.levels]), flush=True)


class Workshop:
    """Pool of helper processes."""

    def __init__(self, model: Model, work: Work, processes: int) -> None:
        self._model, self._work, self._processes = model, work, processes
        self._helpers: list[_Helper] = []
        self._alive, self._ours = os.pipe()  # nobody writes: the pipe closes when this process dies

    def run(self) -> None:
        """Compile all parts; exit early if no server waits any more."""
        try:
            while not self._work.is_done:
                self._hand_out()
                self._listen()
        finally:
            self._end()

    def _hand_out(self) -> None:
        idle = [helper for helper in self._helpers if helper.part is None]
        while idle or len(self._helpers) < self._processes:
            part = self._work.take()
            if part is None:
                return
            helper = idle.pop() if idle else self._new_helper()
            helper.part = part
            with suppress(OSError):  # the helper is dead, which its socket will show
                helper.line.send(part.name.encode() + DONE)

    def _listen(self) -> None:
        lines: dict[Any, _Helper] = {helper.line: helper for helper in self._helpers}
        found, _, _ = select.select([*lines, *_whoever_waits()], [], [])
        for one in found:
            if one in lines:
                self._take(lines[one])
            elif not os.read(0, 4096):
                sys.exit(1)

    def _take(self, helper: _Helper) -> None:
        try:
            told = helper.line.recv(64)
        except OSError:
            told = b""
        if not told:
            self._take_death(helper)
            return
        assert helper.part
        self._work.advance(helper.part, told.count(STEP))
        if DONE in told:
            self._work.finish(helper.part)
            helper.part = None
        say_progress(self._work)

    def _take_death(self, helper: _Helper) -> None:
        part, helper.part = helper.part, None
        self._forget(helper)
        if part:
            self._work.put_back(part)

    # --- processes ------------------------------------------------------------------------------------------

    def _new_helper(self) -> _Helper:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            ours.close()
            self._help(theirs)
        theirs.close()
        self._helpers.append(_Helper(pid, ours))
        return self._helpers[-1]

    def _help(self, line: socket.socket) -> None:
        """Run a helper process. Does not return."""
        try:
            os.close(self._ours)
            for helper in self._helpers:
                helper.line.close()
            threading.Thread(target=_end_with, args=[self._alive], daemon=True).start()
            parts = {part.name: part for part in ALL_PARTS}
            for name in line.makefile():
                part = parts[name.strip()]
                if part.level not in FIRST_LEVELS:
                    _give_way()
                with counted(partial(line.send, STEP)):
                    part.run(self._model)
                line.send(DONE)
        except (BrokenPipeError, ConnectionResetError):
            pass  # no server waits any more
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)

    def _forget(self, helper: _Helper) -> None:
        helper.line.close()
        os.waitpid(helper.pid, 0)
        self._helpers.remove(helper)

    def _end(self) -> None:
        for helper in [*self._helpers]:
            with suppress(ProcessLookupError):
                os.kill(helper.pid, signal.SIGKILL)
            self._forget(helper)


def _whoever_waits() -> Iterator[int]:
    """Yield the file descriptor of standard input if it is a pipe or a socket."""
    mode = os.fstat(0).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        yield 0


def _end_with(alive: int) -> None:
    os.read(alive, 1)
    os._exit(1)


def _give_way() -> None:
    os.setpriority(os.PRIO_PROCESS, 0, NICENESS)


# --- without fork -------------------------------------------------------------------------------------------


def _run_alone(model: Model, work: Work) -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    while part := work.take():
        part.run(model)
        work.finish(part)
        say_progress(work)


def _end_with_input() -> None:
    if [*_whoever_waits()]:
        while os.read(0, 4096):
            pass
        os._exit(1)


def main(arguments: Sequence[str]) -> None:
    """Compile the kernels for the first model with a segmenter, and for the classes of trees of all models.

    Other models need no further kernels.
    """
    if DETACHED in arguments and not _may_go_on():
        return
    levels = {one.removeprefix(LEVEL) for one in arguments if one.startswith(LEVEL)} or {*LEVELS}
    trees = next((one.removeprefix(TREES) for one in arguments if one.startswith(TREES)), None)
    models = [load_model(name, trees) for name in arguments if not name.startswith("--")]
    model = next((model for model in models if model.segmenter), models[0])
    parts = parts_for({model.trees for model in models})
    work = Work([part for part in parts if part.level in levels])
    gc.freeze()  # so that garbage collection does not copy shared pages
    if hasattr(os, "fork"):
        Workshop(model, work, min(cores(), MOST_PROCESSES)).run()
    else:
        _run_alone(model, work)
    if levels == {*LEVELS}:
        _build_for_next_start()


def _build_for_next_start() -> None:
    """Build a library of the kernels, at the lowest priority, until standard input ends."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    os.nice(LOWEST)
    build()


def _may_go_on() -> bool:
    """Return whether this detached process may compile: only one at a time may, with a time limit."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    place = Path(gettempdir()) / f"treewhile-compiling-{os.getuid()}"
    try:
        lock = os.open(place, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    signal.alarm(LONGEST)
    _give_way()
    return True


if __name__ == "__main__":
    if hasattr(signal, "pthread_sigmask"):  # a server blocks signals while it starts
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    try:
        main(sys.argv[1:])
    except (InputError, CompilingError, BrokenPipeError):
        os._exit(1)  # the server reports errors of a model, or is gone
