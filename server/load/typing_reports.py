"""The figures of typists at work: how long strokes and words waited, what was lost, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from treewhile.server.load.own_servers import Use
from treewhile.server.load.typists import Replay, Typed

PERCENTILES: Final = {"p50": 50, "p90": 90, "p99": 99, "max": 100}
DIGITS: Final = 3  # of milliseconds
SENTENCE_SECONDS: Final = 0.3  # that a sentence has after its end


def report(
    replay: Replay, before: Use | None, after: Use | None, grown: int | None, load_cpu_seconds: float
) -> dict[str, Any]:
    """All figures by their names; times in milliseconds, from when a stroke was due.

    What processes have taken is counted from the first stroke on; `grown` is by how many bytes they grew.
    """
    strokes = replay.typed
    words = [typed for typed in strokes if typed.ended != "nothing"]
    sentences = [word for word in words if word.ended == "sentence"]
    seconds = max(replay.end - replay.begin, 1e-9)
    analysed = bool(replay.analyses)
    return {
        "typists_connected": replay.connected,
        "refused": dict(replay.refused),
        "came_back": replay.came_back,
        "broken": replay.broken,
        "strokes": len(strokes),
        "edits": replay.edits,
        "words": len(words),
        "stroke_to_first_analysis_ms": percentiles(first_analyses(replay)),
        "word_to_improved_ms": percentiles(_waits(words, lambda word: word.improved)),
        "word_to_settled_ms": percentiles(settlings(replay)),
        "improved_before_next_word": _share(words, _improved_in_time) if analysed else None,
        "settled_before_next_word": _share(words, _settled_in_time) if analysed else None,
        "sentences_improved_in_300_ms": _share(sentences, _ended_well) if analysed else None,
        "deadline_misses": sum(not _answered_in_time(one) for one in strokes if one.next_due is not None),
        "lost": sum(typed.answered is None for typed in strokes),
        "bytes_sent_a_stroke": round(replay.bytes_sent / max(1, len(strokes))),
        "bytes_received_a_stroke": round(replay.bytes_received / max(1, len(strokes))),
        "analyses_a_second": round(replay.analyses / seconds, 1),
        "sent_late_ms": percentiles([max(0.0, late) for late in _waits(strokes, lambda one: one.sent)]),
        "load_cpu_share": round(load_cpu_seconds / seconds, 3) if replay.connected else None,
        "server": _taken(replay, before, after, grown, seconds),
    }


def first_analyses(replay: Replay) -> list[float]:
    """Seconds from when strokes were due to their first analyses."""
    return _waits(replay.typed, lambda one: one.answered)


def settlings(replay: Replay) -> list[float]:
    """Seconds from when words ended to where nothing improved their sentences; not of overtaken ones."""
    return _waits(replay.typed, lambda one: one.settled)


def percentiles(seconds: Sequence[float]) -> dict[str, float] | None:
    """In milliseconds; nothing of nothing."""
    if not seconds:
        return None
    found = np.percentile(seconds, [*PERCENTILES.values()])
    return {name: round(1000 * float(one), DIGITS) for name, one in zip(PERCENTILES, found, strict=True)}


def _waits(typed: Iterable[Typed], event: Callable[[Typed], float | None]) -> list[float]:
    """Seconds from when strokes were due to what has happened to them, where it has."""
    return [at - one.due for one in typed if (at := event(one)) is not None]


def _answered_in_time(typed: Typed) -> bool:
    return typed.answered is not None and typed.next_due is not None and typed.answered <= typed.next_due


def _improved_in_time(word: Typed) -> bool:
    return (
        word.improved is not None and word.next_word_due is not None and word.improved <= word.next_word_due
    )


def _settled_in_time(word: Typed) -> bool:
    return word.settled is not None and word.next_word_due is not None and word.settled <= word.next_word_due


def _ended_well(word: Typed) -> bool:
    return word.improved is not None and word.improved - word.due <= SENTENCE_SECONDS


def _share(words: Sequence[Typed], is_good: Callable[[Typed], bool]) -> float | None:
    """Among the words after which another one came."""
    followed = [word for word in words if word.next_word_due is not None]
    return round(sum(map(is_good, followed)) / len(followed), 4) if followed else None


def _taken(
    replay: Replay, before: Use | None, after: Use | None, grown: int | None, seconds: float
) -> dict[str, Any] | None:
    """What a server took whose processes can be seen."""
    if before is None or after is None or grown is None:
        return None
    cpu_seconds = after.cpu_seconds - before.cpu_seconds
    words = sum(typed.ended != "nothing" for typed in replay.typed)
    return {
        "cpu_share": round(cpu_seconds / seconds, 3),
        "cpu_ms_a_stroke": round(1000 * cpu_seconds / max(1, len(replay.typed)), DIGITS),
        "cpu_ms_a_word": round(1000 * cpu_seconds / max(1, words), DIGITS),
        "memory_mib": round(after.memory_bytes / 2**20, 1),
        "memory_kib_a_typist": round(grown / 2**10 / max(1, replay.connected), 1),
    }
