"""Drawings for a terminal: dependency trees as arcs, and phrases as brackets, above the words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len

from treewhile.oracles.constituents.phrase_trees import Constituent

Arc = tuple[int, int]  # columns of the head and of the child

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LINES = {
    0: " ",
    UP | DOWN: "│",
    LEFT | RIGHT: "─",
    DOWN | RIGHT: "╭",
    DOWN | LEFT: "╮",
    UP | DOWN | RIGHT: "├",
    UP | DOWN | LEFT: "┤",
    UP | DOWN | LEFT | RIGHT: "┼",
}


def draw_arcs(forms: Sequence[str], heads: Sequence[int | None]) -> str:
    """Draw the words in a line after the root, and above them an arc from every head to its child.

    An arrow marks the child. Arcs to the left start left of the middle of a word, arcs to the right start
    right, so that the middle is free for the word's own arrow; an arc beyond the word's own head starts on
    the other side, so that the two do not cross. So ┼ appears only where edges cross. A head may be None:
    then there is no arc.
    """
    words = [form.center(3) for form in ("root", *forms)]
    starts = accumulate((cell_len(word) + 1 for word in words), initial=0)
    middles = [start + (cell_len(word) - 1) // 2 for start, word in zip(starts, words, strict=False)]
    arcs = [
        (middles[head] + _side(head, child, None if head == 0 else heads[head - 1]), middles[child])
        for child, head in enumerate(heads, 1)
        if head is not None
    ]
    return "\n".join([*_lines(arcs), " ".join(words).rstrip()])


def _side(head: int, child: int, above: int | None) -> int:
    """Return the side of a head on which the arc to a child starts, 1 for right; `above` is its own head."""
    is_beyond = above is not None and (child < above < head or head < above < child)
    return 1 if (head < child) != is_beyond else -1


def _lines(arcs: Sequence[Arc]) -> list[str]:
    """Return the lines above the words, from the top."""
    directions = defaultdict[tuple[int, int], int](int)  # [level, column]
    levels = _levels(arcs)
    for arc, level in levels.items():
        left, right = sorted(arc)
        for column in range(left, right + 1):
            directions[level, column] |= (RIGHT if column < right else DOWN) | (
                LEFT if left < column else DOWN
            )
        for below in range(level):
            directions[below, left] |= UP | DOWN
            directions[below, right] |= UP | DOWN
    width = max(map(max, arcs), default=0) + 1
    tops = range(max(levels.values(), default=0), 0, -1)
    lines = ["".join(LINES[directions[level, column]] for column in range(width)) for level in tops]
    children = {child for _, child in arcs}
    lines.append("".join("▼" if at in children else LINES[directions[0, at]] for at in range(width)))
    return [line.rstrip() for line in lines]


def _levels(arcs: Iterable[Arc]) -> dict[Arc, int]:
    """Return the height of each arc: one more than that of shorter arcs that it meets."""
    levels: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: abs(arc[0] - arc[1])):
        met = [level for other, level in levels.items() if min(other) <= max(arc) and min(arc) <= max(other)]
        levels[arc] = max(met, default=0) + 1
    return levels


# --- phrases ------------------------------------------------------------------------------------------------

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
