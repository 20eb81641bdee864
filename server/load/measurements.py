"""Measurements of typists at a server: load, processor cores and figures."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.typing_reports import report
from treewhile.server.load.typing_schedules import Stroke, speeds_of, strokes_of
from treewhile.server.load.typists import Replay, crowd
from treewhile.server.process.open_files import allow_many_files
from treewhile.server.process.own_servers import SERVE, OwnServer, Use, own_server
from treewhile.server.process.running import loop_factory


class Load(NamedTuple):
    """Typists and their texts."""

    typists: int
    wpm: float
    seconds: float
    schedule: str = "letters"
    text: Path | None = None
    seed: int = 1

    def strokes(self) -> list[list[Stroke]]:
        """Return the strokes of each typist."""
        words_of = self._words()
        sources = [Random(f"{self.seed} {number}") for number in range(self.typists)]
        speeds = speeds_of(self.schedule, self.typists, self.wpm)
        return [
            strokes_of(self.schedule, words_of(source), speed, self.seconds, source)
            for source, speed in zip(sources, speeds, strict=True)
        ]

    def _words(self) -> Callable[[Random], Iterator[str]]:
        if self.text is None:
            return invented_words
        with system_errors_named(f"read {self.text}"):
            words = self.text.read_text(encoding="utf-8", errors="replace").split()
        if not words:
            raise InputError(f"there is nothing to type: give a text with words, {self.text}")
        return lambda source: repeated(words, source.randrange(len(words)))


def repeated(words: Sequence[str], start: int) -> Iterator[str]:
    """Yield the words from an index on, in a loop without end."""
    yield from words[start:]
    while True:
        yield from words


def measure(
    load: Load, url: str | None, token: str | None, say: Callable[[str], None]
) -> tuple[Replay, dict[str, Any]]:
    """Run typists at a server, started here if there is no address, and return their figures."""
    if url is not None:
        return measure_at(url, load, token=token)
    with server_on_its_core(serving(load.typists), say) as own:
        return measure_at(own.url, load, own, token)


def measure_at(
    url: str, load: Load, own: OwnServer | None = None, token: str | None = None
) -> tuple[Replay, dict[str, Any]]:
    """Run typists at a server, and return their figures and the resource use of an own server."""
    allow_many_files()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_measured(url, load.strokes(), own, token))


async def _measured(
    url: str, strokes: Sequence[Sequence[Stroke]], own: OwnServer | None, token: str | None
) -> tuple[Replay, dict[str, Any]]:
    empty = _use_of(own)
    async with crowd(url, strokes, token) as people:
        before, start = _use_of(own), time.process_time()
        replayed = await people.type()
        taken, after = time.process_time() - start, _use_of(own)
    grown = after.memory_bytes - empty.memory_bytes if after and empty else None
    return replayed, report(replayed, before, after, grown, taken)


def _use_of(own: OwnServer | None) -> Use | None:
    return own.use() if own else None


def serving(typists: int, python: str = sys.executable) -> Sequence[str]:
    """Return the command of a server for so many typists, run by some Python interpreter."""
    return [python, *SERVE[1:], "--connections", str(max(4096, typists + 16))]


@contextmanager
def server_on_its_core(
    command: Sequence[str], say: Callable[[str], None], has_search: bool = True
) -> Iterator[OwnServer]:
    """Start a server, on a core of its own if there are two; this process uses the other cores."""
    with _sharing_cores() as core, own_server(command, say, core) as own:
        if has_search:
            own.wait_for_search(say)
        yield own


@contextmanager
def _sharing_cores() -> Iterator[int | None]:
    """Reserve a core for the server, if this process has others."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if len(before) < 2:
        yield None
        return
    first, *others = sorted(before)
    os.sched_setaffinity(0, others)
    try:
        yield first
    finally:
        os.sched_setaffinity(0, before)
