"""Long short-term memory: a single step, layers that run over words, and tags by their states."""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import WIDE, add_products, outputs_of
from treewhile.incremental.parsers.kernels.rows import place_of_best, rectify
from treewhile.oracles.compilation import helper


@kernel
def best_tags(hidden, tags, features, states):
    """Return the numbers of the likeliest tags and features of each row."""
    outputs = outputs_of(hidden, states)
    units = np.empty((len(states), hidden[WIDE]), np.float32)
    for row in range(len(states)):
        rectify(outputs[row])
        for unit in range(units.shape[1]):
            units[row, unit] = outputs[row, unit]
    of_tags, of_features = outputs_of(tags, units), outputs_of(features, units)
    best = np.empty((2, len(states)), np.intp)
    for row in range(len(states)):
        best[0, row] = place_of_best(of_tags[row], tags[WIDE])
        best[1, row] = place_of_best(of_features[row], features[WIDE])
    return best[0], best[1]


# tanh(x) = x P(x^2) / Q(x^2) for |x| <= 9, fitted by reweighted least squares: off by at most 4e-7 in single
# precision. There is no branch and no call, so loops are vectorised, unlike loops over `math.tanh`.
P0, P1, P2, P3, P4 = map(np.float32, (0.9999999, 0.13373199, 3.4865832e-3, 2.0471851e-5, 1.3184249e-8))
Q1, Q2, Q3, Q4 = map(np.float32, (0.46706495, 0.025841985, 3.2713875e-4, 7.702674e-7))
ONE, HALF, BOUND = map(np.float32, (1, 0.5, 9))


@helper
def upper(x, z):
    return x * ((((P4 * z + P3) * z + P2) * z + P1) * z + P0)


@helper
def lower(z):
    return (((Q4 * z + Q3) * z + Q2) * z + Q1) * z + ONE


@helper
def within_bounds(x):
    return min(max(x, -BOUND), BOUND)


def step_in_numpy(gates, h, c):
    into, forget, cell, out = gates[: 4 * h.size].reshape(4, h.size)
    c[:] = sigmoids(forget) * c + sigmoids(into) * tangents(cell)
    h[:] = sigmoids(out) * tangents(c)


def tangents(values):
    values = np.clip(values, -BOUND, BOUND)
    return upper(values, values * values) / lower(values * values)


def sigmoids(values):
    return HALF * tangents(HALF * values) + HALF


@partial(kernel, plain=step_in_numpy)
def add_step(gates, h, c):
    """Replace the output h[unit] and the cell c[unit] by those after one more step.

    A sigmoid is half the tangent of half its input, plus a half. Several divisions are done at once, since a
    division takes as long as ten products.
    """
    units = h.size
    into, forget = gates[:units], gates[units : 2 * units]
    cell, out = gates[2 * units : 3 * units], gates[3 * units : 4 * units]
    for u in range(units):
        i, f, g = within_bounds(HALF * into[u]), within_bounds(HALF * forget[u]), within_bounds(cell[u])
        below_i, below_f, below_g = lower(i * i), lower(f * f), lower(g * g)
        of_forget, of_input = upper(f, f * f) + below_f, upper(i, i * i) + below_i
        below = below_i * below_g
        above = of_forget * below * c[u] + of_input * upper(g, g * g) * below_f
        c[u] = HALF * above / (below * below_f)
    for u in range(units):
        o, x = within_bounds(HALF * out[u]), within_bounds(c[u])
        below = lower(o * o)
        h[u] = HALF * (upper(o, o * o) + below) * upper(x, x * x) / (below * lower(x * x))


@helper
def longest_first(lengths):
    """Return the numbers of sequences, the longest sequence first."""
    order = np.empty(lengths.size, np.intp)
    for number in range(lengths.size):
        place = number
        while place > 0 and lengths[order[place - 1]] < lengths[number]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = number
    return order


@kernel
def run_recurrent(projected, firsts, lengths, towards, states, starts):
    """Return outputs[row, unit] and the cells for projected[row, gate], the contributions of inputs to gates.

    Sequences take their steps together, over rows from firsts[sequence] on, towards the next row (1) or the
    one before (-1). starts[sequence, 0 or 1, unit] are the output and the cell with which each sequence
    begins; `states` is the layer from outputs to gates: input, forget, cell and output, one after the other.
    Rows of no sequence are not written.
    """
    count, units = len(firsts), starts.shape[2]
    weight, scale, _, _ = states
    outputs = np.empty((len(projected), units), np.float32)
    cells = np.empty((len(projected), units), np.float32)
    order = longest_first(lengths)
    gates = np.zeros((count, scale.size), np.float32)  # sums take in those that only fill the last panel
    h, c = np.empty((count, units), np.float32), np.empty((count, units), np.float32)
    for s in range(count):
        for u in range(units):
            h[s, u], c[s, u] = starts[order[s], 0, u], starts[order[s], 1, u]
    step = 0
    while count > 0:
        while count > 0 and lengths[order[count - 1]] <= step:
            count -= 1
        for s in range(count):
            row = firsts[order[s]] + towards * step
            for g in range(4 * units):
                gates[s, g] = projected[row, g]
        add_products(h[:count], weight, scale, gates)
        for s in range(count):
            row = firsts[order[s]] + towards * step
            add_step(gates[s], h[s], c[s])
            for u in range(units):
                outputs[row, u], cells[row, u] = h[s, u], c[s, u]
        step += 1
    return outputs, cells


@kernel
def take_word(projected, first_states, second, second_states, h, c):
    """Replace h and c[word, layer, unit] of one word by those of the next, through two layers.

    projected[0, gate] is the contribution of the word to the gates of the first layer.
    """
    first_weight, first_scale, _, wide = first_states
    second_weight, second_scale, _, _ = second_states
    gates = np.zeros((1, first_scale.size), np.float32)
    for gate in range(wide):
        gates[0, gate] = projected[0, gate]
    add_products(h[0, :1], first_weight, first_scale, gates)
    add_step(gates[0, :wide], h[0, 0], c[0, 0])
    gates = outputs_of(second, h[0, :1])
    add_products(h[0, 1:], second_weight, second_scale, gates)
    add_step(gates[0, :wide], h[0, 1], c[0, 1])


@kernel
def take_and_tag_word(projected, layers, h, c):
    """Run `take_word`, and return the numbers of the word's likeliest tag and features."""
    (first_states, second, second_states), (hidden, tags, features) = layers
    take_word(projected, first_states, second, second_states, h, c)
    best, best_features = best_tags(hidden, tags, features, h[0, 1:])
    return best[0], best_features[0]
