"""Projective trees by right ends, with or without scores of siblings.

The recurrences stand in `projective_decoding` and `sibling_decoding`. `siblings` may be None, which is
decided at compile time.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import best_way, improve

# Planes of a chart, each [j, i] for the span i..j; also the kinds of items.
PLANES = 5
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN, BETWEEN = range(PLANES)


@helper
def improve_by_pairs(best, gain, value, pair):
    """Improve a row by a gain plus values plus pairs."""
    for q in range(best.size):
        way = gain + value[q] + pair[q]
        best[q] = way if way > best[q] else best[q]


@kernel
def fill_columns(scores, siblings, chart, begin, end, interrupt):
    """Fill the columns of right ends from `begin` to before `end`; return the first column left.

    A finished item is pushed at once, along a row, to all items of which it is the right part.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    between, never = chart[BETWEEN], chart.dtype.type(-np.inf)
    for j in range(begin, end):
        left[j, :j] = right[j, :j] = between[j, :j] = right_open[j, :j] = never
        left[j, j] = right[j, j] = 0
        if siblings is not None:
            for i in range(j):
                left_open[j, i] = right[j - 1, i] + siblings[j, j, i]
        if j > 0:
            improve(between[j, :j], left[j, j], right[j - 1])
        for i in range(j - 1, -1, -1):
            if interrupt[0]:
                return j
            if siblings is None:
                left_open[j, i] = between[j, i] + scores[j, i]
                right_open[j, i] = between[j, i] + scores[i, j]
            else:
                left_open[j, i] += scores[j, i]
                right_open[j, i] = max(right_open[j, i], left[j, i + 1] + siblings[i, i, j]) + scores[i, j]
                improve_by_pairs(left_open[j, :i], left_open[j, i], between[i], siblings[j, i])
                improve_by_pairs(right_open[j, :i], between[j, i], right_open[i], siblings[:, i, j])
            right[j, i] = max(right[j, i], right_open[j, i])
            improve(left[j, : i + 1], left_open[j, i], left[i])
            improve(right[j, :i], right[j, i], right_open[i])
            if i > 0:
                improve(between[j, :i], left[j, i], right[i - 1])
    return end


@helper
def inner_sibling(siblings, chart, kind, i, j):
    """Return the next dependent within an open item, the first of the best; the head for none."""
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
    """Return the first of the words that are best as the single root."""
    child, best = 1, chart.dtype.type(-np.inf)
    for word in range(1, n + 1):
        value = scores[0, word] + chart[LEFT, word, 1] + chart[RIGHT, n, word]
        if siblings is not None:
            value += siblings[0, 0, word]
        if value > best:
            child, best = word, value
    return child


@kernel
def trace_heads(scores, siblings, chart, n, single_root):
    """Return the heads of the best tree over 0..n, by trying the few ways into its items once more."""
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
            k, _ = best_way(chart[LEFT, i:j, i], chart[LEFT_OPEN, j, i:j])
            todo.append((LEFT, i, i + k))
            todo.append((LEFT_OPEN, i + k, j))
            continue
        if kind == RIGHT:
            k, _ = best_way(chart[RIGHT_OPEN, i + 1 : j + 1, i], chart[RIGHT, j, i + 1 : j + 1])
            todo.append((RIGHT_OPEN, i, i + 1 + k))
            todo.append((RIGHT, i + 1 + k, j))
            continue
        if kind == LEFT_OPEN:
            heads[i] = j
        elif kind == RIGHT_OPEN:
            heads[j] = i
        if siblings is not None and kind != BETWEEN:
            inner = inner_sibling(siblings, chart, kind, i, j)
            if i < inner < j:
                todo.append((LEFT_OPEN, inner, j) if kind == LEFT_OPEN else (BETWEEN, inner, j))
                todo.append((BETWEEN, i, inner) if kind == LEFT_OPEN else (RIGHT_OPEN, i, inner))
            else:
                todo.append((RIGHT, i, j - 1) if kind == LEFT_OPEN else (LEFT, i + 1, j))
            continue
        k, _ = best_way(chart[RIGHT, i:j, i], chart[LEFT, j, i + 1 : j + 1])
        todo.append((RIGHT, i, i + k))
        todo.append((LEFT, i + k + 1, j))
    return heads
