"""Typists at a server, and how it does: what they type, on which cores, and the figures that come of it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.own_servers import ECHO, SERVE, OwnServer, Use, own_server
from treewhile.server.load.strokes import Stroke
from treewhile.server.load.typing_reports import report
from treewhile.server.load.typing_schedules import speeds_of, strokes_of, words_of_text
from treewhile.server.load.typists import Place, Replay, crowd
from treewhile.server.process.open_files import allow_many_files
from treewhile.server.process.running import loop_factory


class Load(NamedTuple):
    """What is typed."""

    typists: int
    wpm: float
    seconds: float
    schedule: str
    text: Path | None
    seed: int
    gather: bool

    def strokes(self) -> list[list[Stroke]]:
        """Those of every typist."""
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
        return partial(words_of_text, words)


def measure(
    load: Load, url: str | None, token: str | None, is_echo: bool, say: Callable[[str], None]
) -> tuple[Replay, dict[str, Any]]:
    """The typists at a server, of one's own where there is no address, and the figures of their work."""
    if url is not None:
        return measure_at(Place(url, token, is_echo, load.gather), load)
    with server_on_its_core(ECHO if is_echo else serving(load.typists), say, not is_echo) as own:
        return measure_at(Place(own.url, token, is_echo, load.gather), load, own)


def measure_at(place: Place, load: Load, own: OwnServer | None = None) -> tuple[Replay, dict[str, Any]]:
    """The typists at a place, and the figures of their work, with what the server took if it is one's own."""
    allow_many_files()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_measured(place, load.strokes(), own))


async def _measured(
    place: Place, strokes: Sequence[Sequence[Stroke]], own: OwnServer | None
) -> tuple[Replay, dict[str, Any]]:
    empty = _use_of(own)
    async with crowd(place, strokes) as people:
        before, start = _use_of(own), time.process_time()
        replayed = await people.type()
        taken, after = time.process_time() - start, _use_of(own)
    grown = after.memory_bytes - empty.memory_bytes if after and empty else None
    return replayed, report(replayed, before, after, grown, taken)


def _use_of(own: OwnServer | None) -> Use | None:
    return own.use() if own else None


def serving(typists: int, python: str = sys.executable) -> Sequence[str]:
    """A server that lets all typists in, of this treewhile or of that of another interpreter."""
    return [python, *SERVE[1:], "--connections", str(max(4096, typists + 16))]


@contextmanager
def server_on_its_core(
    command: Sequence[str], say: Callable[[str], None], has_search: bool = True
) -> Iterator[OwnServer]:
    """One that is ready, alone on a core if there are two, while this process has the others."""
    with _sharing_cores() as core, own_server(command, say, core) as own:
        if has_search:
            own.wait_for_search(say)
        yield own


@contextmanager
def _sharing_cores() -> Iterator[int | None]:
    """A core for the server, while this process has the others, if there are any."""
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
