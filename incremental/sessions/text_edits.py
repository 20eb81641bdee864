"""Shortest edit from one text to another, for programs that only see whole texts."""

from __future__ import annotations

from typing import NamedTuple


class TextEdit(NamedTuple):
    """Replacement of the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def edit_between(before: str, after: str) -> TextEdit | None:
    """Return the shortest edit from one text to the other; None if they are the same."""
    if before == after:
        return None
    most = min(len(before), len(after))
    start = _shared(before[:most], after[:most])
    most -= start
    behind = _shared(before[len(before) - most :][::-1], after[len(after) - most :][::-1])
    return TextEdit(start, len(before) - behind, after[start : len(after) - behind])


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts of equal length, by bisection."""
    least, most = 0, len(one)
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least
