"""Weighted parsing by a split grammar, over any semiring (Nederhof 2019, Table 2, after Eisner & Satta 1999).

    W_l(B, i, i) = 1 if (B, C) -> a_i          W_r(C, i, i) = 1 if (B, C) -> a_i
    W_l(B, C, i, j) = sum over k of W_r(B, i, k) W_l(C, k+1, j) w(j, i)       the edge j -> i
    W_r(B, C, i, j) = sum over k of W_r(B, i, k) W_l(C, k+1, j) w(i, j)       the edge i -> j
    W_l(C', i, j)   = sum of W_l(D, i, k) W_l(B, C, k, j)    over A -> (D, B), (C', _) -> A (C, _), i <= k < j
    W_r(B', i, j)   = sum of W_r(B, C, i, k) W_r(D, k, j)    over (_, B') -> (_, B) A, A -> (C, D), i < k <= j
    W               = sum over S -> (B, C) of W_l(B, 0, 0) W_r(C, 0, n)

O(n^3) time for each rule, O(n^2) space. `parse_by_definition` reads like the table; `parse` runs the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.charts import Chart, Limits, fill_chart
from treewhile.oracles.kernels.values import ALMOST_NEVER, NEVER, Longs, Scores
from treewhile.oracles.semirings import COUNTING, LOG, MAX_PLUS, MAX_WITH_COUNT, Semiring, Value
from treewhile.oracles.split_grammars import SplitGrammar

Weight = Callable[[int, int], Value]
Item = tuple[Any, ...]  # kind, states, and the two ends
Pointer = tuple[Item, Item]


# --- by definition ------------------------------------------------------------------------------------------


class ReferenceChart:
    """Chart with the items of Table 2 for one string, and the back pointers of each item."""

    def __init__(self, grammar: SplitGrammar, word: str, weight: Weight, semiring: Semiring) -> None:
        self.grammar, self.weight, self.semiring = grammar, weight, semiring
        self.n = len(word) - 1
        self.value: dict[Item, Value] = {}
        self.ways: dict[Item, list[Pointer]] = {}
        for i, terminal in enumerate(word):
            b, c = grammar.initial[terminal]
            self.value["left", b, i, i] = self.value["right", c, i, i] = semiring.one
        for size in range(1, self.n + 1):
            for i in range(self.n + 1 - size):
                self._fill(i, i + size)

    def _fill(self, i: int, j: int) -> None:
        grammar = self.grammar
        for b in grammar.right_states:
            for c in grammar.left_states:
                splits: list[Pointer] = [(("right", b, i, k), ("left", c, k + 1, j)) for k in range(i, j)]
                self._add(("left open", b, c, i, j), splits, self.weight(j, i))
                self._add(("right open", b, c, i, j), splits, self.weight(i, j))
        for after, category, before in grammar.left:
            for d, b in grammar.pairs_of(category):
                splits = [(("left", d, i, k), ("left open", b, before, k, j)) for k in range(i, j)]
                self._add(("left", after, i, j), splits, self.semiring.one)
        for after, before, category in grammar.right:
            for c, d in grammar.pairs_of(category):
                splits = [(("right open", before, c, i, k), ("right", d, k, j)) for k in range(i + 1, j + 1)]
                self._add(("right", after, i, j), splits, self.semiring.one)

    def _add(self, item: Item, splits: list[Pointer], factor: Value) -> None:
        times, zero = self.semiring.times, self.semiring.zero
        for x, y in splits:
            value = times(times(self[x], self[y]), factor)
            if value != zero:
                self.value[item] = self.semiring.plus(self[item], value)
                self.ways.setdefault(item, []).append((x, y))

    def __getitem__(self, item: Item) -> Value:
        return self.value.get(item, self.semiring.zero)

    def whole(self) -> Value:
        """Return W, the value of the whole string under the start symbol."""
        total = self.semiring.zero
        for b, c in self.grammar.pairs_of(self.grammar.start):
            parts = self["left", b, 0, 0], self["right", c, 0, self.n]
            total = self.semiring.plus(total, self.semiring.times(*parts))
        return total

    def trees(self) -> Iterator[list[int]]:
        """Yield the heads of the tree of each derivation; heads[0] is -1."""
        for b, c in self.grammar.pairs_of(self.grammar.start):
            if ("left", b, 0, 0) in self.value and ("right", c, 0, self.n) in self.value:
                for edges in self._edges(("right", c, 0, self.n)):
                    heads = [-1] * (self.n + 1)
                    for head, child in edges:
                        heads[child] = head
                    yield heads

    def _edges(self, item: Item) -> Iterator[list[tuple[int, int]]]:
        i, j = item[-2:]
        own = {"left open": [(j, i)], "right open": [(i, j)]}.get(str(item[0]), [])
        if i == j:
            yield []
        for x, y in self.ways.get(item, []):
            for left in self._edges(x):
                for right in self._edges(y):
                    yield own + left + right


def parse_by_definition(grammar: SplitGrammar, word: str, weight: Weight, semiring: Semiring) -> Value:
    """Return W for a string of terminals, in plain Python, for any semiring; judges the kernel."""
    return ReferenceChart(grammar, word, weight, semiring).whole()


# --- by kernel ----------------------------------------------------------------------------------------------


def parse(grammar: SplitGrammar, word: str, weight: npt.NDArray[Any], semiring: Semiring) -> Value:
    """Return W for a string of terminals and weight[head, child]; equal to `parse_by_definition`.

    Max-plus accepts integers or floats, with -inf for forbidden edges; log accepts floats; counting accepts
    non-negative integers. Max-with-count accepts the same as max-plus, and each edge counts once.
    """
    _check_parse(grammar, word, weight)
    if semiring is MAX_PLUS:
        return _plain(fill(grammar, word, as_scores(weight)).value)
    if semiring is LOG:
        return fill(grammar, word, weight.astype(np.float64), log=True).value
    if semiring is COUNTING:
        return count_best(grammar, word, np.where(weight > 0, 0, NEVER), weight)[1]
    if semiring is MAX_WITH_COUNT:
        score, count = count_best(grammar, word, as_scores(weight), np.ones(weight.shape, dtype=np.int64))
        return _plain(score), count
    raise InputError(f"there is no kernel for the semiring {semiring.name!r}: use parse_by_definition")


def _check_parse(grammar: SplitGrammar, word: str, weight: npt.NDArray[Any]) -> None:
    unknown = sorted(set(word) - grammar.initial.keys())
    if unknown or not word:
        right = " or ".join(grammar.initial)
        raise InputError(f"the string {word!r:.40} has to be made of the terminals {right}, at least one")
    if weight.shape != (len(word), len(word)):
        raise InputError(f"the weights have shape {weight.shape}, but the string has {len(word)} terminals")


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


def as_scores(weight: npt.NDArray[Any]) -> Scores:
    """Return the weights in the kernel's type: floats stay floats, all other numbers become integers."""
    return np.asarray(weight, dtype=np.float64 if weight.dtype.kind == "f" else np.int64)


def _plain(score: Any) -> Any:
    return -math.inf if score == NEVER else score
