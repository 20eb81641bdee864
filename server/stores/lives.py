"""Detection of dead owners of a shared store by their heartbeats.

An owner is dead when its heartbeat counter has not changed for some time on the clock of the observer; clocks
of other machines and of the store are never read.
"""

from __future__ import annotations

from collections.abc import Mapping


class Lives:
    """Last observed heartbeats of all owners."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}  # last beat of each owner, first seen at a time

    def look(self, beats: Mapping[str, int], now: float) -> None:
        """Note the heartbeats of all owners at a time."""
        self._seen = {
            owner: seen if (seen := self._seen.get(owner)) and seen[0] == beat else (beat, now)
            for owner, beat in beats.items()
        }

    def silent_for(self, seconds: float, now: float) -> set[str]:
        """Return the owners whose heartbeats have not changed for so many seconds."""
        return {owner for owner, (_, since) in self._seen.items() if now - since >= seconds}

    @property
    def owners(self) -> set[str]:
        """Owners at the last look."""
        return {*self._seen}
