from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from treewhile.oracles.semirings import (
    COUNTING,
    LOG,
    MAX_PLUS,
    MAX_WITH_COUNT,
    SEMIRINGS,
    Semiring,
    best_with_ties,
)

NEVER = -math.inf
BEST_WITH_PLAIN_SUM = best_with_ties("max with max", None, MAX_PLUS, MAX_PLUS)

SAMPLES: dict[str, list[Any]] = {
    MAX_PLUS.name: [NEVER, -3, 0, 2, 2, 5],
    COUNTING.name: [0, 1, 2, 7, 2**70],
    LOG.name: [NEVER, -800.0, -1.5, 0.0, 2.0, 900.0],
    MAX_WITH_COUNT.name: [(NEVER, 0), (-4, 2), (0, 1), (2, 1), (2, 3), (2, 2**70)],
    BEST_WITH_PLAIN_SUM.name: [(NEVER, NEVER), (0, NEVER), (0, 0), (1, 3), (1, 5)],
}
every_semiring = pytest.mark.parametrize(
    "semiring", [*SEMIRINGS, BEST_WITH_PLAIN_SUM], ids=lambda row: row.name
)


def samples(semiring: Semiring, size: int) -> product[tuple[Any, ...]]:
    return product([semiring.zero, semiring.one, *SAMPLES[semiring.name]], repeat=size)


def same(semiring: Semiring, a: Any, b: Any) -> bool:
    return a == b or (semiring is LOG and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12))


@every_semiring
def test_plus_and_times_are_associative(semiring: Semiring) -> None:
    for operation in (semiring.plus, semiring.times):
        for a, b, c in samples(semiring, 3):
            assert same(semiring, operation(operation(a, b), c), operation(a, operation(b, c))), (a, b, c)


@every_semiring
def test_plus_and_times_take_their_arguments_in_any_order(semiring: Semiring) -> None:
    for operation in (semiring.plus, semiring.times):
        for a, b in samples(semiring, 2):
            assert same(semiring, operation(a, b), operation(b, a)), (a, b)


@every_semiring
def test_zero_and_one_change_nothing_and_zero_swallows_every_product(semiring: Semiring) -> None:
    for (a,) in samples(semiring, 1):
        assert semiring.plus(a, semiring.zero) == a
        assert semiring.times(a, semiring.one) == a
        assert semiring.times(a, semiring.zero) == semiring.zero


@every_semiring
def test_times_distributes_over_plus(semiring: Semiring) -> None:
    plus, times = semiring.plus, semiring.times
    for a, b, c in samples(semiring, 3):
        assert same(semiring, times(a, plus(b, c)), plus(times(a, b), times(a, c))), (a, b, c)


def test_log_adds_what_its_values_are_logarithms_of_and_never_overflows() -> None:
    assert LOG.plus(math.log(3), math.log(4)) == pytest.approx(math.log(7))
    assert LOG.plus(900.0, 900.0) == pytest.approx(900 + math.log(2))
    assert LOG.plus(NEVER, NEVER) == NEVER


def test_ties_add_up_and_what_is_worse_leaves_no_trace() -> None:
    assert MAX_WITH_COUNT.plus((2, 3), (2, 4)) == (2, 7)
    assert MAX_WITH_COUNT.plus((2, 3), (1, 4)) == MAX_WITH_COUNT.plus((1, 4), (2, 3)) == (2, 3)
    assert MAX_WITH_COUNT.times((2, 3), (1, 4)) == (3, 12)


def test_a_product_orders_by_its_first_semiring_whatever_that_is() -> None:
    smallest = Semiring("min-plus", None, math.inf, 0, min, lambda a, b: a + b)
    assert best_with_ties("min-with-count", None, smallest, COUNTING).plus((1, 2), (3, 5)) == (1, 2)
