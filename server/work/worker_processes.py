"""Work on many items by several processes, with results in the order of the items.

Processes are started afresh, not forked: compiled code and its threads do not survive a fork everywhere.
Items are read no further ahead than a few for each process.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from threading import Thread, current_thread, main_thread
from typing import Any, Final, TypeVar

from treewhile.server.errors import ProcessDiedError

Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

HELD: Final = 8  # items that are under way or wait for an earlier one, for each process

ENDING: Final = (signal.SIGINT, signal.SIGTERM)

_tools: list[Any] = []  # of this process, if it is one that works: how to make its tool, then that


def in_order(
    work: Callable[[Tool, Item], Result], tool: Callable[[], Tool], items: Iterable[Item], processes: int
) -> Generator[Result]:
    """`work(tool(), item)` for every item; each process makes its tool once. To be closed.

    With one process all of it is done in this one. Otherwise `work` and `tool` have to be importable, and a
    process that dies is a ProcessDiedError.
    """
    if processes == 1:
        made = tool()
        yield from (work(made, item) for item in items)
        return
    with _pool(processes, tool) as submit:
        asked = deque[Future[Result]]()
        for future in _futures(submit, work, items):
            asked.append(future)
            if len(asked) == HELD * processes:
                yield _result(asked.popleft())
        while asked:
            yield _result(asked.popleft())


def _futures(
    submit: Callable[..., Future[Result]], work: Callable[[Tool, Item], Result], items: Iterable[Item]
) -> Iterator[Future[Result]]:
    """What comes of each item; where their source fails, that is the last one, and comes in its place."""
    try:
        for item in items:
            yield submit(_work_on, work, item)
    except BrokenProcessPool:
        yield _failed(ProcessDiedError())
    except Exception as error:
        yield _failed(error)


def _failed(error: Exception) -> Future[Any]:
    future = Future[Any]()
    future.set_exception(error)
    return future


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool:
        raise ProcessDiedError from None


@contextmanager
def _pool(processes: int, tool: Callable[[], Any]) -> Iterator[Callable[..., Future[Any]]]:
    """A function that gives work to processes, all of which end with the block, whatever they do then."""
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (tool,)) as pool:
        others = {*active_children()}
        try:
            with _without_signals():
                pool.submit(int)  # which starts them all
            yield pool.submit
        finally:
            for process in {*active_children()} - others:  # else the pool waits for what they are at
                process.kill()


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


def _begin(tool: Callable[[], Any]) -> None:
    """Prepares a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all, and one answers it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    Thread(target=_end_with_parent, daemon=True).start()
    _tools.append(tool)


def _end_with_parent() -> None:
    """Ends this process where the one that has started it was killed: nobody else would tell it."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _work_on(work: Callable[[Any, Item], Result], item: Item) -> Result:
    if len(_tools) == 1:  # now, since what goes wrong in `_begin` is told to nobody
        _tools.append(_tools[0]())
    return work(_tools[1], item)
