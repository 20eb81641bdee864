"""Rules by which 1-endpoint-crossing trees are built, as data: items over intervals and a node outside.

After Pitler, Kannan & Marcus (2013), "Finding Optimal 1-Endpoint-Crossing Trees": all edges that cross an
edge share an end. An item is a forest over the nodes from i to j; except for INSIDE, the item also has edges
between a node x outside and those inside the interval. The edges from i to j that cross one edge of x share

    LEFT  i        RIGHT  j        EITHER  i for some edges, j for others        NEITHER  there are none

Let y be the farthest neighbour of i before j, if the edge i - y is crossed, and z the end that all its
crossing edges share. If z is behind y, edges of z into (i, y) may be crossed by edges of y, from inside or
from behind z; or, if y has none there, some by edges of i and others by edges of y. If z is inside (i, y),
its edges behind y are crossed by edges of i into (z, y), or by edges of y, into (i, z) or behind y. Those are
the rules of INSIDE, in which k is the first of y and z, m the second. In LEFT and NEITHER k is the last
neighbour of x, in RIGHT the first one. In EITHER a node k divides both sorts of edges: i - j is an edge
there, and a tree has no other path from i to j.

The nodes i, j and x are the *border* of an item. All other nodes have a head. A state gives, for each node of
the border, the border node at the end of its path upwards, or the node itself if it has no head yet; so no
cycle is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.trees.kernels.crossing_region_traces import EDGE, MOST_PARTS, PART_FIELDS
from treewhile.oracles.trees.kernels.crossing_regions import EITHER, INSIDE, LEFT, NEITHER, RIGHT, Joins

KINDS: Final = range(5)

State = tuple[int, ...]  # for each node of the border the place in it of the node where its way up ends


class Part(NamedTuple):
    """Item or edge in a rule, with its border: the rule's i, j and x, and nodes k < m inside."""

    kind: int
    border: str
    may_miss: bool = False


class Rule(NamedTuple):
    kind: int
    parts: tuple[Part, ...]

    @property
    def inner(self) -> str:
        return "".join(sorted({*"".join(part.border for part in self.parts)} & {*"km"}))


KIND_NAMES: Final = {
    "-": EDGE,
    "in": INSIDE,
    "left": LEFT,
    "right": RIGHT,
    "neither": NEITHER,
    "either": EITHER,
}


def _rule(kind: int, *parts: str) -> Rule:
    """Return a rule as written below: a hyphen is an edge, with a question mark an optional one."""
    return Rule(kind, tuple(map(_part, parts)))


def _part(written: str) -> Part:
    name, border = written.removesuffix("?").split(":")
    return Part(KIND_NAMES[name], border, written.endswith("?"))


# Parts that a rule joins inside i..j, x outside. The edge i - j is added on top, except for NEITHER.
RULES: Final = (
    _rule(INSIDE, "in:ik", "in:kj"),
    _rule(INSIDE, "right:ikm", "in:km", "left:mjk", "-:kj?"),
    _rule(INSIDE, "either:ikm", "in:km", "in:mj"),
    _rule(INSIDE, "either:ikj", "in:kj"),
    _rule(INSIDE, "in:ik", "left:kmi", "neither:mjk", "-:im", "-:kj?"),
    _rule(INSIDE, "right:ikm", "in:km", "left:mjk", "-:im", "-:kj?"),
    _rule(NEITHER, "in:ij"),
    _rule(NEITHER, "neither:ikx", "-:xk", "in:kj"),
    _rule(LEFT, "in:ij"),
    _rule(LEFT, "left:ikx", "-:xk", "in:kj"),
    _rule(LEFT, "in:ik", "-:xk", "left:kji"),
    _rule(LEFT, "left:ikx", "-:xk", "neither:kji"),
    _rule(RIGHT, "in:ij"),
    _rule(RIGHT, "in:ik", "-:xk", "right:kjx"),
    _rule(RIGHT, "right:ikj", "-:xk", "in:kj"),
    _rule(RIGHT, "neither:ikj", "-:xk", "right:kjx"),
    _rule(EITHER, "left:ikx", "-:xk?", "right:kjx"),
)


def border_of(kind: int) -> str:
    return "ij" if kind in (INSIDE, EDGE) else "ijx"


@cache
def states_of(part: Part) -> tuple[State, ...]:
    """Return the possible states of a part, those in which no node has a head first."""
    size = len(part.border)
    if part.kind == EDGE:
        return ((0, 0), (1, 1), (0, 1)) if part.may_miss else ((0, 0), (1, 1))
    found = [state for state in product(range(size), repeat=size) if all(state[end] == end for end in state)]
    return tuple(sorted(found, key=lambda state: -len({*state})))


def item_states(kind: int) -> tuple[State, ...]:
    return states_of(Part(kind, border_of(kind)))


MOST_STATES: Final = len(item_states(LEFT))
INSIDE_STATES: Final = len(item_states(INSIDE))
OUTSIDE_KINDS: Final = len(KINDS) - 1


def joined_state(parts: Sequence[tuple[str, State]], border: str) -> State | None:
    """Return the state of joined parts; None if a node has two heads, lacks one, or is on a cycle."""
    above: dict[str, str] = {}
    for names, state in parts:
        for node, end in zip(names, state, strict=True):
            if names[end] != node:
                if node in above:
                    return None
                above[node] = names[end]
    ends = [_end(node, above) for names, _ in parts for node in names]
    if any(end not in border for end in ends):
        return None
    return tuple(border.index(_end(node, above)) for node in border)


