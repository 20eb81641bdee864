"""Weighted parsing by a split grammar, over any semiring (Nederhof 2019, Table 2, after Eisner & Satta 1999).

    W_l(B, i, i) = 1 if (B, C) -> a_i          W_r(C, i, i) = 1 if (B, C) -> a_i
    W_l(B, C, i, j) = sum over k of W_r(B, i, k) W_l(C, k+1, j) w(j, i)       the edge j -> i
    W_r(B, C, i, j) = sum over k of W_r(B, i, k) W_l(C, k+1, j) w(i, j)       the edge i -> j
    W_l(C', i, j)   = sum of W_l(D, i, k) W_l(B, C, k, j)    over A -> (D, B), (C', _) -> A (C, _), i <= k < j
    W_r(B', i, j)   = sum of W_r(B, C, i, k) W_r(D, k, j)    over (_, B') -> (_, B) A, A -> (C, D), i < k <= j
    W               = sum over S -> (B, C) of W_l(B, 0, 0) W_r(C, 0, n)

O(n^3) time for each rule, O(n^2) space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.charts import Chart, Limits, fill_chart
from treewhile.oracles.kernels.values import ALMOST_NEVER, NEVER, Longs, Scores
from treewhile.oracles.split_grammars import SplitGrammar

# A chart over this many words takes one or two gigabytes, and a minute.
LONGEST = 4000


def check_length(words: int) -> None:
    """Refuse a sentence whose chart would exhaust the memory."""
    if words > LONGEST:
        raise InputError(
            f"{words} words are too many for a chart of all their spans: at most {LONGEST} fit, split them"
        )


class Filled(NamedTuple):
    """Chart that the kernel has filled, with W."""

    chart: Chart
    value: Any
    count: Any  # modulo the modulus


def fill(
    grammar: SplitGrammar,
    word: str,
    weight: Scores,
    ways: Scores | None = None,
    log: bool = False,
    modulus: float = 1,
) -> Filled:
    """Return the filled chart for weight[head, child]: integers with NEVER, or floats with -inf."""
    check_length(len(word) - 1)
    terminals, selected = grammar.terminals(word), True if log else None
    return Filled(*fill_chart(grammar.rules, terminals, weight, ways, selected, _limits(weight, modulus)))


def _limits(weight: Scores, modulus: float = 1) -> Limits:
    never, almost = (-np.inf, -np.inf) if weight.dtype == np.float64 else (NEVER, ALMOST_NEVER)
    return Limits(never, almost, modulus)


def count_best(grammar: SplitGrammar, word: str, weight: Scores, ways: Longs) -> tuple[Any, int]:
    """Return the best value and the exact number of its derivations; an edge counts ways[head, child].

    A first count in floating point is exact below 2^53, as all that it adds up is. A larger one tells modulo
    how many primes to count so that no two possible counts look the same.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the count may overflow; uncompiled, numpy would warn
        _, value, about = fill(grammar, word, weight, ways.astype(np.float64), modulus=np.inf)
    if about < 2**53:
        return value, int(about)
    bits = (math.log2(about) if about < np.inf else _bits_of_all(grammar, word, weight, ways)) + 1
    total, modulus = 0, 1
    for prime in _primes(bits):
        count = int(fill(grammar, word, weight, ways % prime, modulus=prime).count)
        total += modulus * ((count - total) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    return value, total


def _bits_of_all(grammar: SplitGrammar, word: str, weight: Scores, ways: Longs) -> float:
    """Return the binary logarithm of the number of all derivations, best or not."""
    with np.errstate(divide="ignore"):
        logarithms = np.where(weight > _limits(weight).never, np.log(ways), -np.inf)
    return float(fill(grammar, word, logarithms, log=True).value) / math.log(2)


def _primes(bits: float) -> Iterator[int]:
    """Yield the largest primes below 2^26 whose product has more than the given bits."""
    number = 2**26
    while bits >= 0:
        number = _prime_below(number)
        bits -= math.log2(number)
        yield number


@cache
def _prime_below(number: int) -> int:
    number -= 1
    while any(number % divisor == 0 for divisor in range(2, math.isqrt(number) + 1)):
        number -= 1
    return number
