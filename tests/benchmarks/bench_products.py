"""How long a matrix product takes, in turns: by tiles in eight bits, as the parser has it, and by numpy.

Numpy's product is in single precision, on one thread if it is told so (OPENBLAS_NUM_THREADS=1). It has the
weight in the layout that suits it best, and need not round its inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, Final

import numpy as np

from treewhile.incremental.parsers.kernels.tiles import PANEL
from treewhile.incremental.parsers.layers import Products

SIZES: Final = ((256, 1024), (512, 1024), (512, 320))  # inputs and outputs of layers of the models
ROWS: Final = (1, 6, 30, 120)  # words
REPEATS: Final = 200


def main() -> None:
    generator = np.random.default_rng(1)
    print(f"panels of {PANEL} columns; microseconds, medians of {REPEATS}")
    print("inputs outputs   rows    tiles  library     gain")
    for inputs, outputs in SIZES:
        weight = generator.integers(-127, 128, (outputs, inputs)).astype(np.int8)
        products = Products(weight, np.full((outputs, 1), 0.01, np.float32))
        matrix = np.ascontiguousarray(weight.T.astype(np.float32) * np.float32(0.01))
        bias = np.zeros(outputs, np.float32)
        for rows in ROWS:
            values = generator.standard_normal((rows, inputs)).astype(np.float32)
            tiles, library = in_turns(products, values, matrix, bias)
            print(f"{inputs:6} {outputs:7} {rows:6} {tiles:8.1f} {library:8.1f} {library / tiles:8.2f}")


def in_turns(products: Products, values: Any, matrix: Any, bias: Any) -> tuple[float, float]:
    """The median microseconds of both."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(REPEATS):
        times[0].append(seconds(lambda: products(values)))
        times[1].append(seconds(lambda: values @ matrix + bias))
    return median(times[0]) * 1e6, median(times[1]) * 1e6


def seconds(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


if __name__ == "__main__":
    main()
