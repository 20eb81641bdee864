from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each_seed

from treewhile.incremental.parsers.kernels.forms import gates_of_form, gates_of_form_in_numpy
from treewhile.incremental.parsers.layers import Products
from treewhile.oracles.compilation import IS_COMPILED

FORM, NGRAM, UNITS, GATES = 8, 12, 16, 256


@pytest.mark.skipif(not IS_COMPILED, reason="then both are the same")
@each_seed(cases(20))
def test_the_kernel_finds_what_numpy_does_to_the_last_bit(seed: int) -> None:
    source = np.random.default_rng(seed)

    def numbers(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return source.normal(size=shape).astype(np.float32)

    def layer(outputs: int, inputs: int) -> object:
        weight = source.integers(-127, 128, (outputs, inputs)).astype(np.int8)
        return Products(weight, np.abs(numbers(outputs)) / 500, numbers(outputs)).layer

    spelling = tuple((numbers(30, 4 * UNITS), layer(4 * UNITS, UNITS)) for _ in range(2))
    layers = tuple(layer(GATES, FORM + NGRAM + 2 * UNITS) for _ in range(2))
    ngrams, characters = source.integers(0, 50, source.integers(1, 9)), source.integers(0, 30, 7)
    given = numbers(FORM), numbers(50, NGRAM), ngrams, characters, spelling, layers
    found, wanted = np.empty((2, GATES), np.float32), np.empty((2, GATES), np.float32)
    gates_of_form(*given, found)
    gates_of_form_in_numpy(*given, wanted)
    assert found.tobytes() == wanted.tobytes()
