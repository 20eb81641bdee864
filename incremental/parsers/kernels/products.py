"""Products of matrices of eight bits with inputs of eight."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.tiles import (
    GROUP,
    HAS_VNNI,
    PANEL,
    TILE_ROWS,
    ZERO,
    tile_1,
    tile_2,
    tile_3,
    tile_4,
    tile_5,
    tile_6,
)
from treewhile.oracles.compilation import when_replaced


def prepare_numba():
    """Load what numba has to know of tiles."""
    from treewhile.incremental.parsers.kernels import tiles_in_numba

    assert tiles_in_numba


# Numbers in single precision, by bits: the magnitude, the exponent, one step of the exponent, and the
# magnitude that counts as zero.
MAGNITUDE, EXPONENT, ONE_MORE, NOTHING = (1 << 31) - 1, 255 << 23, 1 << 23, 27 << 23
BITS = 6  # of the greatest whole number, beside its first one
ROUNDS_UP = 1 << 16  # added to the bits of 1.995, so that the whole number is at most 127
WHOLE = np.uint8 if HAS_VNNI else np.int16
STARTS = 1 if HAS_VNNI else 0  # groups of a panel before those of its weights


def whole_numbers_in_numpy(inputs, whole, steps):
    width = min(inputs.shape[1], whole.shape[1])
    magnitudes = np.ascontiguousarray(inputs[:, :width]).view(np.int32) & MAGNITUDE
    exponents = (magnitudes.max(1, initial=0) + ROUNDS_UP) & EXPONENT
    steps.view(np.int32)[:] = np.maximum(exponents, NOTHING) - BITS * ONE_MORE
    whole[:, :width] = np.rint(inputs[:, :width] * (np.float32(1) / steps)[:, None]) + ZERO
    whole[:, width:] = ZERO


@partial(kernel, plain=whole_numbers_in_numpy)
def to_whole_numbers(inputs, whole, steps):
    """Write whole[row, input] and steps[row], a power of two, whose product is close to the input."""
    exponents, inputs_in_bits = steps.view(np.int32), inputs.view(np.int32)
    width = inputs.shape[1] if inputs.shape[1] < whole.shape[1] else whole.shape[1]
    for row in range(len(inputs)):
        values, magnitudes, numbers = inputs[row], inputs_in_bits[row], whole[row]
        greatest = np.int32(0)
        for i in range(width):  # of positive numbers, the greatest one has the greatest bits
            magnitude = magnitudes[i] & np.int32(MAGNITUDE)
            greatest = magnitude if magnitude > greatest else greatest
        exponent = (greatest + ROUNDS_UP) & EXPONENT
        exponents[row] = (exponent if exponent > NOTHING else NOTHING) - BITS * ONE_MORE
        steps_in_one = np.float32(1) / steps[row]
        for i in range(width):
            numbers[i] = WHOLE(np.int32(np.rint(values[i] * steps_in_one)) + np.int32(ZERO))
        for i in range(width, numbers.size):
            numbers[i] = ZERO


matrices: dict[int, tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]] = {}
when_replaced(matrices.clear)


def matrix_of(weight):
    """Return [input, output] of a weight in panels, from `matrices`: by its address, with the weight itself.

    Sums of up to a thousand products are exact in single precision, too.
    """
    found = matrices.get(weight.ctypes.data)
    if found is None:
        groups = weight[:, STARTS:]
        parts = groups.reshape(len(weight), -1, PANEL, GROUP).transpose(1, 3, 0, 2)
        found = weight, np.ascontiguousarray(parts, np.float32).reshape(-1, len(weight) * PANEL)
        matrices[weight.ctypes.data] = found
    return found[1]


def products_in_numpy(inputs, weight, scale, outputs):
    matrix = matrix_of(weight)
    whole, steps = np.empty((len(inputs), len(matrix)), WHOLE), np.empty(len(inputs), np.float32)
    to_whole_numbers(inputs, whole, steps)
    sums = (whole.astype(np.float32) - np.float32(ZERO)) @ matrix
    outputs[: len(inputs)] += sums * (steps[:, None] * scale)


@partial(kernel, plain=products_in_numpy, prepare=prepare_numba)
def add_products(inputs, weight, scale, outputs):
    """Add scale * inputs @ weight to the outputs; the weight is in panels, as wide as the outputs.

    Inputs beyond the weight's own do not count.
    """
    rows = len(inputs)
    width = GROUP * (weight.shape[1] - STARTS)
    whole, steps = np.empty((rows, width), WHOLE), np.empty(rows, np.float32)
    to_whole_numbers(inputs, whole, steps)
    for panel in range(len(weight)):
        row = 0
        while rows - row >= TILE_ROWS:
            tile_6(whole, steps, row, weight, panel, scale, outputs)
            row += TILE_ROWS
        if rows - row == 5:
            tile_5(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 4:
            tile_4(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 3:
            tile_3(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 2:
            tile_2(whole, steps, row, weight, panel, scale, outputs)
        elif rows - row == 1:
            tile_1(whole, steps, row, weight, panel, scale, outputs)


# Layer with outputs = scale * inputs @ weight + bias, as wide as the panels of the weight, and the number of
# outputs that count. A plain tuple, since a named one takes longer to pass.
Layer: TypeAlias = tuple[
    npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.float32], int
]  # weight, scale, bias, wide
WIDE = 3  # the place of `wide` in a layer


@kernel
def outputs_of(layer, inputs):
    """Return the outputs [row, output] of a layer."""
    weight, scale, bias, _ = layer
    outputs = np.empty((len(inputs), bias.size), np.float32)
    for row in range(len(inputs)):
        for unit in range(bias.size):
            outputs[row, unit] = bias[unit]
    add_products(inputs, weight, scale, outputs)
    return outputs
