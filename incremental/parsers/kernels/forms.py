"""Contributions of forms to the gates of the first layers."""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.products import outputs_of
from treewhile.incremental.parsers.kernels.recurrent import run_recurrent
from treewhile.incremental.parsers.kernels.rows import copy_to


@kernel
def end_of_spelling(characters, letters, states):
    """Return the output of a recurrent layer after the last character, by letters[character, gate]."""
    units, count = letters.shape[1] // 4, characters.size
    projected = np.empty((count, letters.shape[1]), np.float32)
    for place in range(count):
        copy_to(projected[place], letters[characters[place]])
    starts = np.zeros((1, 2, units), np.float32)
    outputs, _ = run_recurrent(projected, np.zeros(1, np.intp), np.full(1, count), 1, states, starts)
    return outputs[count - 1]


@kernel
def write_mean(mean, rows, numbers):
    """Write the mean of some rows, which are added in the given order."""
    copy_to(mean, rows[numbers[0]])
    for number in numbers[1:]:
        for unit in range(mean.size):
            mean[unit] += rows[number, unit]
    for unit in range(mean.size):
        mean[unit] /= np.float32(numbers.size)


def gates_of_form_in_numpy(form, rows, ngrams, characters, spelling, layers, gates):
    ends = []
    for (letters, states), spelled in zip(spelling, (characters, characters[::-1]), strict=True):
        starts = np.zeros((1, 2, letters.shape[1] // 4), np.float32)
        place, length = np.zeros(1, np.intp), np.full(1, spelled.size)
        outputs, _ = run_recurrent(letters[spelled], place, length, 1, states, starts)
        ends.append(outputs[-1])
    vector = np.concatenate([form, rows[ngrams].mean(0), *ends])[None]
    for layer, of_layer in zip(layers, gates, strict=True):
        of_layer[:] = outputs_of(layer, vector)[0, : of_layer.size]


@partial(kernel, plain=gates_of_form_in_numpy)
def gates_of_form(form, rows, ngrams, characters, spelling, layers, gates):
    """Write gates[layer, gate] for a form, by its own vector and the numbers of its n-grams and characters.

    `spelling` has, from the left and from the right, the contributions of characters to the gates, and the
    layer of states.
    """
    (letters, states), (letters_back, states_back) = spelling
    end = end_of_spelling(characters, letters, states)
    start = end_of_spelling(characters[::-1].copy(), letters_back, states_back)
    vector = np.empty((1, form.size + rows.shape[1] + end.size + start.size), np.float32)
    behind = form.size + rows.shape[1]
    copy_to(vector[0, : form.size], form)
    write_mean(vector[0, form.size : behind], rows, ngrams)
    copy_to(vector[0, behind : behind + end.size], end)
    copy_to(vector[0, behind + end.size :], start)
    left, right = layers
    copy_to(gates[0], outputs_of(left, vector)[0])
    copy_to(gates[1], outputs_of(right, vector)[0])
