"""Weights as tiles of matrix products take them; `tiles_in_numba` has the tiles themselves.

Weights are kept in eight bits, inputs are rounded to as many for each product, and a sum of whole numbers is
exact: it is the same to the last bit, whatever other rows are computed together, on every processor. A tile
is the sums of a panel of weights for some rows of inputs. The sums stay in registers, as VECTORS of LANES
numbers a row, while the weights are read once, a GROUP of inputs at a time: as many as a processor multiplies
and adds at once, four where it has VNNI, and else two, in sixteen bits.

Weights are [panel, group of inputs, GROUP * column of the panel + index in the group]. With VNNI the inputs
have to be positive, so all are 128 too great, and a panel begins with a group more, whose four bytes a column
are the whole number at which the sum starts.

Measured on one core with VNNI, for 512 inputs and 1,024 outputs: 7 microseconds for one row, 12 for six, 55
for thirty, a third to a ninth of the time of the library's product in single precision
(tests/benchmarks/bench_products.py). With inputs of sixteen bits it was 9, 32 and 157.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.compilation import IS_COMPILED
from treewhile.oracles.processors import features, instructions

HAS_WIDE_REGISTERS, HAS_VNNI = instructions(features() if IS_COMPILED else frozenset())
LANES, VECTORS = (16, 4) if HAS_WIDE_REGISTERS else (8, 2)
PANEL = LANES * VECTORS
GROUP = 4 if HAS_VNNI else 2
TILE_ROWS = 6  # at most
ZERO = 128 if HAS_VNNI else 0  # the code of an input of 0
LINE = 64  # bytes of a cache line


def in_panels(weight: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return [panel, group of inputs, place in the group], for a weight[output, input] in eight bits."""
    outputs, inputs = weight.shape
    filled = np.pad(weight, ((0, -outputs % PANEL), (0, -inputs % GROUP)))
    groups = filled.reshape(-1, PANEL, filled.shape[1] // GROUP, GROUP).transpose(0, 2, 1, 3)
    panels = groups.reshape(len(groups), -1, GROUP * PANEL)
    if HAS_VNNI:
        starts = -ZERO * filled.sum(1, dtype=np.int32)
        panels = np.concatenate([starts.view(np.int8).reshape(len(panels), 1, -1), panels], axis=1)
    return on_lines(panels)


def on_lines(weights: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return a copy that begins on a cache line: reads across two lines take half as long again."""
    room = np.empty(weights.size + LINE, np.int8)
    start = -room.ctypes.data % LINE
    aligned = room[start : start + weights.size].reshape(weights.shape)
    aligned[:] = weights
    return aligned


def placeholder():
    """Return a name for kernels alone, which `tiles_in_numba` gives its meaning."""

    def tile(whole, steps, row, weight, panel, scale, outputs):
        """Adds what `add_products` says to outputs[row :, columns of the panel]."""
        raise NotImplementedError

    return tile


TILES = {rows: placeholder() for rows in range(1, TILE_ROWS + 1)}
tile_1, tile_2, tile_3, tile_4, tile_5, tile_6 = TILES.values()
