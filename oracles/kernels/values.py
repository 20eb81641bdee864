"""Types of arrays, the numbers for minus infinity and an unknown head, and sums in each semiring."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.oracles.compilation import helper

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Scores = npt.NDArray[Any]  # int64 for exact oracles, float64 for real-valued weights

# Minus infinity of integer scores: two of them add up without overflow, and no sum with one of them is ever
# stored, so it is absorbing like the real one. Floating-point scores use the real one.
NEVER: Final = -(1 << 61)
ALMOST_NEVER: Final = NEVER >> 1

UNKNOWN: Final = -1


# Integer counts are kept modulo primes below 2**26: sums of this many products of two residues fit into 63
# bits.
LAZY_PRODUCTS = 2048


@helper
def plus(log, value, ties, other, other_ties, modulus):
    if log is not None:
        return max(value, other) + np.log1p(np.exp(min(value, other) - max(value, other))), 0
    if value == other:
        return value, (ties + other_ties) % modulus
    return (value, ties) if value > other else (other, other_ties)


@helper
def best_sum(a, b, never):
    best = never
    for k in range(a.size):
        best = max(best, a.dtype.type(a[k] + b[k]))
    return best


@helper
def log_sum(a, b, never):
    top = best_sum(a, b, never)
    if top == never:
        return top
    total = 0.0
    for k in range(a.size):
        total += np.exp(a[k] + b[k] - top)
    return top + np.log(total)


@helper
def tied_products(a, b, best, a_count, b_count):
    total = a_count.dtype.type(0)
    for k in range(a.size):
        total += a_count[k] * b_count[k] if a[k] + b[k] == best else 0
    return total


@helper
def count_ties(a, b, best, a_count, b_count, modulus):
    """Return the number of products that reach the best, weighted by the counts of their parts."""
    total = a_count.dtype.type(0)
    for at in range(0, a.size, LAZY_PRODUCTS):
        to = at + LAZY_PRODUCTS
        total = (total + tied_products(a[at:to], b[at:to], best, a_count[at:to], b_count[at:to])) % modulus
    return total
