from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import each
from definitions.semirings import COUNTING, LOG, MAX_PLUS, MAX_WITH_COUNT, Semiring
from definitions.tabular_parsing import ReferenceChart, Weight, parse, parse_by_definition
from judges import all_projective_trees, scaled

from treewhile.oracles.kernels import values
from treewhile.oracles.kernels.best_trees import leftmost_tree
from treewhile.oracles.kernels.charts import planes
from treewhile.oracles.split_grammars import PROJECTIVE, STACK_AND_INPUT, STRICT_STACK_AND_INPUT, SplitGrammar
from treewhile.oracles.tabular_parsing import fill

NEVER = -math.inf

# Every left child is taken as S or as T, and a T among the left children must not be followed by an S further
# out: trees have several derivations, and states on one side differ.
AMBIGUOUS = SplitGrammar(
    name="ambiguous",
    start="S",
    initial={"a": ("S", "S"), "b": ("S", "T")},
    complete=(("S", "S", "S"), ("S", "T", "S"), ("T", "S", "S"), ("S", "S", "T")),
    left=(("S", "S", "S"), ("T", "T", "S"), ("T", "T", "T")),
    right=(("S", "S", "S"), ("S", "T", "T"), ("T", "T", "S")),
)
# Each left child counts twice.
DOUBLED = SplitGrammar(
    name="doubled",
    start="S",
    initial={"a": ("S", "S")},
    complete=(("S", "S", "S"), ("T", "S", "S")),
    left=(("S", "S", "S"), ("S", "T", "S")),
    right=(("S", "S", "S"),),
)
GRAMMARS = (PROJECTIVE, STACK_AND_INPUT, STRICT_STACK_AND_INPUT, AMBIGUOUS, DOUBLED)


def random_word(rng: Random, grammar: SplitGrammar, size: int) -> str:
    if "p" in grammar.initial:
        below = rng.randrange(size)
        return "p" * below + "s" * (size - below)
    return "".join(rng.choice("ab"[: len(grammar.initial)]) for _ in range(size))


Drawn = npt.NDArray[Any]
Plain = Callable[[Any], Any]


def whole_numbers(rng: Random, size: int) -> tuple[Drawn, Plain]:
    return np.array([[rng.randrange(-2, 4) for _ in range(size)] for _ in range(size)]), int


def numbers_and_never(rng: Random, size: int) -> tuple[Drawn, Plain]:
    return np.array([[rng.choice([NEVER, -1.0, 0.0, 2.0]) for _ in range(size)] for _ in range(size)]), float


def counts(rng: Random, size: int) -> tuple[Drawn, Plain]:
    few_or_many = rng.choice([[0, 1, 2], [1, 2**40, 2**62 + 1]])
    return np.array([[rng.choice(few_or_many) for _ in range(size)] for _ in range(size)]), int


def counted(
    draw: Callable[[Random, int], tuple[Drawn, Plain]],
) -> Callable[[Random, int], tuple[Drawn, Plain]]:
    def drawn(rng: Random, size: int) -> tuple[Drawn, Plain]:
        weight, plain = draw(rng, size)
        return weight, lambda value: (plain(value), int(value > NEVER))

    return drawn


def weight_of(weight: Drawn, plain: Plain) -> Weight:
    return lambda head, child: plain(weight[head, child])


@pytest.mark.parametrize(
    ("semiring", "draw"),
    [
        (MAX_PLUS, whole_numbers),
        (MAX_PLUS, numbers_and_never),
        (COUNTING, counts),
        (LOG, numbers_and_never),
        (MAX_WITH_COUNT, counted(whole_numbers)),
        (MAX_WITH_COUNT, counted(numbers_and_never)),
    ],
    ids=["max", "max-never", "count", "log", "max-count", "max-count-never"],
)
@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)
def test_the_kernel_finds_what_table_2_says(
    grammar: SplitGrammar, semiring: Semiring, draw: Callable[[Random, int], tuple[Drawn, Plain]]
) -> None:
    for seed in range(scaled(15, 5)):
        rng = Random(seed)
        size = rng.randrange(1, scaled(9, 6))
        word, (weight, plain) = random_word(rng, grammar, size), draw(rng, size)
        expected = parse_by_definition(grammar, word, weight_of(weight, plain), semiring)
        found = parse(grammar, word, weight, semiring)
        if semiring is LOG:
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), (seed, word, weight)
        else:
            assert found == expected, (seed, word, weight)


