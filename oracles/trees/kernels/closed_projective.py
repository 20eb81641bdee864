"""Projective trees with closed cells, by right ends.

The recurrence is in `closed_projective_decoding`. begins[node] and ends[node] are its b and e, and
open_before[i] is the number of open begins before i.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import improve

# Planes of a chart, each [j, i] for the span i..j, except COMPLETE_LEFT, which has only open begins i, by
# rank; the first four are also kinds of items.
PLANES = 7
LEFT, RIGHT, LEFT_WITH_MORE, RIGHT_WITH_MORE, COMPLETE_LEFT, LEFT_OUTER, RIGHT_OUTER = range(PLANES)


@kernel
def fill_closed_columns(scores, begins, ends, open_before, chart, interrupt):
    """Fill all columns, skipping rows of closed cells; return the number of filled columns if interrupted."""
    left, right, complete = chart[LEFT], chart[RIGHT], chart[COMPLETE_LEFT]
    over_left, over_right = chart[LEFT_WITH_MORE], chart[RIGHT_WITH_MORE]
    left_outer, right_outer, never = chart[LEFT_OUTER], chart[RIGHT_OUTER], chart.dtype.type(-np.inf)
    for j in range(len(scores)):
        complete[j] = never
        right[j, :j] = over_left[j, :j] = over_right[j, :j] = never
        left[j, j] = right[j, j] = 0
        for i in range(j - 1, -1, -1):
            if interrupt[0]:
                return j
            known = left[j, i + 1]
            if ends[i]:
                improve(over_left[j, :i], known, right[i])
            if i + 1 < j and begins[i + 1]:
                improve(over_right[j, : i + 1], known, right[i])
            alone, more = known + scores[j, i], over_left[j, i] + scores[j, i]
            left_outer[j, i] = max(more, alone) if ends[i] else more
            left[j, i] = alone
            if begins[i]:
                rank = open_before[i]
                complete[j, rank] = left[j, i] = max(complete[j, rank], alone, more)
            improve(complete[j, : open_before[i]], left_outer[j, i], complete[i])
            alone, more = right[j - 1, i] + scores[i, j], over_right[j, i] + scores[i, j]
            right_outer[j, i] = max(more, alone) if begins[j] else more
            if ends[j]:
                right[j, i] = max(right[j, i], alone, more)
                improve(right[j, :i], right[j, i], right_outer[i])
            else:
                right[j, i] = alone
    return len(scores)


@helper
def way_into_left(scores, begins, ends, chart, i, j):
    """Return the outermost dependent of j in L(i, j), and whether it has dependents on its right."""
    arc = scores[j, i]
    alone, more = chart[LEFT, j, i + 1] + arc, chart[LEFT_WITH_MORE, j, i] + arc
    if not begins[i]:
        return i, False
    outermost, best = i, max(alone, more)
    for k in range(i + 1, j):
        value = chart[LEFT, k, i] + chart[LEFT_OUTER, j, k]
        if value > best:
            outermost, best = k, value
    k = outermost
    with_more = chart[LEFT_WITH_MORE, j, k] + scores[j, k]
    return k, with_more > chart[LEFT, j, k + 1] + scores[j, k] or (k > i and not ends[k])


@helper
def way_into_right(scores, begins, ends, chart, i, j):
    """Return the outermost dependent of i in R(i, j), and whether it has dependents on its left."""
    arc = scores[i, j]
    alone, more = chart[RIGHT, j - 1, i] + arc, chart[RIGHT_WITH_MORE, j, i] + arc
    if not ends[j]:
        return j, False
    outermost, best = j, max(alone, more)
    for k in range(i + 1, j):
        value = chart[RIGHT_OUTER, k, i] + chart[RIGHT, j, k]
        if value > best:
            outermost, best = k, value
    k = outermost
    with_more = chart[RIGHT_WITH_MORE, k, i] + scores[i, k]
    return k, with_more > chart[RIGHT, k - 1, i] + scores[i, k] or (k < j and not begins[k])


@helper
def parting(begins, ends, chart, kind, i, j):
    """Return the last node on the side of i between the ends of an arc."""
    parted, best = -1, -np.inf
    for k in range(i + 1, j) if kind == LEFT_WITH_MORE else range(i, j - 1):
        if ends[k] if kind == LEFT_WITH_MORE else begins[k + 1]:
            value = chart[RIGHT, k, i] + chart[LEFT, j, k + 1]
            if parted < 0 or value > best:
                parted, best = k, value
    return parted


@kernel
def closed_root_child(scores, chart, n):
    """Return the first of the words that are best as the only one under the root."""
    child, best = 1, chart.dtype.type(-np.inf)
    for word in range(1, n + 1):
        value = scores[0, word] + chart[LEFT, word, 1] + chart[RIGHT, n, word]
        if value > best:
            child, best = word, value
    return child


@kernel
def trace_closed_heads(scores, begins, ends, chart, single_root):
    """Return the heads of the best tree, if one is above -inf, by finding the best ways again."""
    n = len(scores) - 1
    heads = np.full(n + 1, -1, np.int32)
    todo = [(RIGHT, 0, n)]
    if single_root:
        child = closed_root_child(scores, chart, n)
        heads[child] = 0
        todo = [(LEFT, 1, child), (RIGHT, child, n)]
    while len(todo) > 0:
        kind, i, j = todo.pop()
        if i == j:
            continue
        if kind == LEFT:
            k, has_more = way_into_left(scores, begins, ends, chart, i, j)
            heads[k] = j
            todo.append((LEFT, i, k))
            todo.append((LEFT_WITH_MORE, k, j) if has_more else (LEFT, k + 1, j))
        elif kind == RIGHT:
            k, has_more = way_into_right(scores, begins, ends, chart, i, j)
            heads[k] = i
            todo.append((RIGHT, k, j))
            todo.append((RIGHT_WITH_MORE, i, k) if has_more else (RIGHT, i, k - 1))
        else:
            k = parting(begins, ends, chart, kind, i, j)
            if k < 0:
                return np.full(n + 1, -1, np.int32)
            todo.append((RIGHT, i, k))
            todo.append((LEFT, k + 1, j))
    return heads
