"""Which owners of a shared store live, as far as one of them can see.

An owner beats. One whose beats have stood still for a time, by the watch of who looks, is dead; what its own
clock says, or that of the store, is no matter.
"""

from __future__ import annotations

from collections.abc import Mapping


class Lives:
    """The owners that one has looked at."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}  # the last beat of each, and when it was first seen

    def look(self, beats: Mapping[str, int], now: float) -> None:
        """These are all owners there are, with their last beats."""
        self._seen = {
            owner: seen if (seen := self._seen.get(owner)) and seen[0] == beat else (beat, now)
            for owner, beat in beats.items()
        }

    def silent_for(self, seconds: float, now: float) -> set[str]:
        """Those whose beats have stood still for so long."""
        return {owner for owner, (_, since) in self._seen.items() if now - since >= seconds}

    @property
    def owners(self) -> set[str]:
        """All that were there when one last looked."""
        return {*self._seen}
