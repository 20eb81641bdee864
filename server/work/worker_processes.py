"""Pool of worker processes that survives the death of any process: another one takes over with its item.

Processes are spawned, not forked, since compiled code and its threads do not survive a fork everywhere. Each
process makes its tool once, and then works on one item at a time. Items are read only when a process can
begin them, and only a few per process if results have to wait for earlier ones.
"""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread, current_thread, main_thread
from typing import Any, Final, TypeVar

from treewhile.server.errors import ProcessDiedError

Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

HELD: Final = 8  # for each process, items under way or waiting for an earlier one

ENDING: Final = (signal.SIGINT, signal.SIGTERM)

# Deaths of processes tolerated for one item: while they work on it, or while they make their tools.
AT_WORK, AT_START = "work", "start"
MOST_DEATHS: Final = {AT_WORK: 5, AT_START: 10}


def as_done(
    work: Callable[[Tool, Item], Result],
    tool: Callable[[], Tool],
    items: Iterable[Item],
    processes: int,
    may_begin: Callable[[], bool] = lambda: True,
) -> Generator[tuple[Item, Future[Result]]]:
    """Yield every item with a future of `work(tool(), item)`; the generator has to be closed.

    An item is not taken before a process can begin it and `may_begin()` is true. With one process, the work
    is done in this process; else `work` and `tool` have to be importable, and an item at which processes die
    again and again gets a ProcessDiedError.
    """
    if processes == 1:
        made: list[Tool] = []
        yield from ((item, future_of(*answer_to(item, work, tool, made))) for item in items)
        return
    workers = [_Worker(work, tool) for _ in range(processes)]
    try:
        yield from _done_by(workers, iter(items), may_begin)
    finally:
        for worker in workers:
            worker.end()


def in_order(
    work: Callable[[Tool, Item], Result], tool: Callable[[], Tool], items: Iterable[Item], processes: int
) -> Generator[Result]:
    """Yield `work(tool(), item)` for every item, in their order; otherwise like `as_done`."""
    numbered, done = _Numbered(items), dict[int, Future[Result]]()

    def may_begin() -> bool:
        return numbered.begun - yielded < HELD * processes

    yielded = 0
    with closing(as_done(partial(_on_numbered, work), tool, numbered, processes, may_begin)) as results:
        for (number, _), future in results:
            done[number] = future
            while yielded in done:
                yield done.pop(yielded).result()
                yielded += 1
    if numbered.error:
        raise numbered.error


class _Numbered(Iterator[tuple[int, Any]]):
    """Iterator of items with their numbers; an error of the source ends it, and is kept."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = iter(items)
        self.begun = 0
        self.error: Exception | None = None

    def __next__(self) -> tuple[int, Any]:
        try:
            item = next(self._items)
        except StopIteration:
            raise
        except Exception as error:
            self.error = error
            raise StopIteration from None
        self.begun += 1
        return self.begun - 1, item


def _on_numbered(work: Callable[[Tool, Item], Result], tool: Tool, numbered: tuple[int, Item]) -> Result:
    return work(tool, numbered[1])


def answer_to(
    item: Any, work: Callable[[Any, Any], Any], tool: Callable[[], Any], made: list[Any]
) -> tuple[Any, Exception | None]:
    """Return the result for an item, or its error; the tool is made for the first item and kept in `made`."""
    try:
        if not made:
            made.append(tool())
        return work(made[0], item), None
    except Exception as error:
        return None, error


def _done_by(
    workers: Sequence[_Worker], items: Iterator[Any], may_begin: Callable[[], bool]
) -> Iterator[tuple[Any, Future[Any]]]:
    again = deque[_Task]()
    while True:
        for worker in (one for one in workers if one.task is None):
            new = map(_Task, items) if may_begin() else ()
            for task in chain(_taken_from(again), new):
                worker.begin(task)
                break
        busy = {worker.connection: worker for worker in workers if worker.task}
        if not busy:
            return
        for ready in wait([*busy]):
            heard = busy[ready].heard()
            if heard and heard.future.done():
                yield heard.item, heard.future
            elif heard:
                again.append(heard)


def _taken_from(tasks: deque[_Task]) -> Iterator[_Task]:
    while tasks:
        yield tasks.popleft()


def future_of(result: Any, error: Exception | None) -> Future[Any]:
    """Return a finished future with a result or an error."""
    future = Future[Any]()
    _set(future, result, error)
    return future


def _set(future: Future[Any], result: Any, error: Exception | None) -> None:
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


class _Task:
    """Item with its future and the number of deaths of processes."""

    def __init__(self, item: Any) -> None:
        self.item = item
        self.future = Future[Any]()
        self._deaths = Counter[str]()

    def died(self, moment: str) -> None:
        self._deaths[moment] += 1
        if self._deaths[moment] == MOST_DEATHS[moment]:
            self.future.set_exception(ProcessDiedError())


class _Worker:
    """Worker process, started for its first task, and started again after its death."""

    def __init__(self, work: Callable[[Any, Any], Any], tool: Callable[[], Any]) -> None:
        self._what = work, tool
        self._process: BaseProcess | None = None
        self._has_tool = False
        self.connection: Any = None
        self.task: _Task | None = None

    def begin(self, task: _Task) -> None:
        self.task = task
        if self._process is None:
            self._start()
        with suppress(OSError):  # the process has died, which `heard` will notice
            self.connection.send(task.item)

    def heard(self) -> _Task | None:
        """Return the task if it is done or its process has died; None after the making of a tool."""
        assert self.task
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            self.task.died(AT_WORK if self._has_tool else AT_START)
            self.end()
        else:
            self._has_tool = True
            if answer is None:
                return None
            _set(self.task.future, *answer)
        task, self.task = self.task, None
        return task

    def _start(self) -> None:
        self._has_tool = False
        context = get_context("spawn")
        with _without_signals():
            self.connection, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, *self._what), daemon=True)
            process.start()
            self._process = process
            theirs.close()

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self.connection.close()
            self._process = None


@contextmanager
def _without_signals() -> Iterator[None]:
    """Delay signals during the block, so that none leaves a new process half started.

    A new process inherits the blocked signals. In this process, blocking is not enough, since another thread
    may get a signal that the main thread would handle.
    """
    resource_tracker.ensure_running()  # if started later, the tracker would let the signals through
    came: list[int] = []
    is_main = current_thread() is main_thread()
    answers = {number: signal.signal(number, lambda one, _: came.append(one)) for number in ENDING if is_main}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, answer in answers.items():
            signal.signal(number, answer)
        for one in came:
            signal.raise_signal(one)


# --- in a process -------------------------------------------------------------------------------------------


def _serve(connection: Connection, work: Callable[[Any, Any], Any], tool: Callable[[], Any]) -> None:
    _prepare_process()
    made: list[Any] = []
    with suppress(Exception):  # the first item reports the error if it happens again
        made.append(tool())
    with suppress(EOFError, OSError):  # the parent process is gone
        connection.send(None)
        while True:
            item = connection.recv()
            connection.send(answer_to(item, work, tool, made))


def _prepare_process() -> None:
    """Unblock signals in this process, and make it end together with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent dies, since a killed parent tells nobody."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
