"""Rate limits of clients: number of messages, and time on the event loop."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from treewhile.server.limits import Limits

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
