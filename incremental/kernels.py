"""All compiled loops of the engine.

As in the oracles, a kernel trusts its caller, which validates, allocates and chooses; and helpers stay in
this file, because a cached kernel does not notice an edit to a jitted helper in another one.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.oracles.kernels import helper, kernel

# --- projective decoding of arc scores: the recurrence stands in `arc_decoding` -----------------------------

# The planes of a chart, each [i, j]; also the kinds of items.
PLANES = 4
LEFT, RIGHT, LEFT_OPEN, RIGHT_OPEN = range(PLANES)


@helper
def improve(best, gain, value):
    """The better of both along a row. A call, or a branch round the assignment, takes four times as long."""
    for q in range(best.size):
        way = gain + value[q]
        best[q] = way if way > best[q] else best[q]


@kernel
def fill_arc_chart(weight, t, chart):
    """Fills the chart[plane, i, j] for weight[head, dependent] as `Weights` has them.

    An item is handed on as soon as it is known: row i gathers, and each j adds to it what the rows of j and
    j + 1 make of (i, j), so that all three loops run along rows. That also is why B needs one row only.
    """
    left, right, left_open, right_open = chart[LEFT], chart[RIGHT], chart[LEFT_OPEN], chart[RIGHT_OPEN]
    never, later = np.float32(-np.inf), weight.shape[1] - 1
    unused = weight[later + 1]
    between = np.full(later + 1, never)
    for i in range(later, 0, -1):
        left[i, i:], right[i, i:] = never, never
        left[i, i] = never if t < i < later else 0
        right[i, i] = 0
        if i < later:
            between[i + 1 :] = left[i + 1, i + 1 :]
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
def best_way(a, b):
    """The first place at which a + b is greatest, and what it is there."""
    place, best = 0, a[0] + b[0]
    for k in range(1, a.size):
        if a[k] + b[k] > best:
            place, best = k, a[k] + b[k]
    return place, best


@helper
def best_root_child(weight, chart):
    """The child that the root takes beside LATER, 0 for none, and the best value of the whole."""
    later = weight.shape[1] - 1
    child, best = 0, chart[LEFT, 1, later]
    for r in range(1, later):
        value = weight[0, r] + chart[LEFT, 1, r] + chart[RIGHT_OPEN, r, later]
        if value > best:
            child, best = r, value
    return child, best


@kernel
def trace_arcs(weight, chart, heads):
    """Writes the best tree to heads[node], as rows of weight; false where none is above -inf.

    The ways into an item are tried once more, since they are few: O(n) items of O(n) ways each.
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
    """Writes the best tree to heads[node], as rows of weight, and gives the sum of its weights, or -inf."""
    fill_arc_chart(weight, t, chart)
    if not trace_arcs(weight, chart, heads):
        return -np.inf
    total = 0.0
    for node in range(1, weight.shape[1] - 1):
        total += weight[heads[node], node]
    return total


# --- long short-term memory ---------------------------------------------------------------------------------

# tanh(x) = x P(x^2) / Q(x^2) for |x| <= 9, fitted by reweighted least squares: off by 4e-7 at most in single
# precision. It has no branch and no call, so loops over it vectorise, which those over `math.tanh` do not.
P0, P1, P2, P3, P4 = map(np.float32, (0.9999999, 0.13373199, 3.4865832e-3, 2.0471851e-5, 1.3184249e-8))
Q1, Q2, Q3, Q4 = map(np.float32, (0.46706495, 0.025841985, 3.2713875e-4, 7.702674e-7))
ONE, HALF, BOUND = map(np.float32, (1, 0.5, 9))


@helper
def tanh(x):
    x = min(max(x, -BOUND), BOUND)
    z = x * x
    return (
        x * ((((P4 * z + P3) * z + P2) * z + P1) * z + P0) / ((((Q4 * z + Q3) * z + Q2) * z + Q1) * z + ONE)
    )


@helper
def sigmoid(x):
    return HALF * tanh(HALF * x) + HALF


UNROLLED = 8  # the number of units is a multiple of this


@partial(kernel, fastmath={"contract"})  # a product and its sum at once; nothing is assumed of infinities
def run_recurrent(projected, lengths, weight, scale, h_before, c_before, outputs, cells):
    """Writes the outputs[time, unit] and the cells for what inputs add to the gates, of sequences in a row.

    Gates are, one after the other: input, forget, cell, output. The weight[unit, gate], in eight bits with a
    scale[gate], is gone through for UNROLLED units at a time: each sum is loaded and stored once for all of
    them. In eight bits the weights of all layers stay in the cache, which is worth more than the conversion.
    """
    units = outputs.shape[1]
    gates = np.empty(4 * units, np.float32)
    start = 0
    for length in lengths:
        h, c = h_before, c_before
        for t in range(start, start + length):
            gates[:] = 0
            for k in range(0, units, UNROLLED):
                h0, h1, h2, h3 = h[k], h[k + 1], h[k + 2], h[k + 3]
                h4, h5, h6, h7 = h[k + 4], h[k + 5], h[k + 6], h[k + 7]
                for g in range(4 * units):
                    gates[g] += (
                        (h0 * weight[k, g] + h1 * weight[k + 1, g])
                        + (h2 * weight[k + 2, g] + h3 * weight[k + 3, g])
                        + (h4 * weight[k + 4, g] + h5 * weight[k + 5, g])
                        + (h6 * weight[k + 6, g] + h7 * weight[k + 7, g])
                    )
            for g in range(4 * units):
                gates[g] = gates[g] * scale[g] + projected[t, g]
            for u in range(units):
                cells[t, u] = sigmoid(gates[units + u]) * c[u] + sigmoid(gates[u]) * tanh(
                    gates[2 * units + u]
                )
            for u in range(units):
                outputs[t, u] = sigmoid(gates[3 * units + u]) * tanh(cells[t, u])
            h, c = outputs[t], cells[t]
        start += length
