"""One timer for the earliest time that is asked for, however often that changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Final

SHORTEST: Final = 0.001  # seconds; the timers of a loop are no finer, and may be early by less


class Alarm:
    """Rings once at the time it was set to last, on the loop that sets it.

    A time that is put off costs no timer: the one that runs looks again when it goes off.
    """

    __slots__ = ("_at", "_goes_off_at", "_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._at: float | None = None
        self._goes_off_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float | None) -> None:
        """From now on it rings at this time, by `perf_counter`, or never."""
        self._at = at
        if at is None or (self._timer and self._goes_off_at <= at):
            return
        self._look_in(at, max(0.0, at - perf_counter()))

    def end(self) -> None:
        """Does not ring any more; the loop forgets it, and it forgets whom it rang for, who may hold it."""
        self._at, self._ring = None, _nobody
        self._stop()

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look_in(self, at: float, seconds: float) -> None:
        self._stop()
        self._goes_off_at = at
        self._timer = asyncio.get_running_loop().call_later(seconds, self._go_off)

    def _go_off(self) -> None:
        self._timer = None
        at = self._at
        if at is None:
            return
        left = at - perf_counter()
        if left > 0:
            self._look_in(at, max(SHORTEST, left))
        else:
            self._at = None
            self._ring()


def _nobody() -> None:
    """Hears nothing."""
