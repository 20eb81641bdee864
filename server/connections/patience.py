"""Timeout for silent clients, with one timer for each connection instead of one for each frame."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Final

from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode

SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT = 1.0, 300.0  # seconds
NEVER: Final = inf  # value of `listens_since` while the connection is busy
LOOK_AGAIN: Final = 0.05  # seconds before a client is given up


def agreed(heartbeat: float | None) -> float | None:
    """Return the heartbeat that a server agrees to, clamped to the bounds; None if there is no heartbeat."""
    return min(max(heartbeat, SHORTEST_HEARTBEAT), LONGEST_HEARTBEAT) if heartbeat else None


class Patience:
    """Timeout for the first message of a client, and then for its heartbeats.

    Before a client is given up, the timer runs once more for a short time: if the server itself stood still,
    it first reads the bytes that have come meanwhile.

    listens_since   time since the connection waits for a frame; `NEVER` while it is busy
    """

    __slots__ = ("_code", "_doubted_since", "_give_up", "_seconds", "_timer", "listens_since")

    def __init__(self, give_up: Callable[[CloseCode], None]) -> None:
        self._give_up = give_up
        self._code = close_codes.TOO_LATE
        self._seconds = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.listens_since = self._doubted_since = NEVER

    def bear(self, seconds: float) -> None:
        """Tolerate silence of so many seconds from now on; 0 means of any length."""
        self.end()
        self._seconds = seconds
        if seconds:
            self._look_in(seconds)

    def hear_sense(self, heartbeat: float | None = None) -> None:
        """Note a valid message: from now on only heartbeats count."""
        if self._code is close_codes.TOO_LATE:
            self._code = close_codes.SILENT
            self.bear(0.0)
        if heartbeat:
            self.bear(2 * heartbeat)

    def end(self) -> None:
        """Stop the timer."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _look_in(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        left = self.listens_since + self._seconds - perf_counter()
        if left > 0:
            self._look_in(min(left, self._seconds))
        elif self._doubted_since != self.listens_since:
            self._doubted_since = self.listens_since
            self._look_in(LOOK_AGAIN)
        else:
            self._give_up(self._code)
