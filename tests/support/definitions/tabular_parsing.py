"""Weighted parsing over any semiring as Table 2 of Nederhof 2019 says it, and the same by kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from definitions.semirings import COUNTING, LOG, MAX_PLUS, MAX_WITH_COUNT, Semiring, Value
from treewhile.oracles.kernels.values import NEVER, Scores
from treewhile.oracles.split_grammars import SplitGrammar
from treewhile.oracles.tabular_parsing import count_best, fill

Weight = Callable[[int, int], Value]
Item = tuple[Any, ...]  # kind, states, and the two ends
Pointer = tuple[Item, Item]


class ReferenceChart:
    """The items of Table 2 for one string, with the ways in which each was made (its back pointers)."""

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
        """W: all of the string under the start symbol."""
        total = self.semiring.zero
        for b, c in self.grammar.pairs_of(self.grammar.start):
            parts = self["left", b, 0, 0], self["right", c, 0, self.n]
            total = self.semiring.plus(total, self.semiring.times(*parts))
        return total

    def trees(self) -> Iterator[list[int]]:
        """The heads of every tree that has a derivation; heads[0] is -1. As many as there are derivations."""
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
    """W for a string of terminals, in Python."""
    return ReferenceChart(grammar, word, weight, semiring).whole()


def parse(grammar: SplitGrammar, word: str, weight: npt.NDArray[Any], semiring: Semiring) -> Value:
    """W for a string of terminals and weight[head, child]; equal to `parse_by_definition`.

    Max-plus takes integers or floats, with -inf for what may not be; log takes floats; counting takes
    integers from 0. Max-with-count takes what max-plus takes, and each edge counts once.
    """
    if semiring is MAX_PLUS:
        return _plain(fill(grammar, word, as_scores(weight)).value)
    if semiring is LOG:
        return fill(grammar, word, weight.astype(np.float64), log=True).value
    if semiring is COUNTING:
        return count_best(grammar, word, np.where(weight > 0, 0, NEVER), weight)[1]
    assert semiring is MAX_WITH_COUNT, "there is no kernel for others"
    score, count = count_best(grammar, word, as_scores(weight), np.ones(weight.shape, dtype=np.int64))
    return _plain(score), count


def as_scores(weight: npt.NDArray[Any]) -> Scores:
    """Weights as the kernel takes them: floats stay floats, all other numbers become integers."""
    return np.asarray(weight, dtype=np.float64 if weight.dtype.kind == "f" else np.int64)


def _plain(score: Any) -> Any:
    return -math.inf if score == NEVER else score
