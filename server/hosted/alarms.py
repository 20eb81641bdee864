"""One timer, always set to the earliest time that is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter


class Alarm:
    """Rings once at the time it was set to last, on the loop that sets it."""

    __slots__ = ("_at", "_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._at: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float | None) -> None:
        """From now on it rings at this time, by `perf_counter`, or never."""
        if at == self._at:
            return
        if self._timer:
            self._timer.cancel()
        delay = None if at is None else max(0.0, at - perf_counter())
        self._timer = None if delay is None else asyncio.get_running_loop().call_later(delay, self._go_off)
        self._at = at

    def _go_off(self) -> None:
        self._timer = self._at = None
        self._ring()
