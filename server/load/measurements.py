"""Typists at a server, and how it does: what they type, on which cores, and the figures that come of it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.own_servers import ECHO, SERVE, OwnServer, own_server
from treewhile.server.load.typing_reports import report
from treewhile.server.load.typing_schedules import Stroke, strokes_of, words_of_text
from treewhile.server.load.typists import Dial, Replay, echo_line, parser_line, replay
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

    def strokes(self) -> list[list[Stroke]]:
        """Those of every typist."""
        words_of = self._words()
        sources = [Random(f"{self.seed} {number}") for number in range(self.typists)]
        return [
            strokes_of(self.schedule, words_of(source), self.wpm, self.seconds, source) for source in sources
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
    strokes = load.strokes()
    allow_many_files()
    with ExitStack() as stack:
        own = None
        if url is None:
            core = stack.enter_context(_sharing_cores())
            own = stack.enter_context(own_server(ECHO if is_echo else _serving(load), say, core))
            if not is_echo:
                own.wait_for_search(say)
        address = own.url if own else url or ""
        dial: Dial = partial(echo_line, address) if is_echo else partial(parser_line, address, token)
        return _replay(dial, strokes, own)


def _replay(
    dial: Dial, strokes: Sequence[Sequence[Stroke]], own: OwnServer | None
) -> tuple[Replay, dict[str, Any]]:
    before, start = own.use() if own else None, time.process_time()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        replayed = runner.run(replay(dial, strokes))
    taken = time.process_time() - start
    return replayed, report(replayed, before, own.use() if own else None, taken)


def _serving(load: Load) -> Sequence[str]:
    """A server that lets all typists in."""
    return [*SERVE, "--connections", str(max(4096, load.typists + 16))]


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
