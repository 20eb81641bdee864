"""Progress bars on standard error for tasks longer than a second; none if it is no terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from treewhile.incremental import Sentence
    from treewhile.incremental.constituents.bracketed_trees import BracketedTree

SECONDS_BEFORE = 1.0

Item = TypeVar("Item")


@contextmanager
def progress_bar(
    task: str, total: int | None, done: ProgressColumn, hidden: bool = False
) -> Iterator[Callable[[float], None]]:
    """Yield a function that advances the bar by an amount; `done` is the column that shows the progress."""
    with _shown(done, hidden) as bar:
        if bar is None:
            yield lambda amount: None
        else:
            yield partial(bar.advance, bar.add_task(task, total=total))


@contextmanager
def steps_bar(task: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that sets the number of steps done and the number of all steps."""
    with _shown(MofNCompleteColumn()) as bar:
        if bar is None:
            yield lambda steps_done, steps: None
        else:
            number = bar.add_task(task, total=None)
            yield lambda steps_done, steps: bar.update(number, completed=steps_done, total=steps)


@contextmanager
def _shown(done: ProgressColumn, hidden: bool = False) -> Iterator[Progress | None]:
    """Yield the progress display, or None if nobody would see it."""
    console = Console(stderr=True)
    if hidden or not (console.file.isatty() and console.is_interactive):
        yield None
        return
    columns = [TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn()]
    bar = Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,  # standard output may be a treebank
        redirect_stderr=False,
    )
    appearance = Timer(SECONDS_BEFORE, bar.start)
    appearance.start()
    try:
        yield bar
    finally:
        appearance.cancel()
        appearance.join()
        bar.stop()


def read_with_progress(source: str, task: str, hidden: bool = False) -> Generator[Sentence]:
    """Yield the sentences of `source`, as `read_sentences` does, with a bar of the bytes read.

    The generator has to be closed: after an exception, the bar would otherwise cover the message.
    """
    from treewhile.incremental import read_sentences

    return _advancing(read_sentences(source), source, task, hidden)


def read_phrases_with_progress(source: str, task: str) -> Generator[BracketedTree]:
    """Yield the trees of `source`, as `read_trees` does, with a bar; the generator has to be closed."""
    from treewhile.incremental.constituents.bracketed_trees import read_trees

    return _advancing(read_trees(source), source, task)


def _advancing(items: Iterable[Item], source: str, task: str, hidden: bool = False) -> Generator[Item]:
    """Yield the items of a source, and advance a bar by the length of their text."""
    with progress_bar(task, size_of(source), DownloadColumn(), hidden) as advance:
        for item in items:
            yield item
            advance(len(str(item).encode()))


def shares_terminal(target: str) -> bool:
    """Return whether the output goes to a terminal, where a bar would be in its way."""
    return target == "-" and sys.stdout is not None and sys.stdout.isatty()


def size_of(source: str) -> int | None:
    """Return the number of bytes of text in `source`, or None if unknown."""
    if source == "-" or source.endswith(".gz") or not os.path.isfile(source):
        return None
    return os.path.getsize(source)
