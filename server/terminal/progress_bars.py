"""Bars on the terminal's stderr for what takes longer than a second; nothing where stderr is no terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING

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

SECONDS_BEFORE = 1.0


@contextmanager
def progress_bar(
    task: str, total: int | None, done: ProgressColumn, hidden: bool = False
) -> Iterator[Callable[[float], None]]:
    """A function that takes how much more of the total is done; `done` is the column that shows how much."""
    with _shown(done, hidden) as bar:
        if bar is None:
            yield lambda amount: None
        else:
            yield partial(bar.advance, bar.add_task(task, total=total))


@contextmanager
def steps_bar(task: str) -> Iterator[Callable[[int, int], None]]:
    """A function that takes how many steps are done, and how many there are in all."""
    with _shown(MofNCompleteColumn()) as bar:
        if bar is None:
            yield lambda steps_done, steps: None
        else:
            number = bar.add_task(task, total=None)
            yield lambda steps_done, steps: bar.update(number, completed=steps_done, total=steps)


@contextmanager
def _shown(done: ProgressColumn, hidden: bool = False) -> Iterator[Progress | None]:
    """What bars are drawn with; None where nobody would see them."""
    console = Console(stderr=True)
    if hidden or not (console.file.isatty() and console.is_interactive):
        yield None
        return
    columns = [TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn()]
    bar = Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,  # a treebank may be on its way there
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
    """The sentences of `source`, as `read_sentences` gives them, with a bar of the bytes read.

    To be closed: the bar would stay over the message if an exception ends the reading.
    """
    from treewhile.incremental import read_sentences

    with progress_bar(task, size_of(source), DownloadColumn(), hidden) as advance:
        for sentence in read_sentences(source):
            yield sentence
            advance(len(str(sentence).encode()))


def size_of(source: str) -> int | None:
    """The bytes of text in `source`, if it can tell."""
    if source == "-" or source.endswith(".gz") or not os.path.isfile(source):
        return None
    return os.path.getsize(source)
