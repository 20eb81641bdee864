"""Sums over trees without a subtraction, by elimination of words; the algorithm stands in `marginals`.

weight[word, head] has a row for each word, and columns for the root and each word. With `log`, weights are
logarithms; `log` may be None, which is decided at compile time. Zero stands for impossible edges in either
form.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel

# A product of two numbers that are not smaller, nor greater than the inverse, is never lost to rounding.
SMALLEST_FACTOR = 1e-145


@helper
def zero(log):
    return 0.0 if log is None else -np.inf


@helper
def plus(log, a, b):
    if log is None:
        return a + b
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@helper
def times(log, a, b):
    return a * b if log is None else a + b


@helper
def over(log, a, b):
    return a / b if log is None else a - b


@helper
def add_times(log, row, factor, other):
    """Add a factor times another row."""
    for k in range(row.size):
        row[k] = plus(log, row[k], times(log, factor, other[k]))


@helper
def is_exact(log, factor):
    if log is None:
        return factor == 0 or SMALLEST_FACTOR <= factor <= 1 / SMALLEST_FACTOR
    return True


@kernel
def eliminate(weight, kept, single_root, log, interrupt):
    """Leave the first `kept` words, by ways up through the others.

    Row p of an eliminated word becomes the probabilities of its heads: words before it, and the root. With a
    single root, the weights of edges from the root are infinitely small beside all others. Return False where
    numbers get too small, or if interrupted.
    """
    for p in range(len(weight) - 1, kept - 1, -1):
        heads = weight[p, : p + 1]
        total = zero(log) if single_root else heads[0]
        for k in range(1, p + 1):
            total = plus(log, total, heads[k])
        if interrupt[0] or total == zero(log):
            return False
        for k in range(p + 1):
            heads[k] = over(log, heads[k], total)
            if not is_exact(log, heads[k]):
                return False
        for word in range(p):
            factor = weight[word, p + 1]
            if not is_exact(log, factor):
                return False
            if factor != zero(log):
                add_times(log, weight[word, : p + 1], factor, heads)
                weight[word, word + 1] = zero(log)
    return True


@kernel
def turned(weight, begin):
    """Return the weights with the words from `begin` on before the others."""
    size = len(weight)
    found = np.empty((size, size + 1))
    for m in range(size):
        word = (m + begin) % size
        found[m, 0] = weight[word, 0]
        for h in range(size):
            found[m, h + 1] = weight[word, (h + begin) % size + 1]
    return found


@kernel
def fill_escapes(weight, single_root, log, interrupt, escape):
    """Fill escape[h, m], the probability that the way up from h passes by m.

    For the words m of one half, the words of the other half are eliminated, and the remaining problem is
    solved recursively. Return False where numbers get too small, or if interrupted.
    """
    size = len(weight)
    if size == 1:
        escape[0, 0] = zero(log)
        return True
    for begin in (0, size // 2):
        kept = size // 2 if begin == 0 else size - size // 2
        ways = turned(weight, begin)
        if not eliminate(ways, kept, single_root, log, interrupt):
            return False
        among, found = np.empty((kept, kept)), np.empty((size, kept))
        if not fill_escapes(ways[:kept, : kept + 1].copy(), single_root, log, interrupt, among):
            return False
        found[:kept] = among
        for p in range(kept, size):
            if interrupt[0]:
                return False
            found[p] = ways[p, 0]
            for k in range(p):
                add_times(log, found[p], ways[p, k + 1], found[k])
        for h in range(size):
            for m in range(kept):
                if not is_exact(log, found[h, m]):
                    return False
                escape[(h + begin) % size, (m + begin) % size] = found[h, m]
    return True
