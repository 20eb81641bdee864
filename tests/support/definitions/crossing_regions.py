"""Rules of one-endpoint-crossing trees applied as they stand, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.trees.crossing_regions import (
    RULES,
    Part,
    Rule,
    State,
    border_of,
    closing_rows,
    rows_of,
)
from treewhile.oracles.trees.kernels.crossing_region_traces import EDGE
from treewhile.oracles.trees.kernels.crossing_regions import EITHER, INSIDE, NEITHER

Edge = tuple[int, int]  # head, dependent
Way = tuple[int, float, tuple[Edge, ...]]  # edges of the root, less than nothing; its score; its edges


def best_by_definition(scores: npt.NDArray[np.float64]) -> Way:
    """The best tree by the rules as they stand above, of those with the fewest edges of the root."""

    @cache
    def best_items(kind: int, *border: int) -> dict[State, Way]:
        names = dict(zip(border_of(kind), border, strict=True))
        open_items: dict[State, Way] = {(0, 1): (0, 0.0, ())} if border == (border[0], border[0] + 1) else {}
        for rule in (rule for rule in RULES if rule.kind == kind):
            for inner in _inner_nodes(names["i"], names["j"], len(rule.inner)):
                _add_ways(rule, names | dict(zip("km", inner, strict=False)), open_items)
        closed = {} if kind == EITHER else dict(open_items)
        for state, direction, made in closing_rows(kind) if kind != NEITHER else ():
            if state in open_items:
                head, dependent = border[:2] if direction == 0 else border[1::-1]
                _improve(closed, made, _joined(open_items[state], edge(head, dependent)))
        return closed

    def edge(head: int, dependent: int) -> Way:
        return -(head == 0), float(scores[head, dependent]), ((head, dependent),)

    def part_ways(part: Part, border: Sequence[int]) -> dict[State, Way]:
        if part.kind != EDGE:
            return best_items(part.kind, *border)
        a, b = border
        ways: dict[State, Way] = {(0, 0): edge(a, b), (1, 1): edge(b, a)}
        if part.may_miss:
            ways[0, 1] = (0, 0.0, ())
        return ways

    def _add_ways(rule: Rule, names: dict[str, int], found: dict[State, Way]) -> None:
        ways = [part_ways(part, [names[name] for name in part.border]) for part in rule.parts]
        for states, made in rows_of_rule(rule):
            if all(state in of_part for state, of_part in zip(states, ways, strict=True)):
                chosen = [of_part[state] for state, of_part in zip(states, ways, strict=True)]
                _improve(found, made, _joined(*chosen))

    return best_items(INSIDE, 0, len(scores) - 1).get((0, 0), (0, -math.inf, ()))


def _inner_nodes(i: int, j: int, count: int) -> Iterator[tuple[int, ...]]:
    return combinations(range(i + 1, j), count)


def _improve(found: dict[State, Way], state: State, way: Way) -> None:
    if way[1] > -math.inf and (state not in found or way[:2] > found[state][:2]):
        found[state] = way


def _joined(*ways: Way) -> Way:
    return sum(way[0] for way in ways), sum(way[1] for way in ways), sum((way[2] for way in ways), ())


@cache
def rows_of_rule(rule: Rule) -> tuple[tuple[tuple[State, ...], State], ...]:
    return tuple(rows_of(rule.parts, border_of(rule.kind)))
