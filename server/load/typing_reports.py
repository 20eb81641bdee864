"""Report on typists: waiting times of strokes and words, losses, and resource use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from treewhile.server.load.typists import Replay, Typed
from treewhile.server.process.own_servers import Use

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
