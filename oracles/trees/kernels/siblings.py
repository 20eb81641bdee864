"""Projective trees with scores of siblings, by right ends; the recurrence stands in `sibling_decoding`."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import first_best, improve

# The planes of a chart, each [j, i] for the span i..j; also the kinds of items.
PLANES = 5
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN, BETWEEN = range(PLANES)


@helper
def improve_by_pairs(best, gain, value, pair):
    """The better of both along a row: what was there, and what a gain makes of values and of pairs."""
    for q in range(best.size):
        way = gain + value[q] + pair[q]
        best[q] = way if way > best[q] else best[q]


@kernel
def fill_chart(scores, siblings, chart, interrupt):
    """Fills the chart by columns, items handed on along rows as soon as they are known; false if interrupted."""
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    between, never = chart[BETWEEN], chart.dtype.type(-np.inf)
    for j in range(len(scores)):
        for i in range(j):
            left[j, i] = right[j, i] = between[j, i] = right_open[j, i] = never
            left_open[j, i] = right[j - 1, i] + siblings[j, j, i]
        left[j, j] = right[j, j] = 0
        if j > 0:
            improve(between[j, :j], left[j, j], right[j - 1])
        for i in range(j - 1, -1, -1):
            if interrupt[0]:
                return False
            left_open[j, i] += scores[j, i]
            right_open[j, i] = max(right_open[j, i], left[j, i + 1] + siblings[i, i, j]) + scores[i, j]
            right[j, i] = max(right[j, i], right_open[j, i])
            improve(left[j, : i + 1], left_open[j, i], left[i])
            improve(right[j, :i], right[j, i], right_open[i])
            improve_by_pairs(left_open[j, :i], left_open[j, i], between[i], siblings[j, i])
            improve_by_pairs(right_open[j, :i], between[j, i], right_open[i], siblings[:, i, j])
            if i > 0:
                improve(between[j, :i], left[j, i], right[i - 1])
    return True


@helper
def inner_sibling(siblings, chart, kind, i, j):
    """The dependent beside the outermost one of an open item, the first of the best; the head for none."""
    if kind == LEFT_OPEN:
        inner, best = j, chart[RIGHT, j - 1, i] + siblings[j, j, i]
    else:
        inner, best = i, chart[LEFT, j, i + 1] + siblings[i, i, j]
    for k in range(i + 1, j):
        if kind == LEFT_OPEN:
            value = chart[LEFT_OPEN, j, k] + chart[BETWEEN, k, i] + siblings[j, k, i]
        else:
            value = chart[BETWEEN, j, k] + chart[RIGHT_OPEN, k, i] + siblings[i, k, j]
        if value > best:
            inner, best = k, value
    return inner


@kernel
def root_child(scores, siblings, chart, n):
    """The first of the words that are best as the only one under the root."""
    child, best = 1, chart.dtype.type(-np.inf)
    for word in range(1, n + 1):
        value = scores[0, word] + siblings[0, 0, word] + chart[LEFT, word, 1] + chart[RIGHT, n, word]
        if value > best:
            child, best = word, value
    return child


@kernel
def trace_heads(scores, siblings, chart, single_root):
    """The heads of the best tree: its ways into items are tried once more, since they are few."""
    n = len(scores) - 1
    heads = np.full(n + 1, -1, np.int32)
    todo = [(RIGHT, 0, n)]
    if single_root:
        child = root_child(scores, siblings, chart, n)
        heads[child] = 0
        todo = [(LEFT, 1, child), (RIGHT, child, n)]
    while len(todo) > 0:
        kind, i, j = todo.pop()
        if i == j:
            continue
        if kind == LEFT:
            k = i + first_best(chart[LEFT, i:j, i], chart[LEFT_OPEN, j, i:j])
            todo.append((LEFT, i, k))
            todo.append((LEFT_OPEN, k, j))
        elif kind == RIGHT:
            k = i + 1 + first_best(chart[RIGHT_OPEN, i + 1 : j + 1, i], chart[RIGHT, j, i + 1 : j + 1])
            todo.append((RIGHT_OPEN, i, k))
            todo.append((RIGHT, k, j))
        elif kind == BETWEEN:
            k = i + first_best(chart[RIGHT, i:j, i], chart[LEFT, j, i + 1 : j + 1])
            todo.append((RIGHT, i, k))
            todo.append((LEFT, k + 1, j))
        elif kind == LEFT_OPEN:
            heads[i] = j
            inner = inner_sibling(siblings, chart, kind, i, j)
            todo.append((RIGHT, i, j - 1) if inner == j else (BETWEEN, i, inner))
            todo.append((LEFT, j, j) if inner == j else (LEFT_OPEN, inner, j))
        else:
            heads[j] = i
            inner = inner_sibling(siblings, chart, kind, i, j)
            todo.append((LEFT, i + 1, j) if inner == i else (BETWEEN, inner, j))
            todo.append((RIGHT, i, i) if inner == i else (RIGHT_OPEN, i, inner))
    return heads
