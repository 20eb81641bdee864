"""Loops over rows of numbers: numpy's functions of arrays take many times as long to compile."""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers import network_shapes
from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.oracles.compilation import helper

SLOPE = np.float32(network_shapes.SLOPE)


@helper
def place_of_best(values, count):
    """Return the first place of the greatest of the first `count` values."""
    best = 0
    for place in range(1, count):
        if values[place] > values[best]:
            best = place
    return best


@kernel
def rectify(values):
    for unit in range(values.size):
        values[unit] = max(values[unit], values[unit] * SLOPE)


@kernel
def copy_to(row, values):
    """Copy values into a row: an assignment of slices takes seconds to compile."""
    for place in range(row.size):
        row[place] = values[place]


@kernel
def add_to(row, values):
    for place in range(row.size):
        row[place] += values[place]


@kernel
def write_at(rows, row, column, values):
    for r in range(len(values)):
        copy_to(rows[row + r, column : column + values.shape[1]], values[r])
