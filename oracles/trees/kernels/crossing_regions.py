"""Charts of forests over an interval and a node outside, by the rules in `trees.crossing_regions`.

edges[0, head, dependent] is the score of an edge, edges[1, ...] is 1 if it counts as an edge of the root.
values[kind, i, j, x, state] is the sum of scores, roots[...] that of what counts; x is 0 where there is none.
What counts less is better, whatever its value; an item whose value is -inf is none.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel

# Kinds of items that are a case of their own, and of what is no item.
INSIDE, EITHER, EDGE = 0, 4, -1

# The states of INSIDE in which nothing has a head, and in which all is below i.
ALL_FREE, ALL_UNDER_FIRST = 0, 1

NO_WAY = -1
MANY = np.inf  # edges of the root: more than any sentence has

# The columns of `rules`: the kind that is made, how many of k and m there are, how many parts, its rows; then
# the parts.
KIND, INNER, PARTS, FIRST_ROW, LAST_ROW, FIRST_PART = range(6)
PART_FIELDS = 4  # kind, and the places of its border in (i, j, x, k, m)
MOST_PARTS = 5

# The columns of `closings`, which add the edge i - j: the kind, the state before, 0 for i -> j or 1 for
# j -> i, and the state that is made.
CLOSED_KIND, OPEN, DIRECTION, CLOSED = range(4)

# The columns of `rows`: the state that is made, then that of each part.
MADE, FIRST_STATE = range(2)

# The columns of the ways into an item, but for the edge i - j: the rule, k, m and the row that make it.
RULE, K, M, ROW = range(4)


@helper
def is_better(value, root_edges, than_value, than_root_edges):
    """Whether something that can be is better."""
    if root_edges == than_root_edges:
        return value > than_value
    return root_edges < than_root_edges and value > -np.inf


@helper
def read_parts(edges, values, roots, rule, names, part_values, part_roots):
    """Copies what each part of a rule is worth in each of its states."""
    for part in range(rule[PARTS]):
        at = FIRST_PART + part * PART_FIELDS
        a, b = names[rule[at + 1]], names[rule[at + 2]]
        if rule[at] == EDGE:
            part_values[part, 0], part_values[part, 1], part_values[part, 2] = (
                edges[0, a, b],
                edges[0, b, a],
                0,
            )
            part_roots[part, 0], part_roots[part, 1], part_roots[part, 2] = edges[1, a, b], edges[1, b, a], 0
        else:
            x = names[rule[at + 3]] if rule[at + 3] >= 0 else 0
            for state in range(values.shape[4]):
                part_values[part, state] = values[rule[at], a, b, x, state]
                part_roots[part, state] = roots[rule[at], a, b, x, state]


@helper
def join_parts(rule, number, rows, names, part_values, part_roots, best, fewest, ways):
    """Improves the values of all states by those of the parts of a rule."""
    for row in range(rule[FIRST_ROW], rule[LAST_ROW]):
        value, root_edges = 0.0, 0.0
        for part in range(rule[PARTS]):
            value += part_values[part, rows[row, FIRST_STATE + part]]
            root_edges += part_roots[part, rows[row, FIRST_STATE + part]]
        made = rows[row, MADE]
        if is_better(value, root_edges, best[made], fewest[made]):
            best[made], fewest[made] = value, root_edges
            ways[made, RULE], ways[made, K], ways[made, M], ways[made, ROW] = number, names[3], names[4], row


@kernel
def find_ways(edges, rules, rows, values, roots, kind, i, j, x, best, fewest, ways, interrupt):
    """The best value of each state without the edge i - j on top, and its way; false if interrupted."""
    for state in range(len(best)):
        best[state], fewest[state], ways[state, RULE] = -np.inf, MANY, NO_WAY
    if kind == INSIDE and j == i + 1:
        best[ALL_FREE], fewest[ALL_FREE] = 0, 0
    part_values = np.empty((MOST_PARTS, len(best)))
    part_roots = np.empty((MOST_PARTS, len(best)))
    names = np.array([i, j, x, 0, 0])
    for number in range(len(rules)):
        rule = rules[number]
        if rule[KIND] != kind:
            continue
        first, last = (i + 1, j) if rule[INNER] > 0 else (i, i + 1)
        for k in range(first, last):
            if interrupt[0]:
                return False
            names[3] = k
            for m in range(k + 1, j if rule[INNER] > 1 else k + 2):
                names[4] = m
                read_parts(edges, values, roots, rule, names, part_values, part_roots)
                join_parts(rule, number, rows, names, part_values, part_roots, best, fewest, ways)
    return True


@kernel
def close_item(edges, closings, kind, i, j, best, fewest, closed, closed_fewest, closed_by):
    """The best value of each state, with the edge i - j or without; the closing that adds it, or NO_WAY."""
    for state in range(len(best)):
        closed[state], closed_fewest[state], closed_by[state] = -np.inf, MANY, NO_WAY
        if kind != EITHER:
            closed[state], closed_fewest[state] = best[state], fewest[state]
    for number in range(len(closings)):
        closing = closings[number]
        if closing[CLOSED_KIND] == kind:
            head, dependent = (i, j) if closing[DIRECTION] == 0 else (j, i)
            value = best[closing[OPEN]] + edges[0, head, dependent]
            root_edges = fewest[closing[OPEN]] + edges[1, head, dependent]
            made = closing[CLOSED]
            if is_better(value, root_edges, closed[made], closed_fewest[made]):
                closed[made], closed_fewest[made], closed_by[made] = value, root_edges, number


@kernel
def fill_regions(edges, rules, rows, closings, values, roots, interrupt):
    """Fills all items, the narrow ones first; false if interrupted."""
    size, states = roots.shape[1], values.shape[4]
    best, fewest = np.empty(states), np.empty(states)
    ways, closed_by = np.empty((states, 4), np.int64), np.empty(states, np.int64)
    for width in range(1, size):
        for i in range(size - width):
            j = i + width
            for kind in range(values.shape[0]):
                for x in range(size if kind != INSIDE else 1):
                    if kind != INSIDE and i <= x <= j:
                        continue
                    if not find_ways(
                        edges, rules, rows, values, roots, kind, i, j, x, best, fewest, ways, interrupt
                    ):
                        return False
                    closed, closed_fewest = values[kind, i, j, x], roots[kind, i, j, x]
                    close_item(edges, closings, kind, i, j, best, fewest, closed, closed_fewest, closed_by)
    return True


@kernel
def trace_regions(edges, rules, rows, closings, values, roots, interrupt, heads):
    """Writes heads[node] of the best tree, finding ways into its items once more; false if interrupted."""
    states = values.shape[4]
    best, fewest = np.empty(states), np.empty(states)
    closed, closed_fewest = np.empty(states), np.empty(states)
    ways, closed_by = np.empty((states, 4), np.int64), np.empty(states, np.int64)
    todo = [(INSIDE, 0, roots.shape[1] - 1, 0, ALL_UNDER_FIRST)]
    while len(todo) > 0:
        kind, i, j, x, state = todo.pop()
        if not find_ways(edges, rules, rows, values, roots, kind, i, j, x, best, fewest, ways, interrupt):
            return False
        close_item(edges, closings, kind, i, j, best, fewest, closed, closed_fewest, closed_by)
        if closed_by[state] != NO_WAY:
            closing = closings[closed_by[state]]
            head, dependent = (i, j) if closing[DIRECTION] == 0 else (j, i)
            heads[dependent] = head
            state = closing[OPEN]
        way = ways[state]
        if way[RULE] == NO_WAY:
            continue
        rule, names = rules[way[RULE]], (i, j, x, way[K], way[M])
        for part in range(rule[PARTS]):
            at, of_part = FIRST_PART + part * PART_FIELDS, rows[way[ROW], FIRST_STATE + part]
            a, b = names[rule[at + 1]], names[rule[at + 2]]
            if rule[at] != EDGE:
                todo.append((rule[at], a, b, names[rule[at + 3]] if rule[at + 3] >= 0 else 0, of_part))
            elif of_part == 0:
                heads[b] = a
            elif of_part == 1:
                heads[a] = b
    return True