def _end(node: str, above: dict[str, str]) -> str:
    """Return the node where the path upwards from a node ends; a node outside every border for a cycle."""
    for _ in range(len(above) + 1):
        if node not in above:
            return node
        node = above[node]
    return "?"


def rows_of(parts: Sequence[Part], border: str) -> Iterator[tuple[tuple[State, ...], State]]:
    """Yield all compatible states of some parts, with the state of the joined item."""
    for states in product(*map(states_of, parts)):
        made = joined_state([(part.border, state) for part, state in zip(parts, states, strict=True)], border)
        if made is not None:
            yield states, made


def closing_rows(kind: int) -> Iterator[tuple[State, int, State]]:
    """Yield a state, the direction of the edge added on top (0: i -> j, 1: j -> i), and the new state."""
    for state in item_states(kind):
        for direction in (0, 1):
            parts = [(border_of(kind), state), ("ij", (direction, direction))]
            made = joined_state(parts, border_of(kind))
            if made is not None:
                yield state, direction, made


# --- as tables ----------------------------------------------------------------------------------------------


class Tables(NamedTuple):
    """Rules as arrays for kernels; the columns are named in `kernels.crossing_regions`."""

    rules: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    closings: npt.NDArray[np.int64]


@cache
def tables() -> Tables:
    rules: list[list[int]] = []
    rows: list[list[int]] = []
    for rule in RULES:
        first = len(rows)
        rows += [_row_of(rule, states, made) for states, made in rows_of(rule.parts, border_of(rule.kind))]
        parts = [field for part in rule.parts for field in _fields_of(part)]
        fields = [rule.kind, len(rule.inner), len(rule.parts), first, len(rows), *parts]
        rules.append(fields + [0] * (PART_FIELDS * (MOST_PARTS - len(rule.parts))))
    closings = [
        [kind, item_states(kind).index(state), direction, item_states(kind).index(made)]
        for kind in KINDS
        if kind != NEITHER
        for state, direction, made in closing_rows(kind)
    ]
    return Tables(np.array(rules), np.array(rows), np.array(closings))


def _row_of(rule: Rule, states: Sequence[State], made: State) -> list[int]:
    numbers = _numbers(rule.parts, states)
    return [item_states(rule.kind).index(made), *numbers, *[0] * (MOST_PARTS - len(numbers))]


def _numbers(parts: Sequence[Part], states: Sequence[State]) -> list[int]:
    return [states_of(part).index(state) for part, state in zip(parts, states, strict=True)]


def _fields_of(part: Part) -> list[int]:
    places = ["ijxkm".index(name) for name in part.border]
    return [part.kind, *places, *[-1] * (PART_FIELDS - 1 - len(places))]


# --- two by two ---------------------------------------------------------------------------------------------

# Binary joins that fill charts: the border of the result and of two parts, an item or an edge each. An item
# is joined with an edge first, so that only two parts are joined at each k or m, and most of the rules share
# the tables of compatible states. Three rules are not needed: the first two parts of the third rule of INSIDE
# make an item by the fourth, which is joined with the last part by the first; and LEFT or RIGHT with an
# INSIDE beside an edge of x is a NEITHER, too.
JOINS: Final = {
    "inside": ("ijx", "ij"),
    "closed_inside": ("ij", "ij", "-ij"),
    "closed": ("ijx", "ijx", "-ij"),
    "edge_at_end": ("ijx", "ijx", "-xj"),
    "edge_at_end_or_not": ("ijx", "ijx", "-xj?"),
    "edge_at_begin": ("ijx", "ijx", "-xi"),
    "before_inside": ("ijx", "ikx", "kj"),
    "around_begin": ("ijk", "kji", "ik"),
    "around_end": ("ijk", "ikj", "kj"),
    "edge_between": ("ijx", "-xk", "ijk"),
    "before_neither": ("ijx", "ikx", "kji"),
    "after_neither": ("ijx", "kjx", "ikj"),
    "both_sides": ("ijx", "ikx", "kjx"),
    "two_inside": ("ij", "ik", "kj"),
    "divided": ("ij", "ikj", "kj"),
    "over_inside": ("ikm", "ikm", "km"),
    "under_inside": ("ikm", "kmi", "ik"),
    "edge_on_top": ("ikm", "ikm", "-im"),
    "crossing": ("ij", "ikm", "mjk"),
}


@cache
def joins() -> Joins:
    return Joins(**{name: _join_rows(*borders) for name, borders in JOINS.items()})


def _join_rows(border: str, *written: str) -> npt.NDArray[np.int64]:
    """Return rows with the state of the result, and the states of the parts."""
    made, *parts = map(_joined_part, (border, *written))
    return np.array([_numbers((made, *parts), (state, *states)) for states, state in rows_of(parts, border)])


def _joined_part(written: str) -> Part:
    """Return an item by its border, or an edge, written with a leading hyphen."""
    border = written.strip("-?")
    kind = EDGE if written.startswith("-") else INSIDE if len(border) == 2 else LEFT
    return Part(kind, border, written.endswith("?"))
