"""Projective trees by right ends: a word adds a column to the chart; the recurrence is in `projective_decoding`."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.rows import first_best, improve

# The planes of a chart, each [j, i] for the span i..j; also the kinds of items.
PLANES = 4
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN = range(PLANES)


@kernel
def fill_columns(scores, chart, begin, end, interrupt):
    """Fills the columns of right ends from `begin` to before `end`; how far it has come if interrupted.

    An item is handed on as soon as it is known, to all items that it is the right part of, along a row.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    never = chart.dtype.type(-np.inf)
    between = np.empty(end, chart.dtype)
    for j in range(begin, end):
        left[j, :j] = right[j, :j] = between[:j] = never
        left[j, j] = right[j, j] = 0
        if j > 0:
            improve(between[:j], left[j, j], right[j - 1])
        for i in range(j - 1, -1, -1):
            if interrupt[0]:
                return j
            left_open[j, i], right_open[j, i] = between[i] + scores[j, i], between[i] + scores[i, j]
            right[j, i] = max(right[j, i], right_open[j, i])
            improve(left[j, : i + 1], left_open[j, i], left[i])
            improve(right[j, :i], right[j, i], right_open[i])
            if i > 0:
                improve(between[:i], left[j, i], right[i - 1])
    return end


@kernel
def root_child(scores, chart, n):
    """The first of the words that are best as the only one under the root."""
    child, best = 1, chart.dtype.type(-np.inf)
    for word in range(1, n + 1):
        value = scores[0, word] + chart[LEFT, word, 1] + chart[RIGHT, n, word]
        if value > best:
            child, best = word, value
    return child


@kernel
def trace_heads(scores, chart, n, single_root):
    """The heads of the best tree over 0..n: its ways into items are tried once more, since they are few."""
    heads = np.full(n + 1, -1, np.int32)
    todo = [(RIGHT, 0, n)]
    if single_root:
        child = root_child(scores, chart, n)
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
        else:
            k = i + first_best(chart[RIGHT, i:j, i], chart[LEFT, j, i + 1 : j + 1])
            if kind == LEFT_OPEN:
                heads[i] = j
            else:
                heads[j] = i
            todo.append((RIGHT, i, k))
            todo.append((LEFT, k + 1, j))
    return heads
