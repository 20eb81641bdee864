"""Timer for a deadline that changes often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Final

SHORTEST: Final = 0.001  # seconds; timers of an event loop are no finer, and may fire early by less


class Alarm:
    """Timer that calls back once, at the time set last.

    Postponing does not restart the timer of the loop: when that fires too early, it is set again for the
    rest.
    """

    __slots__ = ("_at", "_goes_off_at", "_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._at: float | None = None
        self._goes_off_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float | None) -> None:
        """Set the time of the call, on the clock of `perf_counter`, or cancel it with None."""
        self._at = at
        if at is None or (self._timer and self._goes_off_at <= at):
            return
        self._look_in(at, max(0.0, at - perf_counter()))

    def end(self) -> None:
        """Cancel the timer and drop the callback, which may refer back to this alarm."""
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
    """Do nothing."""
