"""How much a client may ask of the loop: messages by number, and time by what they took."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from treewhile.server.limits import Limits

LONG_TURN: Final = 0.002  # seconds on the loop that nobody else notices
SHARE: Final = 0.1  # of the loop that longer turns of one connection may take
LONGEST_PAUSE: Final = 0.25  # seconds, after what was attached: who has opened a long text types on soon
NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES = 10.0, 100  # frames that are no message of the protocol


class TokenBucket:
    """A number of things a second, and after a quiet time more of them at once."""

    __slots__ = ("_capacity", "_filled", "_rate", "_tokens")

    def __init__(self, rate: float, capacity: int, now: float) -> None:
        self._rate, self._capacity = rate, capacity
        self._tokens, self._filled = float(capacity), now

    def take(self, now: float) -> float:
        """Takes one, on credit if there is none; how many seconds later there would have been one."""
        self._tokens = min(self._capacity, self._tokens + (now - self._filled) * self._rate) - 1
        self._filled = now
        return max(0.0, -self._tokens / self._rate)


class LoopShare:
    """How much of the loop one connection may take."""

    __slots__ = ("_messages", "_no_messages")

    def __init__(self, limits: Limits) -> None:
        now = perf_counter()
        self._messages = TokenBucket(limits.messages_a_second, limits.burst, now)
        self._no_messages = TokenBucket(NO_MESSAGES_A_SECOND, MOST_NO_MESSAGES, now)

    def pause_after_message(self, start: float, spent: float) -> float:
        """How long the connection waits after a message that was begun at `start`.

        On attaching what came before, `spent` seconds went.
        """
        pause = pause_after(perf_counter() - start)
        return max(self._messages.take(start), pause, min(pause_after(spent), LONGEST_PAUSE))

    def bears_no_message(self) -> bool:
        """Whether one more frame that is no message can be tolerated."""
        return not self._no_messages.take(perf_counter())


def pause_after(seconds: float) -> float:
    """How long a connection waits before its next turn, after one that took this long."""
    return seconds * (1 / SHARE - 1) if seconds > LONG_TURN else 0.0
