"""Best tree of a filled chart of `kernels.crossing_regions`, by trying the ways into each item again.

Unlike the chart, the traces go by the rules as `trees.crossing_regions` states them, since the tie rule
refers to these.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.trees.kernels.crossing_regions import (
    ALL_FREE,
    ALL_UNDER_FIRST,
    EITHER,
    INSIDE,
)
from treewhile.oracles.trees.kernels.four_heads import PLAIN_ROOT, ROOT

EDGE = -1  # in place of the kind of an item
NO_WAY = -1

# Columns of `rules`: the kind that is made, the number of split points (k, m), the number of parts, the rows
# of the rule; then the parts.
KIND, INNER, PARTS, FIRST_ROW, LAST_ROW, FIRST_PART = range(6)
PART_FIELDS = 4  # kind, and the positions of the border nodes in (i, j, x, k, m)
MOST_PARTS = 5

# Columns of `closings`, which add the edge i - j: the kind, the state before, 0 for i -> j or 1 for j -> i,
# and the state that is made.
CLOSED_KIND, OPEN, DIRECTION, CLOSED = range(4)

# Columns of `rows`: the state that is made, then the state of each part.
MADE, FIRST_STATE = range(2)

# Columns of the ways into an item without the edge i - j: the rule, k, m, the row, and the part that may have
# the edge of the root.
RULE, K, M, ROW, WITH_ROOT = range(5)


@helper
def name_parts(rule, number, with_root, i, j, x, k, m, names):
    """Write the border nodes of a part; the root is the plain one in all parts but one."""
    for at in range(PART_FIELDS - 1):
        letter = rule[FIRST_PART + number * PART_FIELDS + 1 + at]
        name = (i, j, x, k, m)[letter]
        names[at] = PLAIN_ROOT if name == ROOT and number != with_root else name


@helper
def has_node(rule, number, letter):
    """Return whether a part has a node of the rule in its border."""
    first = FIRST_PART + number * PART_FIELDS + 1
    return rule[first] == letter or rule[first + 1] == letter or rule[first + 2] == letter


@helper
def read_part(chart, edges, kind, names, values):
    """Copy the values of a part in each of its states."""
    a, b = names[0], names[1]
    if kind == EDGE:
        values[0], values[1], values[2] = edges[b, 0, a], edges[b, 1, a], 0
    elif kind == INSIDE:
        for state in range(chart.inside.shape[2]):
            values[state] = chart.inside[a, b, state]
    else:
        for state in range(chart.outside.shape[3]):
            values[state] = chart.outside[kind, a, b, state, names[2]]


@helper
def join_parts(rule, rows, parts, best, ways, way):
    """Improve the values of all states by the sums over the parts of a rule."""
    for row in range(rule[FIRST_ROW], rule[LAST_ROW]):
        value = 0.0
        for part in range(rule[PARTS]):
            value += parts[part, rows[row, FIRST_STATE + part]]
        made = rows[row, MADE]
        if value > best[made]:
            best[made] = value
            ways[made] = way
            ways[made, ROW] = row


@kernel
def find_ways(chart, edges, rules, rows, kind, i, j, x, best, ways, interrupt):
    """Find the best value of each state without the edge i - j on top, and the way; False if interrupted."""
    begin = max(i, PLAIN_ROOT) + 1
    best[:], ways[:] = -np.inf, NO_WAY
    if kind == INSIDE and j == begin:
        best[ALL_FREE] = 0
    parts, names, way = np.empty((MOST_PARTS, len(best))), np.empty(3, np.int64), np.empty(5, np.int64)
    root = 0 if i == ROOT else 2 if kind != INSIDE and x == ROOT else NO_WAY
    for number in range(len(rules)):
        rule = rules[number]
        if rule[KIND] != kind:
            continue
        first, last = (begin, j) if rule[INNER] > 0 else (i, i + 1)
        for k in range(first, last):
            if interrupt[0]:
                return False
            for m in range(k + 1, j if rule[INNER] > 1 else k + 2):
                for with_root in range(rule[PARTS] if root != NO_WAY else 1):
                    if with_root > 0 and not has_node(rule, with_root, root):
                        continue
                    for part in range(rule[PARTS]):
                        name_parts(rule, part, with_root, i, j, x, k, m, names)
                        read_part(chart, edges, rule[FIRST_PART + part * PART_FIELDS], names, parts[part])
                    way[RULE], way[K], way[M], way[WITH_ROOT] = number, k, m, with_root
                    join_parts(rule, rows, parts, best, ways, way)
    return True


@kernel
def best_closing(edges, closings, kind, i, j, state, best):
    """Return the first of the best rows that add the edge i - j to items without it, and its value."""
    found, most = NO_WAY, -np.inf
    for number in range(len(closings)):
        closing = closings[number]
        if closing[CLOSED_KIND] == kind and closing[CLOSED] == state:
            value = best[closing[OPEN]] + edges[j, closing[DIRECTION], i]
            if value > most:
                found, most = number, value
    return found, most


@helper
def node_at(place):
    return max(place - PLAIN_ROOT, 0)


@kernel
def trace_regions(chart, edges, rules, rows, closings, begin, heads, interrupt):
    """Write heads[node] of the best tree from a given begin; return False if interrupted."""
    states = chart.outside.shape[3]
    best, ways, names = np.empty(states), np.empty((states, 5), np.int64), np.empty(3, np.int64)
    todo = [(INSIDE, begin, len(edges) - 1, PLAIN_ROOT, ALL_UNDER_FIRST)]
    while len(todo) > 0:
        kind, i, j, x, state = todo.pop()
        plain = max(i, PLAIN_ROOT)
        if not find_ways(chart, edges, rules, rows, kind, plain, j, x, best, ways, interrupt):
            return False
        number, value = best_closing(edges, closings, kind, i, j, state, best)
        if i == ROOT and not find_ways(chart, edges, rules, rows, kind, i, j, x, best, ways, interrupt):
            return False
        if kind == EITHER or value > best[state]:
            closing = closings[number]
            head, dependent = (i, j) if closing[DIRECTION] == 0 else (j, i)
            heads[node_at(dependent)] = node_at(head)
            state = closing[OPEN]
            if i == ROOT:
                i = plain
                if not find_ways(chart, edges, rules, rows, kind, i, j, x, best, ways, interrupt):
                    return False
        way = ways[state]
        if way[RULE] == NO_WAY:
            continue
        rule = rules[way[RULE]]
        for part in range(rule[PARTS]):
            name_parts(rule, part, way[WITH_ROOT], i, j, x, way[K], way[M], names)
            of_kind = rule[FIRST_PART + part * PART_FIELDS]
            a, b, of_part = names[0], names[1], rows[way[ROW], FIRST_STATE + part]
            if of_kind != EDGE:
                todo.append((of_kind, a, b, names[2], of_part))
            elif of_part == 0:
                heads[node_at(b)] = node_at(a)
            elif of_part == 1:
                heads[node_at(a)] = node_at(b)
    return True
