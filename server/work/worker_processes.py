"""Work on many items by processes any of which may die: another one takes its place and its item.

Processes are started afresh, not forked: compiled code and its threads do not survive a fork everywhere. Each
makes its tool once, and then works on one item at a time. Items are read no further ahead than they can be
begun, or than a few for each process where results have to wait for earlier ones.
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

HELD: Final = 8  # items that are under way or wait for an earlier one, for each process

ENDING: Final = (signal.SIGINT, signal.SIGTERM)

# How many processes may die at one item, which may be what kills, or while they make their tools for it.
AT_WORK, AT_START = "work", "start"
MOST_DEATHS: Final = {AT_WORK: 5, AT_START: 10}


def as_done(
    work: Callable[[Tool, Item], Result],
    tool: Callable[[], Tool],
    items: Iterable[Item],
    processes: int,
    may_begin: Callable[[], bool] = lambda: True,
) -> Generator[tuple[Item, Future[Result]]]:
    """Every item with what comes of `work(tool(), item)`. To be closed.

    An item is not taken before somebody can begin it, and may. With one process all is done in this one; else
    `work` and `tool` have to be importable, and where processes die at an item again and again, a
    ProcessDiedError is what comes of it.
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
    """`work(tool(), item)` for every item, in their order; as `as_done` else. To be closed."""
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
    """Items with their numbers; an error of their source is their end, and is kept."""

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
    """What comes of an item, or its error; the tool is made for the first one, and then is in `made`."""
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
    """What has come of an item."""
    future = Future[Any]()
    _set(future, result, error)
    return future


def _set(future: Future[Any], result: Any, error: Exception | None) -> None:
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


class _Task:
    """An item, what comes of it, and how often a process has died at it."""

    def __init__(self, item: Any) -> None:
        self.item = item
        self.future = Future[Any]()
        self._deaths = Counter[str]()

    def died(self, moment: str) -> None:
        self._deaths[moment] += 1
        if self._deaths[moment] == MOST_DEATHS[moment]:
            self.future.set_exception(ProcessDiedError())


class _Worker:
    """A process, which is there once there is something to do; another one, once it has died."""

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
        with suppress(OSError):  # it has died, which will be heard
            self.connection.send(task.item)

    def heard(self) -> _Task | None:
        """Its task, once that is done or the process has died; None if it has just made its tool."""
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
    """A block in which no signal leaves a new process half started; what came is answered after it.

    New processes begin with what is blocked here. That is not enough for this one, where another thread may
    get a signal that the main thread would answer.
    """
    resource_tracker.ensure_running()  # which would let the signals through where it is started later
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
    with suppress(Exception):  # which the first item is told, where the same happens
        made.append(tool())
    with suppress(EOFError, OSError):  # who has started it is gone
        connection.send(None)
        while True:
            item = connection.recv()
            connection.send(answer_to(item, work, tool, made))


def _prepare_process() -> None:
    """Has this process, which was started without signals, end with the one that has started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all, and one answers it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process where the one that has started it was killed: nobody else would tell it."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
