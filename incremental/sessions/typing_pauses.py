"""Pauses in typing, and the sentence that waits for one, or for the end of a word."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.open_sentences import OpenSentence

PAUSE: Final = 0.25  # minimum of seconds without an edit that make a pause
IN_RHYTHM: Final = 2.0  # multiple of the mean time between edits that makes a pause, for slow typists
LONGEST_PAUSE: Final = 1.0
WEIGHT: Final = 0.2  # of the last time between two edits in their mean


class TypingPauses:
    """Pauses in one document: edits of its text put off the next pause."""

    __slots__ = ("_between", "_edited_at", "awaits_pause", "begins_at", "held")

    def __init__(self) -> None:
        self._edited_at: float | None = None
        self._between = 0.0  # mean of seconds between edits
        self.begins_at: float | None = None  # unless another edit comes; None during a pause
        self.held: OpenSentence | None = None  # sentence that waits for the end of the typed word
        self.awaits_pause = False  # whether the last sentence would be a whole one after a pause

    def put_off(self, now: float) -> None:
        """Put off the pause, since somebody has typed."""
        if self._edited_at is not None:
            self._between += WEIGHT * (min(now - self._edited_at, LONGEST_PAUSE) - self._between)
        self._edited_at = now
        self.begins_at = now + min(max(PAUSE, IN_RHYTHM * self._between), LONGEST_PAUSE)

    @property
    def is_typing(self) -> bool:
        return self.begins_at is not None

    def release(self, since: float, limit: float | None) -> None:
        """Let the held sentence be refined, since the word that was being typed has ended."""
        held, self.held = self.held, None
        if held is not None and held.refinement.is_held:
            held.since = since
            held.refinement.release(since, limit)
