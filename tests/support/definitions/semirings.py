"""Semirings as data: the meaning of plus and times in the one tabular algorithm.

A row holds the two operations and their identities. Minus infinity is a real -inf: the identity of max,
absorbing in sums. Counts are Python integers here and never overflow; the kernels count modulo enough primes
to determine the integer (see `tabular_parsing`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Value = Any  # a number, or a tuple of numbers for a product of semirings


@dataclass(frozen=True)
class Semiring:
    """A row of the table below."""

    name: str
    zero: Value
    one: Value
    plus: Callable[[Value, Value], Value]
    times: Callable[[Value, Value], Value]


def _log_plus(a: float, b: float) -> float:
    top = max(a, b)
    return top if top == -math.inf else top + math.log1p(math.exp(min(a, b) - top))


def best_with_ties(name: str, best: Semiring, tied: Semiring) -> Semiring:
    """The product of an ordered semiring with another that adds up over all that reach the best value."""

    def plus(a: Value, b: Value) -> Value:
        if a[0] == b[0]:
            return (a[0], tied.plus(a[1], b[1]))
        return a if best.plus(a[0], b[0]) == a[0] else b

    def times(a: Value, b: Value) -> Value:
        return (best.times(a[0], b[0]), tied.times(a[1], b[1]))

    return Semiring(name, (best.zero, tied.zero), (best.one, tied.one), plus, times)


MAX_PLUS = Semiring("max-plus", -math.inf, 0, max, lambda a, b: a + b)
COUNTING = Semiring("counting", 0, 1, lambda a, b: a + b, lambda a, b: a * b)
LOG = Semiring("log", -math.inf, 0.0, _log_plus, lambda a, b: a + b)
MAX_WITH_COUNT = best_with_ties("max-with-count", MAX_PLUS, COUNTING)
