"""Measurements of typists at a server: load, processor cores, and a report of figures."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.typing_schedules import Stroke, speeds_of, strokes_of
from treewhile.server.load.typists import Replay, Typed, crowd
from treewhile.server.process.own_servers import SERVE, OwnServer, Use, own_server
from treewhile.server.process.running import loop_factory
from treewhile.server.process.settings import allow_many_files


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


# --- report -------------------------------------------------------------------------------------------------

PERCENTILES: Final = {"p50": 50, "p90": 90, "p99": 99, "max": 100}
DIGITS: Final = 3  # of milliseconds
SENTENCE_SECONDS: Final = 0.3  # deadline of a sentence after its end


def report(
    replay: Replay, before: Use | None, after: Use | None, grown: int | None, load_cpu_seconds: float
) -> dict[str, Any]:
    """Return all figures by name, in milliseconds since the due time of a stroke.

    Processor time is counted from the first stroke on; `grown` is the growth of memory in bytes.
    """
    strokes = replay.typed
    words = [typed for typed in strokes if typed.ended != "nothing"]
    followed = [word for word in words if word.next_word_due is not None] if replay.analyses else []
    sentences = [word for word in followed if word.ended == "sentence"]
    seconds = max(replay.end - replay.begin, 1e-9)
    return {
        "typists_connected": replay.connected,
        "refused": dict(replay.refused),
        "came_back": replay.came_back,
        "broken": replay.broken,
        "strokes": len(strokes),
        "edits": replay.edits,
        "words": len(words),
        "stroke_to_first_analysis_ms": percentiles(_waits(strokes, lambda one: one.answered)),
        "word_to_improved_ms": percentiles(_waits(words, lambda word: word.improved)),
        "word_to_settled_ms": percentiles(_waits(words, lambda word: word.settled)),
        "improved_before_next_word": _share(followed, lambda one: _in_time(one.improved, one.next_word_due)),
        "settled_before_next_word": _share(followed, lambda one: _in_time(one.settled, one.next_word_due)),
        "sentences_improved_in_300_ms": _share(
            sentences, lambda one: _in_time(one.improved, one.due + SENTENCE_SECONDS)
        ),
        "deadline_misses": sum(
            not _in_time(one.answered, one.next_due) for one in strokes if one.next_due is not None
        ),
        "lost": sum(typed.answered is None for typed in strokes),
        "bytes_sent_a_stroke": round(replay.bytes_sent / max(1, len(strokes))),
        "bytes_received_a_stroke": round(replay.bytes_received / max(1, len(strokes))),
        "analyses_a_second": round(replay.analyses / seconds, 1),
        "sent_late_ms": percentiles([max(0.0, late) for late in _waits(strokes, lambda one: one.sent)]),
        "load_cpu_share": round(load_cpu_seconds / seconds, 3) if replay.connected else None,
        "server": _taken(replay, len(words), before, after, grown, seconds),
    }


def percentiles(seconds: Sequence[float]) -> dict[str, float] | None:
    """Return percentiles in milliseconds, or None for no values."""
    if not seconds:
        return None
    found = np.percentile(seconds, [*PERCENTILES.values()])
    return {name: round(1000 * float(one), DIGITS) for name, one in zip(PERCENTILES, found, strict=True)}


def _waits(typed: Sequence[Typed], event: Callable[[Typed], float | None]) -> list[float]:
    """Return the seconds from due times to an event, for strokes that had the event."""
    return [at - one.due for one in typed if (at := event(one)) is not None]


def _in_time(at: float | None, limit: float | None) -> bool:
    return at is not None and limit is not None and at <= limit


def _share(words: Sequence[Typed], is_good: Callable[[Typed], bool]) -> float | None:
    return round(sum(map(is_good, words)) / len(words), 4) if words else None


def _taken(
    replay: Replay, words: int, before: Use | None, after: Use | None, grown: int | None, seconds: float
) -> dict[str, Any] | None:
    """Return the resource use of a server, or None if its processes are not visible."""
    if before is None or after is None or grown is None:
        return None
    cpu_seconds = after.cpu_seconds - before.cpu_seconds
    return {
        "cpu_share": round(cpu_seconds / seconds, 3),
        "cpu_ms_a_stroke": round(1000 * cpu_seconds / max(1, len(replay.typed)), DIGITS),
        "cpu_ms_a_word": round(1000 * cpu_seconds / max(1, words), DIGITS),
        "memory_mib": round(after.memory_bytes / 2**20, 1),
        "memory_kib_a_typist": round(grown / 2**10 / max(1, replay.connected), 1),
    }