@pytest.mark.parametrize("semiring", [MAX_PLUS, LOG, MAX_WITH_COUNT, COUNTING], ids=lambda row: row.name)
def test_one_node_is_a_tree_and_a_tree_that_may_not_be_is_none(semiring: Semiring) -> None:
    dtype = np.int64 if semiring is COUNTING else np.float64
    bars = 0 if semiring is COUNTING else NEVER
    assert parse(PROJECTIVE, "a", np.zeros((1, 1), dtype=dtype), semiring) == semiring.one
    assert parse(PROJECTIVE, "aaa", np.full((3, 3), bars, dtype=dtype), semiring) == semiring.zero


@each("weight", [1, 3, 2**62, 2**63 - 1])
@each("n", [1, 2, 25, scaled(60, 26)])
def test_counts_are_exact_far_beyond_any_machine_number(weight: int, n: int) -> None:
    trees = math.comb(3 * n, n) // (2 * n + 1)
    weights = np.full((n + 1, n + 1), weight, dtype=np.int64)
    assert parse(PROJECTIVE, "a" * (n + 1), weights, COUNTING) == trees * weight**n


@pytest.mark.slow
def test_a_derivation_that_only_ambiguity_multiplies_is_counted_exactly() -> None:
    n = scaled(1030, 70)  # beyond the range of floats where compiled, beyond 64 bits otherwise
    weight = np.zeros((n + 1, n + 1), dtype=np.int64)
    weight[n, 1:n] = weight[0, n] = 1  # all words are left children of the last one
    assert parse(DOUBLED, "a" * (n + 1), weight, COUNTING) == 2 ** (n - 1)


@each("n", range(scaled(6, 5)))
def test_the_reference_chart_lists_each_projective_tree_once(n: int) -> None:
    chart = ReferenceChart(PROJECTIVE, "a" * (n + 1), lambda head, child: int(child > 0), COUNTING)
    assert Counter(tuple(tree[1:]) for tree in chart.trees()) == Counter(all_projective_trees(n))


def test_the_reference_chart_lists_a_tree_as_often_as_it_has_derivations() -> None:
    chart = ReferenceChart(DOUBLED, "aaaa", lambda head, child: int(child > 0), COUNTING)
    listed = Counter(tuple(tree[1:]) for tree in chart.trees())
    assert set(listed) == set(all_projective_trees(3))
    for tree, times in listed.items():
        assert times == 2 ** sum(word < head for word, head in enumerate(tree, 1))


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)
def test_back_pointers_lead_to_the_leftmost_of_the_best_trees(grammar: SplitGrammar) -> None:
    for seed in range(scaled(12, 4)):
        rng = Random(seed)
        size = rng.randrange(1, 7)
        word = random_word(rng, grammar, size)
        weight = np.array([[rng.randrange(2) for _ in range(size)] for _ in range(size)])
        weight[:, 0] = values.NEVER
        chart = ReferenceChart(grammar, word, lambda head, child: int(child > 0), COUNTING)
        listed = [
            (-sum(weight[head, child] for child, head in enumerate(tree) if child), tree)
            for tree in chart.trees()
        ]
        if listed:
            found = leftmost_tree(grammar.rules, size, weight, fill(grammar, word, weight).chart)
            assert found.tolist() == min(listed)[1], (seed, word, weight)


def test_whole_items_are_kept_by_left_and_by_right_end_alike() -> None:
    size, rng = 7, Random(1)
    weight = np.array([[rng.randrange(-3, 4) for _ in range(size)] for _ in range(size)])
    chart = fill(PROJECTIVE, "a" * size, weight).chart
    reference = ReferenceChart(PROJECTIVE, "a" * size, lambda head, child: weight[head, child], MAX_PLUS)
    left, left_at, right, right_at, left_open, right_open = planes(PROJECTIVE.rules, size)
    rows = chart.score.reshape(-1, size)
    for i, j in product(range(size), repeat=2):
        if i <= j:
            assert rows[left + i, j] == rows[left_at + j, i] == reference["left", "S", i, j]
            assert rows[right + i, j] == rows[right_at + j, i] == reference["right", "S", i, j]
        if i < j:
            assert rows[left_open + j, i] == reference["left open", "S", "S", i, j]
            assert rows[right_open + i, j] == reference["right open", "S", "S", i, j]
