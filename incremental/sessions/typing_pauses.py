"""Whether somebody is typing, and what waits until nobody is, or until the word has ended."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.open_sentences import OpenSentence

PAUSE: Final = 0.25  # seconds without an edit, after which nobody is typing


class TypingPauses:
    """Of one document: edits of its text put the next pause off."""

    __slots__ = ("awaits_pause", "begins_at", "held")

    def __init__(self) -> None:
        self.begins_at: float | None = None  # unless more comes; None while nobody is typing
        self.held: OpenSentence | None = None  # that waits for the end of the word that is being typed
        self.awaits_pause = False  # whether the last sentence would be a whole one then

    @property
    def is_typing(self) -> bool:
        return self.begins_at is not None

    def put_off(self, now: float) -> None:
        """Somebody has typed."""
        self.begins_at = now + PAUSE

    def begins(self, now: float) -> bool:
        """Whether a pause begins by now, once."""
        if self.begins_at is None or self.begins_at > now:
            return False
        self.begins_at = None
        return True

    def release(self, since: float, limit: float | None) -> None:
        """The word that was being typed has ended: its sentence can be refined."""
        held, self.held = self.held, None
        if held is not None and held.refinement.is_held:
            held.since = since
            held.refinement.release(since, limit)
