"""Projective decoding of arc scores: the recurrence stands in `arc_decoding`."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.oracles.compilation import helper
from treewhile.oracles.kernels.rows import best_way, improve

# Planes of a chart, each [i, j]; also the kinds of items.
PLANES = 4
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN = range(PLANES)


@kernel
def fill_arc_chart(weight, t, chart):
    """Fill the chart[plane, i, j] for weight[head, dependent] as `Weights` has them.

    A finished item is pushed on at once: row i gathers, and each j adds the combinations of (i, j) with the
    rows of j and j + 1, so that all three loops run along rows. For the same reason B needs only one row.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    never, later = np.float32(-np.inf), weight.shape[1] - 1
    unused = weight[later + 1]
    between = np.full(later + 1, never)
    for i in range(later, 0, -1):
        for j in range(i, later + 1):
            left[i, j] = right[i, j] = never
        left[i, i] = never if t < i < later else 0
        right[i, i] = 0
        for j in range(i + 1, later + 1):
            between[j] = left[i + 1, j]
        for j in range(i + 1, later + 1):
            right_open[i, j] = between[j] + weight[i, j]
            left_open[i, j] = max(between[j], right[i, j - 1]) + weight[j, i]
            right[i, j] = max(right[i, j], right_open[i, j], right[i, j - 1] + unused[j])
            left[i, j] = max(left[i, j], left[i, i] + left_open[i, j])
            if j < later:
                improve(right[i, j + 1 :], right_open[i, j], right[j, j + 1 :])
                improve(left[i, j + 1 :], left[i, j], left_open[j, j + 1 :])
                improve(between[j + 1 :], right[i, j], left[j + 1, j + 1 :])


@helper
def best_root_child(weight, chart):
    """Return the root's child beside LATER, 0 for none, and the best value of the whole tree."""
    later = weight.shape[1] - 1
    child, best = 0, chart[LEFT, 1, later]
    for r in range(1, later):
        value = weight[0, r] + chart[LEFT, 1, r] + chart[RIGHT_OPEN, r, later]
        if value > best:
            child, best = r, value
    return child, best


@kernel
def trace_arcs(weight, chart, heads):
    """Write the best tree to heads[node], as rows of weight; return False where none is above -inf.

    The few ways into an item are tried again: O(n) items with O(n) ways each.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    later = weight.shape[1] - 1
    unused = later + 1
    child, value = best_root_child(weight, chart)
    if value == -np.inf:
        return False
    todo = [(LEFT, 1, later)] if child == 0 else [(LEFT, 1, child), (RIGHT_OPEN, child, later)]
    while len(todo) > 0:
        kind, i, j = todo.pop()
        if i == j:
            continue
        if kind == LEFT:
            k, _ = best_way(left[i, i:j], left_open[i:j, j])
            todo.append((LEFT, i, i + k))
            todo.append((LEFT_OPEN, i + k, j))
        elif kind == RIGHT:
            k, value = best_way(right_open[i, i + 1 : j + 1], right[i + 1 : j + 1, j])
            if right[i, j - 1] + weight[unused, j] > value:
                heads[j] = unused
                todo.append((RIGHT, i, j - 1))
            else:
                todo.append((RIGHT_OPEN, i, i + 1 + k))
                todo.append((RIGHT, i + 1 + k, j))
        else:
            k, value = best_way(right[i, i:j], left[i + 1 : j + 1, j])
            if kind == RIGHT_OPEN:
                heads[j] = i
            else:
                heads[i] = j
                if right[i, j - 1] > value:  # the first dependent of a virtual node
                    k = j - 1 - i
            todo.append((RIGHT, i, i + k))
            todo.append((LEFT, i + k + 1, j))
    if child > 0:
        heads[child] = 0
    return True


@kernel
def best_arcs(weight, t, chart, heads):
    """Write the best tree to heads[node], as rows of weight; return the sum of its weights, or -inf."""
    fill_arc_chart(weight, t, chart)
    if not trace_arcs(weight, chart, heads):
        return -np.inf
    total = 0.0
    for node in range(1, weight.shape[1] - 1):
        total += weight[heads[node], node]
    return total


@kernel
def best_with_arcs(weight, t, charts, best):
    """Write to best[head, dependent] the sum of the best tree with each arc, -inf where there is none.

    charts[0] are the inside values, and charts[1] the outside ones: the best sum of what completes an item to
    a whole tree. Wide items hand these on to narrow ones, in the order L and R, then L' and R', then B.
    """
    fill_arc_chart(weight, t, charts[0])
    best[:] = -np.inf
    charts[1] = -np.inf
    left, right, left_open, right_open = (
        charts[0, LEFT],
        charts[0, RIGHT],
        charts[0, LEFT_OPEN],
        charts[0, RIGHT_OPEN],
    )
    of_left, of_right = charts[1, LEFT], charts[1, RIGHT]
    of_left_open, of_right_open = charts[1, LEFT_OPEN], charts[1, RIGHT_OPEN]
    later = weight.shape[1] - 1
    unused = weight[later + 1]
    of_left[1, later] = 0
    for r in range(1, later):
        of_left[1, r] = weight[0, r] + right_open[r, later]
        of_right_open[r, later] = weight[0, r] + left[1, r]
        best[0, r] = of_left[1, r] + left[1, r]
    for width in range(later - 1, 0, -1):
        for i in range(1, later - width + 1):
            j = i + width
            around = of_left[i, j]
            if around > -np.inf:
                for k in range(i, j):
                    of_left[i, k] = max(of_left[i, k], around + left_open[k, j])
                    of_left_open[k, j] = max(of_left_open[k, j], around + left[i, k])
            around = of_right[i, j]
            if around > -np.inf:
                of_right[i, j - 1] = max(of_right[i, j - 1], around + unused[j])
                for k in range(i + 1, j + 1):
                    of_right_open[i, k] = max(of_right_open[i, k], around + right[k, j])
                    of_right[k, j] = max(of_right[k, j], around + right_open[i, k])
            best[j, i] = of_left_open[i, j] + left_open[i, j]
            around = of_left_open[i, j] + weight[j, i]
            of_right[i, j - 1] = max(of_right[i, j - 1], around)
            if j < later:
                best[i, j] = of_right_open[i, j] + right_open[i, j]
            around = max(around, of_right_open[i, j] + weight[i, j])
            if around > -np.inf:
                for k in range(i, j):
                    of_right[i, k] = max(of_right[i, k], around + left[k + 1, j])
                    of_left[k + 1, j] = max(of_left[k + 1, j], around + right[i, k])
