"""How long a client may be silent: with one timer for a connection, not with one for each frame."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Final

from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode

SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT = 1.0, 300.0  # seconds
NEVER: Final = inf  # when a connection that has something to do began to listen
LOOK_AGAIN: Final = 0.05  # seconds, before somebody is given up


def agreed(heartbeat: float | None) -> float | None:
    """The heartbeat that a server agrees to; None for no promise."""
    return min(max(heartbeat, SHORTEST_HEARTBEAT), LONGEST_HEARTBEAT) if heartbeat else None


class Patience:
    """With a client that has some seconds for its first message, and after that as many as it has promised.

    Before it gives up it looks again: where the server stood still itself, it reads first what has come.

    listens_since   when the connection has begun to wait for a frame; `NEVER` while it does something else
    """

    __slots__ = ("_code", "_doubted_since", "_give_up", "_seconds", "_timer", "listens_since")

    def __init__(self, give_up: Callable[[CloseCode], None]) -> None:
        self._give_up = give_up
        self._code = close_codes.TOO_LATE
        self._seconds = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.listens_since = self._doubted_since = NEVER

    def bear(self, seconds: float) -> None:
        """From now on a silence of this length is tolerated; with 0, one of any length."""
        self.end()
        self._seconds = seconds
        if seconds:
            self._look_in(seconds)

    def hear_sense(self, heartbeat: float | None = None) -> None:
        """The client has said something that makes sense: from now on only heartbeats count."""
        if self._code is close_codes.TOO_LATE:
            self._code = close_codes.SILENT
            self.bear(0.0)
        if heartbeat:
            self.bear(2 * heartbeat)

    def end(self) -> None:
        """Nobody is waited for."""
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
