"""Pace of clients: rate limits, shares of the event loop, and timeouts for silent clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Final

from treewhile.server.limits import Limits
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode

LONG_TURN: Final = 0.002  # on the event loop, too short to delay others
SHARE: Final = 0.1  # of the event loop for longer turns of one connection
LONGEST_PAUSE: Final = 0.25  # seconds after attaching: a client that has opened a long text types on soon
NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES = 10.0, 100  # frames that are no message of the protocol


class TokenBucket:
    """Token bucket: a rate per second, and a capacity for bursts."""

    __slots__ = ("_capacity", "_filled", "_rate", "_tokens")

    def __init__(self, rate: float, capacity: int, now: float) -> None:
        self._rate, self._capacity = rate, capacity
        self._tokens, self._filled = float(capacity), now

    def take(self, now: float) -> float:
        """Take one token, on credit if there is none; return the seconds until it would be there."""
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._rate) - 1
        self._filled = now
        return max(0.0, -self._tokens / self._rate)


class LoopShare:
    """Share of the event loop that one connection may take."""

    __slots__ = ("_messages", "_no_messages")

    def __init__(self, limits: Limits) -> None:
        now = perf_counter()
        self._messages = TokenBucket(limits.messages_a_second, limits.burst, now)
        self._no_messages = TokenBucket(NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES, now)

    def pause_after_message(self, start: float, spent: float) -> float:
        """Return the pause after a message that was begun at `start`, in seconds.

        Attaching earlier edits has taken `spent` seconds.
        """
        pause = pause_after(perf_counter() - start)
        return max(self._messages.take(start), pause, min(pause_after(spent), LONGEST_PAUSE))

    def bears_no_message(self) -> bool:
        """Count a frame that is no message, and return whether it is tolerated."""
        return not self._no_messages.take(perf_counter())


def pause_after(seconds: float) -> float:
    """Return the pause of a connection after a turn of so many seconds."""
    return seconds * (1 / SHARE - 1) if seconds > LONG_TURN else 0.0


# --- silence ------------------------------------------------------------------------------------------------

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
