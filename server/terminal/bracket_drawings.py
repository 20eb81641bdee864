"""Drawings of phrases as brackets above the words, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from treewhile.oracles.constituents.phrase_trees import Constituent

ENDS = len("┌┐")


class Bracket(NamedTuple):
    """Phrase with the indices of its first and last words, and its line, counted from the words up."""

    label: str
    first: int
    last: int
    is_open: bool
    height: int


def draw_brackets(forms: Sequence[str], constituents: Sequence[Constituent]) -> str:
    """Draw the words in a line, and above them the phrases, outer ones first, as brackets with labels.

    The bracket of an open phrase is dashed, and extends behind the last word.
    """
    brackets = _brackets(constituents, len(forms))
    widths = _widths([cell_len(form) for form in forms], brackets)
    starts = [sum(widths[:place]) + place for place in range(len(widths) + 1)]
    lines = []
    for height in range(max((bracket.height for bracket in brackets), default=0), 0, -1):
        line = ""
        for bracket in brackets:
            if bracket.height == height:
                line = line.ljust(starts[bracket.first]) + _drawn(bracket, starts)
        lines.append(line)
    words = [form + " " * (width - cell_len(form)) for form, width in zip(forms, widths, strict=True)]
    return "\n".join([*lines, " ".join(words).rstrip()])


def _brackets(constituents: Sequence[Constituent], words: int) -> list[Bracket]:
    """Return the brackets from left to right on every line; each is above the brackets inside."""
    found: list[Bracket] = []
    tops = [0] * words  # number of lines above each word
    for label, first, last in reversed(constituents):
        end = words if last is None else last
        height = 1 + max(tops[first - 1 : end])
        tops[first - 1 : end] = [height] * (end - first + 1)
        found.append(Bracket(label, first - 1, end - 1, last is None, height))
    return found[::-1]


def _widths(widths: Sequence[int], brackets: Sequence[Bracket]) -> list[int]:
    """Return the widths of the columns; the last word of a phrase is as wide as its label requires."""
    wide = [*widths]
    for bracket in reversed(brackets):
        room = sum(wide[bracket.first : bracket.last + 1]) + bracket.last - bracket.first
        wide[bracket.last] += max(0, ENDS + cell_len(bracket.label) - room)
    return wide


def _drawn(bracket: Bracket, starts: Sequence[int]) -> str:
    room = starts[bracket.last + 1] - starts[bracket.first] - 1 - ENDS
    line, end = ("┄", "┄") if bracket.is_open else ("─", "┐")
    return f"┌{bracket.label}{line * (room - cell_len(bracket.label))}{end}"
