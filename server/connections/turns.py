"""How much a client may ask of the loop: messages by number, and time by what they took."""

from __future__ import annotations

from typing import Final

LONG_TURN: Final = 0.002  # seconds on the loop that nobody else notices
SHARE: Final = 0.1  # of the loop that longer turns of one connection may take


class TokenBucket:
    """So many a second, and after a quiet time so many at once."""

    __slots__ = ("_capacity", "_filled", "_rate", "_tokens")

    def __init__(self, rate: float, capacity: int, now: float) -> None:
        self._rate, self._capacity = rate, capacity
        self._tokens, self._filled = float(capacity), now

    def take(self, now: float) -> float:
        """Takes one, on credit if there is none; how many seconds later there would have been one."""
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._rate) - 1
        self._filled = now
        return max(0.0, -self._tokens / self._rate)


def pause_after(seconds: float) -> float:
    """How long a connection waits before its next turn, after one that took so long."""
    return seconds * (1 / SHARE - 1) if seconds > LONG_TURN else 0.0
