"""Positions in a text that changes, in code points and in the units of its document."""

from __future__ import annotations

from bisect import bisect_left

from treewhile.incremental.sessions.messages import Positions


def units(text: str, positions: Positions) -> int:
    """Return the length of a text in units."""
    if positions == "code_points" or text.isascii():
        return len(text)
    return len(text.encode("utf-16-le")) // 2


class TextPositions:
    """Positions of the characters that are two units long; no conversion scans the whole text."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._wide: list[int] = []  # in code points
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def copy(self) -> TextPositions:
        copied = TextPositions(self._positions)
        copied._wide, copied._length = [*self._wide], self._length
        return copied

    @property
    def units(self) -> int:
        """Length of the text in units."""
        return self._length + len(self._wide)

    @property
    def has_wide(self) -> bool:
        """True if both kinds of positions differ anywhere."""
        return bool(self._wide)

    def replace(self, start: int, end: int, new_text: str) -> None:
        """Replace the code points from `start` to `end` by `new_text`."""
        shift = len(new_text) - (end - start)
        self._length += shift
        if self._positions == "code_points" or (not self._wide and new_text.isascii()):
            return
        first, behind = bisect_left(self._wide, start), bisect_left(self._wide, end)
        new = [place for place, character in enumerate(new_text, start) if character > "\uffff"]
        self._wide[first:] = [*new, *(place + shift for place in self._wide[behind:])]

    def in_units(self, place: int) -> int:
        return place + bisect_left(self._wide, place)

    def in_code_points(self, place: int) -> int | None:
        """Return a position in units as one in code points; None if outside, or within a character."""
        if not self._wide:
            return place if place <= self._length else None
        before = bisect_left(range(len(self._wide)), place, key=lambda number: self._wide[number] + number)
        found = place - before
        if found > self._length or (before and self._wide[before - 1] >= found):
            return None
        return found
