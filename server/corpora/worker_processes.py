"""Worker processes of `concurrent.futures`, each of which makes its tool once.

Processes are spawned, not forked, since compiled code and its threads do not survive a fork everywhere. They
end at once when nobody needs them any more, or when their parent has died.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cached_property
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Final, TypeVar

from treewhile.server.errors import ProcessDiedError

Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

HELD: Final = 8  # for each process, items under way or waiting for an earlier one
ENDING: Final = (signal.SIGINT, signal.SIGTERM)


def as_done(
    work: Callable[[Tool, Item], Result], tool: Callable[[], Tool], items: Iterable[Item], processes: int
) -> Generator[tuple[Item, Result]]:
    """Yield every item with `work(tool(), item)`, in any order; the generator has to be closed.

    With one process, the work is done in this process; else `work` and `tool` have to be importable. The
    death of a process is a ProcessDiedError.
    """
    if processes == 1:
        made = tool()
        yield from ((item, work(made, item)) for item in items)
        return
    with _pool(work, tool, processes) as submit:
        submitted = {submit(item): item for item in items}
        for future in as_completed(submitted):
            yield submitted.pop(future), future.result()


def in_order(
    work: Callable[[Tool, Item], Result], tool: Callable[[], Tool], items: Iterable[Item], processes: int
) -> Generator[Result]:
    """Yield `work(tool(), item)` for every item, in their order; otherwise like `as_done`.

    Only a few items for each process are read ahead. An error of `items` comes after all results before it.
    """
    if processes == 1:
        made = tool()
        yield from (work(made, item) for item in items)
        return
    errors: list[Exception] = []
    waiting = deque[Future[Result]]()
    with _pool(work, tool, processes) as submit:
        for item in _until_error(items, errors):
            waiting.append(submit(item))
            while waiting and (len(waiting) == HELD * processes or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    if errors:
        raise errors[0]


def _until_error(items: Iterable[Item], errors: list[Exception]) -> Iterator[Item]:
    try:
        yield from items
    except Exception as error:
        errors.append(error)


@contextmanager
def _pool(
    work: Callable[[Any, Any], Result], tool: Callable[[], Any], processes: int
) -> Iterator[Callable[[Any], Future[Result]]]:
    """Yield the function that submits an item to processes, which end after the block."""
    context = get_context("spawn")
    resource_tracker.ensure_running()  # if started by `submit`, the tracker would let the signals through
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(processes, context, _begin, (theirs, _Task(work, tool)))

    def submit(item: Any) -> Future[Result]:
        with _signals_held():
            return executor.submit(_work_on, item)

    try:
        yield submit
    except BrokenProcessPool:
        raise ProcessDiedError from None
    finally:
        ours.close()
        executor.shutdown(cancel_futures=True)
        theirs.close()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Delay signals during the block, so that none leaves a new process half started.

    A new process inherits the blocked signals. In this process, blocking is not enough, since another thread
    may get a signal that the main thread would handle.
    """
    came: list[int] = []
    handlers = {number: signal.signal(number, lambda one, _: came.append(one)) for number in ENDING}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for one in came:
            signal.raise_signal(one)


# --- in a process -------------------------------------------------------------------------------------------


class _Task:
    """Work of a process, with the tool that it makes for its first item."""

    def __init__(self, work: Callable[[Any, Any], Any], tool: Callable[[], Any]) -> None:
        self._work, self._tool = work, tool

    @cached_property
    def _made(self) -> Any:
        return self._tool()

    def on(self, item: Any) -> Any:
        return self._work(self._made, item)


_tasks: list[_Task] = []  # of this process: one


def _begin(parent: Connection, task: _Task) -> None:
    """Prepare this process, which ends when the other end of its connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    _tasks.append(task)
    Thread(target=_end_after, args=[parent], daemon=True).start()


def _end_after(parent: Connection) -> None:
    with suppress(EOFError, OSError):
        parent.recv_bytes()
    os._exit(1)


def _work_on(item: Any) -> Any:
    return _tasks[0].on(item)


def cores() -> int:
    """Return the number of cores that the system gives to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
