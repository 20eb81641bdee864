from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from treewhile.incremental.parsers.rounded_matrices import CUT_AT, in_eight_bits, in_six_bits, of_six_bits

GENERATOR: Final = np.random.default_rng(5)
SHAPES: Final = [(1, 1), (3, 2), (2, 3), (4, 4), (3, 5), (2, 259), (40, 96)]


def drawn(rows: int, columns: int) -> np.ndarray:
    """Rows of many sizes, with some numbers that are far from the others, and a row of zeros."""
    matrix = GENERATOR.standard_t(3, (rows, columns)) * 10.0 ** GENERATOR.integers(-6, 6, (rows, 1))
    matrix[rows // 2] *= rows < 3
    return matrix.astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES)
def test_six_bits_fill_three_bytes_by_four_and_give_the_width_again(shape: tuple[int, int]) -> None:
    packed, scale = in_six_bits(drawn(*shape))
    assert packed.shape == (shape[0], 3, -(-shape[1] // 4))
    assert of_six_bits(packed, scale).shape == shape


@pytest.mark.parametrize("shape", SHAPES)
def test_no_other_cut_of_a_row_errs_less(shape: tuple[int, int]) -> None:
    matrix = drawn(*shape)
    errors = np.square(of_six_bits(*in_six_bits(matrix)) - matrix).sum(axis=1)
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    for share in CUT_AT:
        step = np.maximum(largest * share / 31, 1e-30)
        rounded = np.clip(np.round(matrix / step), -31, 31) * step
        assert (errors <= np.square(rounded - matrix).sum(axis=1) * 1.01 + 1e-8 * largest[:, 0] ** 2).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_rounded_stays_as_it_is(shape: tuple[int, int]) -> None:
    once = of_six_bits(*in_six_bits(drawn(*shape)))
    assert np.array_equal(of_six_bits(*in_six_bits(once)), once)
    whole, scale = in_eight_bits(once)
    assert np.array_equal(whole * scale, once)


def test_the_largest_and_the_smallest_numbers_are_packed_beside_each_other() -> None:
    numbers = np.array([[31, -31, 0, 1, -1, 16, -16, 31], [-31, 5, 31, -31, 31, 0, 0, 2]], np.float32)
    assert np.array_equal(of_six_bits(*in_six_bits(numbers)), numbers)
