"""Charts of forests over an interval and a node outside: the rules stand in `trees.crossing_regions`.

Items are joined two by two, along rows of x or k, by the states in `Joins`. Nodes are places, as for items of
four heads: the root has two, one of which has no edges where a single root is required, and the other has at
most one edge in each item. Where both parts of an item have the root, one part has the plain one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.rows import raise_by_rows, raise_row
from treewhile.oracles.kernels.values import Longs
from treewhile.oracles.trees.kernels.four_heads import PLAIN_ROOT, ROOT

# Kinds of items; all but the last have a node outside.
LEFT, RIGHT, NEITHER, EITHER, INSIDE = range(5)

# States of items over two nodes: nothing has a head, and all is below the first.
ALL_FREE, ALL_UNDER_FIRST = 0, 1


class Joins(NamedTuple):
    """Joins of items, by rows: the state that is made, and the states of both parts; rows run along one.

    Their borders stand in `trees.crossing_regions`.
    """

    inside: Longs  # one part only
    closed_inside: Longs
    closed: Longs
    edge_at_end: Longs
    edge_at_end_or_not: Longs
    edge_at_begin: Longs
    before_inside: Longs
    around_begin: Longs
    around_end: Longs
    edge_between: Longs
    before_neither: Longs
    after_neither: Longs
    both_sides: Longs
    two_inside: Longs
    divided: Longs
    over_inside: Longs
    under_inside: Longs
    edge_on_top: Longs
    crossing: Longs


class Chart(NamedTuple):
    """Best value of each item, and of some items with an edge of x; -inf where there is none."""

    inside: Any  # [i, j, state]
    outside: Any  # [kind, i, j, state, x]
    left_and_end: Any  # [i, j, state, x], as the next two: with or without an edge of x to j
    neither_and_end: Any
    right_and_begin: Any  # with an edge of x to i


class Begun(NamedTuple):
    """Partial values of items with the same begin: slot 0 for ROOT, slot 1 for the latest other begin."""

    left_and_edge: Any  # [slot, j, state, x], with an edge of x to j
    neither_and_edge: Any
    right_over: Any  # [slot, m, state, k]: RIGHT from i to k, and INSIDE from k to m
    left_under: Any  # INSIDE from i to k, LEFT of i from k to m, and the edge i - m


@kernel
def join_row(best, rows, vectors, numbers):
    """Improve the rows of all states by rows of one part plus numbers of the other."""
    for at in range(len(rows)):
        row, one, number = rows[at, 0], rows[at, 1], numbers[rows[at, 2]]
        if number > -np.inf:
            raise_row(best, row, vectors, one, number, 0, best.shape[1])


@kernel
def join_rows(best, rows, first, second, begin, end):
    """Improve the rows of all states by the sums of two parts, from begin to end - 1."""
    for at in range(len(rows)):
        raise_by_rows(best, rows[at, 0], first, rows[at, 1], second, rows[at, 2], begin, end)


@kernel
def join_nodes_outside(best, rows, first, second):
    """Improve the rows of all states by two parts with the same x, one of which has it as ROOT."""
    join_rows(best, rows, first, second, PLAIN_ROOT, best.shape[1])
    for at in range(len(rows)):
        row, one, other = rows[at, 0], rows[at, 1], rows[at, 2]
        best[row, ROOT] = max(best[row, ROOT], first[one, ROOT] + second[other, PLAIN_ROOT])
        best[row, ROOT] = max(best[row, ROOT], first[one, PLAIN_ROOT] + second[other, ROOT])


@kernel
def join_numbers(best, rows, first, second):
    """Improve the numbers of all states by the sums of two parts."""
    for at in range(len(rows)):
        way = first[rows[at, 1]] + second[rows[at, 2]]
        best[rows[at, 0]] = max(best[rows[at, 0]], way)


@kernel
def cross_inside(chart, joins, begun, i, j, crossing, interrupt):
    """Improve INSIDE by edges of k over m that cross edges over k; return False if interrupted.

    crossing[state, k] is the best for each k.
    """
    first, slot = max(i, PLAIN_ROOT) + 1, min(i, 1)
    crossing[:, first:j] = -np.inf
    for m in range(first + 1, j):
        if interrupt[0]:
            return False
        right_over, left_under = begun.right_over[slot, m], begun.left_under[slot, m]
        join_rows(crossing, joins.crossing, right_over, chart.left_and_end[m, j], first, m)
        join_rows(crossing, joins.crossing, left_under, chart.neither_and_end[m, j], first, m)
    inside = chart.inside[i, j]
    for state in range(len(inside)):
        for k in range(first, j):
            inside[state] = max(inside[state], crossing[state, k])
    return True


@kernel
def fill_inside(chart, joins, edges, begun, i, j, crossing, interrupt):
    """Fill INSIDE; return False if interrupted."""
    inside, first = chart.inside[i, j], max(i, PLAIN_ROOT) + 1
    inside[:] = -np.inf
    if j == first:
        inside[ALL_FREE] = 0
    for k in range(first, j):
        join_numbers(inside, joins.two_inside, chart.inside[i, k], chart.inside[k, j])
        join_numbers(inside, joins.divided, chart.outside[EITHER, i, k, :, j], chart.inside[k, j])
    if not cross_inside(chart, joins, begun, i, j, crossing, interrupt):
        return False
    without_edge = (inside if i != ROOT else chart.inside[PLAIN_ROOT, j]).copy()
    join_numbers(inside, joins.closed_inside, without_edge, edges[j, :, i])
    return True


@kernel
def fill_outside(chart, joins, edges, begun, i, j, both, hubs, interrupt):
    """Fill the items with a node outside but for the edge on top; return False if interrupted.

    Items of the kind EITHER, which need that edge, are left in `both` without it.
    """
    plain, slot = max(i, PLAIN_ROOT), min(i, 1)
    left, right, neither = chart.outside[LEFT, i, j], chart.outside[RIGHT, i, j], chart.outside[NEITHER, i, j]
    left[:], right[:], neither[:], both[:] = -np.inf, -np.inf, -np.inf, -np.inf
    for at in range(len(joins.inside)):
        state = joins.inside[at, 0]
        left[state] = right[state] = neither[state] = chart.inside[i, j, joins.inside[at, 1]]
    for k in range(plain + 1, j):
        if interrupt[0]:
            return False
        inside = chart.inside[k, j]
        join_row(neither, joins.before_inside, begun.neither_and_edge[slot, k], inside)
        join_row(right, joins.after_neither, chart.right_and_begin[k, j], chart.outside[NEITHER, i, k, :, j])
        hubs[:] = -np.inf
        join_numbers(hubs[0], joins.around_begin, chart.outside[LEFT, k, j, :, plain], chart.inside[i, k])
        join_numbers(hubs[1], joins.around_end, chart.outside[RIGHT, i, k, :, j], inside)
        join_row(
            left,
            joins.before_neither,
            begun.left_and_edge[slot, k],
            chart.outside[NEITHER, k, j, :, plain],
        )
        if i == ROOT:
            join_numbers(hubs[0], joins.around_begin, chart.outside[LEFT, k, j, :, i], chart.inside[plain, k])
            join_row(
                left, joins.before_neither, begun.left_and_edge[1, k], chart.outside[NEITHER, k, j, :, i]
            )
        join_row(left, joins.edge_between, edges[k], hubs[0])
        join_row(right, joins.edge_between, edges[k], hubs[1])
        join_nodes_outside(both, joins.both_sides, chart.left_and_end[plain, k], chart.outside[RIGHT, k, j])
    return True


@kernel
def close_outside(chart, joins, edges, i, j, both, without_edge):
    """Add the edge i - j to the items with a node outside."""
    plain, edge = max(i, PLAIN_ROOT), edges[j, :, i]
    left, right = chart.outside[LEFT, i, j], chart.outside[RIGHT, i, j]
    without_edge[:] = left if i != ROOT else chart.outside[LEFT, plain, j]
    join_row(left, joins.closed, without_edge, edge)
    without_edge[:] = right if i != ROOT else chart.outside[RIGHT, plain, j]
    join_row(right, joins.closed, without_edge, edge)
    chart.outside[EITHER, i, j] = -np.inf
    join_row(chart.outside[EITHER, i, j], joins.closed, both, edge)


@kernel
def add_edges(chart, joins, edges, begun, i, j):
    """Fill the items that have an edge of the node outside to one of their ends."""
    slot = min(i, 1)
    left, neither = begun.left_and_edge[slot, j], begun.neither_and_edge[slot, j]
    left[:], neither[:] = -np.inf, -np.inf
    join_nodes_outside(left, joins.edge_at_end, chart.outside[LEFT, i, j], edges[j])
    join_nodes_outside(neither, joins.edge_at_end, chart.outside[NEITHER, i, j], edges[j])
    chart.left_and_end[i, j] = chart.neither_and_end[i, j] = chart.right_and_begin[i, j] = -np.inf
    join_nodes_outside(
        chart.left_and_end[i, j], joins.edge_at_end_or_not, chart.outside[LEFT, i, j], edges[j]
    )
    join_nodes_outside(
        chart.neither_and_end[i, j], joins.edge_at_end_or_not, chart.outside[NEITHER, i, j], edges[j]
    )
    if i > ROOT:
        join_nodes_outside(
            chart.right_and_begin[i, j], joins.edge_at_begin, chart.outside[RIGHT, i, j], edges[i]
        )


@kernel
def begin_crossing(chart, joins, edges, begun, i, m, without_edge):
    """Fill the crossing parts of items that begin in i, by the node m in which the parts end."""
    plain, slot, edge = max(i, PLAIN_ROOT), min(i, 1), edges[m, :, i]
    for k in range(plain + 1, m):
        over, under = begun.right_over[slot, m, :, k], begun.left_under[slot, m, :, k]
        over[:], under[:], without_edge[:] = -np.inf, -np.inf, -np.inf
        join_numbers(over, joins.over_inside, chart.outside[RIGHT, i, k, :, m], chart.inside[k, m])
        without_edge[:] = over if i != ROOT else begun.right_over[1, m, :, k]
        join_numbers(over, joins.edge_on_top, without_edge, edge)
        without_edge[:] = -np.inf
        join_numbers(
            without_edge, joins.under_inside, chart.outside[LEFT, k, m, :, plain], chart.inside[plain, k]
        )
        join_numbers(under, joins.edge_on_top, without_edge, edge)


@kernel
def fill_regions(chart, joins, edges, single_root, interrupt):
    """Fill all items by edges[place, direction, place], the last begins first; False if interrupted.

    Directions: 0 into the first place, 1 out of it, 2 for none.
    """
    size, states = len(edges), chart.outside.shape[3]
    shape = (2, size, states, size)
    begun = Begun(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))
    both, without_edge, hubs = np.empty(shape[2:]), np.empty(shape[2:]), np.empty((2, states))
    crossing = np.empty((chart.inside.shape[2], size))
    for i in range(size - 2, ROOT - 1 if single_root else ROOT, -1):
        for j in range(max(i, PLAIN_ROOT) + 1, size):
            if not fill_inside(chart, joins, edges, begun, i, j, crossing, interrupt):
                return False
            if not fill_outside(chart, joins, edges, begun, i, j, both, hubs, interrupt):
                return False
            close_outside(chart, joins, edges, i, j, both, without_edge)
            add_edges(chart, joins, edges, begun, i, j)
            begin_crossing(chart, joins, edges, begun, i, j, hubs[0])
    return True
