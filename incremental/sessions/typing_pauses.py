"""Whether somebody is typing, and what waits until nobody is, or until the word has ended."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.open_sentences import OpenSentence

PAUSE: Final = 0.25  # seconds without an edit, after which nobody is typing, at the least
IN_RHYTHM: Final = 2.0  # times as long as between two edits: who types slowly has not stopped yet
LONGEST_PAUSE: Final = 1.0
WEIGHT: Final = 0.2  # of the last time between two edits in their mean


class TypingPauses:
    """Of one document: edits of its text put the next pause off."""

    __slots__ = ("_between", "_edited_at", "awaits_pause", "begins_at", "held")

    def __init__(self) -> None:
        self._edited_at: float | None = None
        self._between = 0.0  # seconds from an edit to the next, on average
        self.begins_at: float | None = None  # unless more comes; None while nobody is typing
        self.held: OpenSentence | None = None  # that waits for the end of the word that is being typed
        self.awaits_pause = False  # whether the last sentence would be a whole one then

    def put_off(self, now: float) -> None:
        """Somebody has typed."""
        if self._edited_at is not None:
            self._between += WEIGHT * (min(now - self._edited_at, LONGEST_PAUSE) - self._between)
        self._edited_at = now
        self.begins_at = now + min(max(PAUSE, IN_RHYTHM * self._between), LONGEST_PAUSE)

    @property
    def is_typing(self) -> bool:
        return self.begins_at is not None

    def release(self, since: float, limit: float | None) -> None:
        """The word that was being typed has ended: its sentence can be refined."""
        held, self.held = self.held, None
        if held is not None and held.refinement.is_held:
            held.since = since
            held.refinement.release(since, limit)
