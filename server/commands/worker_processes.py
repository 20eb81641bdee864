"""Work on many items by several processes, with results in the order of the items.

Processes are started afresh, not forked: compiled code and its threads do not survive a fork everywhere. Each
has one item at a time and a pipe of its own, so that neither side can wait for the other to read; and it ends
when its pipe is closed, however that happened. Items are read no further ahead than a few for each process.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Final, TypeVar

from treewhile.oracles.errors import InputError

Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

HELD = 8  # items that are under way or wait for an earlier one, for each process
END: Final = object()
DIED: Final = "a process has died, perhaps for want of memory: use a smaller number of --jobs"


def in_order(
    work: Callable[[Tool, Item], Result], tool: Callable[[], Tool], items: Iterable[Item], processes: int
) -> Generator[Result]:
    """`work(tool(), item)` for every item; each process makes its tool once. To be closed.

    With one process all of it is done in this one. Otherwise `work` and `tool` have to be importable.
    """
    if processes == 1:
        made = tool()
        yield from (work(made, item) for item in items)
        return
    with ExitStack() as opened:
        pipes = [opened.enter_context(_worker(work, tool)) for _ in range(processes)]
        yield from _results(pipes, _with_failure(items))


def _results(pipes: list[Connection], items: Iterator[Any]) -> Iterator[Any]:
    idle, busy = [*pipes], dict[Connection, int]()
    done: dict[int, Any] = {}
    given = yielded = 0
    while True:
        while idle and given < yielded + HELD * len(pipes) and (item := next(items, END)) is not END:
            if isinstance(item, _Failure):
                done[given] = item
            else:
                _give(pipe := idle.pop(), item)
                busy[pipe] = given
            given += 1
        if yielded == given:
            return
        for pipe in {*busy}.intersection(wait([*busy]) if busy else []):
            done[busy.pop(pipe)] = _answer(pipe)
            idle.append(pipe)
        while yielded in done:
            yield _opened(done.pop(yielded))
            yielded += 1


def _with_failure(items: Iterable[Item]) -> Iterator[Item | _Failure]:
    """The items, the last of them a failure if their source fails: results of those before come first."""
    try:
        yield from items
    except Exception as error:
        yield _Failure(error)


@contextmanager
def _worker(work: Callable[[Tool, Item], Result], tool: Callable[[], Tool]) -> Iterator[Connection]:
    """The pipe to a new process, which ends with the block."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work, tool), daemon=True)
    with _without_signals():
        process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.kill()
        process.join()


@contextmanager
def _without_signals() -> Iterator[None]:
    """A block in which no signal leaves a new process half started."""
    resource_tracker.ensure_running()  # which would let the signals through where it is started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Callable[[Tool, Item], Result], tool: Callable[[], Tool]) -> None:
    """What a process does until its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all, and one answers it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    made: list[Tool] = []
    try:
        while True:
            item = pipe.recv()
            try:
                made = made or [tool()]
                answer: Any = work(made[0], item)
            except Exception as error:
                answer = _Failure(error)
            pipe.send(answer)
    except (EOFError, ConnectionError):
        return


class _Failure:
    """An exception on its way to the process that asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _give(pipe: Connection, item: Any) -> None:
    try:
        pipe.send(item)
    except ConnectionError:
        raise InputError(DIED) from None


def _answer(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except (EOFError, ConnectionError):
        return _Failure(InputError(DIED))


def _opened(answer: Any) -> Any:
    if isinstance(answer, _Failure):
        raise answer.error
    return answer
