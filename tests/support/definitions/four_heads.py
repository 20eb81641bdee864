"""Recurrence of MH4 trees, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

from treewhile.oracles.trees.four_heads import Places
from treewhile.oracles.trees.kernels.four_heads import FIRST_WORD

Way = tuple[float, tuple[tuple[int, int], ...]]  # its score, its edges as nodes (dependent, head)


def best_by_definition(places: Places, first: int) -> Way:
    """The best P(first, last) by the recurrence as it stands above, for a dozen nodes."""
    before, node = places.before.tolist(), places.node.tolist()

    @cache
    def best_item(*row: int) -> Way:
        return max(ways(row), key=lambda way: way[0], default=(-math.inf, ()))

    def ways(row: tuple[int, ...]) -> Iterator[Way]:
        if len(row) == 2:
            yield float(places.start[row]), ()
        if len(row) < 4:
            yield from ways_by_edge(row)
        if len(row) == 4 and not places.is_open[row[0], row[-1]]:
            return
        for joint in range(1, len(row) - 1):
            m = row[joint]
            for left, right in {(m, before[m]), (before[m], m)}:
                yield _joined(best_item(*row[:joint], left), best_item(right, *row[joint + 1 :]))

    def ways_by_edge(row: tuple[int, ...]) -> Iterator[Way]:
        for at, head in enumerate(row):
            source = (*row[:at], before[head], *row[at + 1 :])
            for m in range(FIRST_WORD, len(before)):
                weight, place = float(places.weight[head, m]), _place_in(row, m, node)
                if weight > -math.inf and place:
                    score, edges = best_item(*source[:place], m, *source[place:])
                    yield score + weight, (*edges, (node[m], node[head]))

    return best_item(first, places.last)


def _place_in(row: tuple[int, ...], m: int, node: list[int]) -> int:
    """Before which one of a row a place stands inside it; 0 if it does not."""
    for at in range(1, len(row)):
        if node[row[at - 1]] < node[m] < node[row[at]]:
            return at
    return 0


def _joined(*parts: Way) -> Way:
    return sum(score for score, _ in parts), tuple(edge for _, edges in parts for edge in edges)
