"""The figures of typists at work: how long words waited, what was lost, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treewhile.server.load.own_servers import Use
from treewhile.server.load.typists import Replay, Typed

PERCENTILES: Final = {"p50": 50, "p90": 90, "p99": 99, "max": 100}
DIGITS: Final = 3  # of milliseconds


def report(replay: Replay, before: Use | None, after: Use | None, load_cpu_seconds: float) -> dict[str, Any]:
    """All figures by their names; times in milliseconds, from when a word was due."""
    words = [typed for typed in replay.typed if typed.brings_words]
    seconds = max(replay.end - replay.begin, 1e-9)
    return {
        "typists_connected": replay.connected,
        "refused": dict(replay.refused),
        "broken": replay.broken,
        "strokes": len(replay.typed),
        "words": len(words),
        "word_to_first_analysis_ms": percentiles(first_analyses(replay)),
        "word_to_settled_ms": percentiles(settlings(replay)),
        "settled_before_next_word": _share(words, _settled_in_time) if replay.analyses else None,
        "deadline_misses": sum(not _answered_in_time(word) for word in words if word.next_due is not None),
        "lost": sum(typed.answered is None for typed in replay.typed),
        "analyses_a_second": round(replay.analyses / seconds, 1),
        "sent_late_ms": percentiles(
            [max(0.0, one.sent - one.due) for one in replay.typed if one.sent is not None]
        ),
        "load_cpu_share": round(load_cpu_seconds / seconds, 3) if replay.connected else None,
        "server": _taken(replay, before, after, seconds),
    }


def first_analyses(replay: Replay) -> list[float]:
    """Seconds from when words were due to their first analyses."""
    return [one.answered - one.due for one in replay.typed if one.brings_words and one.answered is not None]


def settlings(replay: Replay) -> list[float]:
    """Seconds from when words were due to where nothing improved their sentences; not of overtaken ones."""
    return [one.settled - one.due for one in replay.typed if one.brings_words and one.settled is not None]


def percentiles(seconds: Sequence[float]) -> dict[str, float] | None:
    """In milliseconds; nothing of nothing."""
    if not seconds:
        return None
    found = np.percentile(seconds, [*PERCENTILES.values()])
    return {name: round(1000 * float(one), DIGITS) for name, one in zip(PERCENTILES, found, strict=True)}


def _answered_in_time(word: Typed) -> bool:
    return word.answered is not None and word.next_due is not None and word.answered <= word.next_due


def _settled_in_time(word: Typed) -> bool:
    return word.settled is not None and word.next_due is not None and word.settled <= word.next_due


def _share(words: Sequence[Typed], is_good: Any) -> float | None:
    """Among the words after which something came."""
    followed = [word for word in words if word.next_due is not None]
    return round(sum(map(is_good, followed)) / len(followed), 4) if followed else None


def _taken(replay: Replay, before: Use | None, after: Use | None, seconds: float) -> dict[str, Any] | None:
    """What a server took whose processes can be seen."""
    if before is None or after is None:
        return None
    grown = after.memory_bytes - before.memory_bytes
    return {
        "cpu_share": round((after.cpu_seconds - before.cpu_seconds) / seconds, 3),
        "memory_mib": round(after.memory_bytes / 2**20, 1),
        "memory_kib_a_typist": round(grown / 2**10 / max(1, replay.connected), 1),
    }
