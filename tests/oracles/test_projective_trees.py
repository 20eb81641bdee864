from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from random import Random

import pytest
from cases import cases, each, each_seed
from definitions.projective_trees import projectivize_by_definition
from judges import (
    Forest,
    all_forests,
    all_projective_trees,
    crossed,
    is_above,
    random_forest,
    scaled,
)
from tree_decoders import either_number_of_roots

from treewhile.oracles import count_projectivizations, is_projective, lift, projectivize


def kept(tree: Sequence[int | None], heads: Sequence[int | None]) -> int:
    return sum(a == b and a is not None for a, b in zip(tree, heads, strict=True))


@cache
def candidates(n: int, single_root: bool) -> list[tuple[int, ...]]:
    return [tree for tree in all_projective_trees(n) if not single_root or n == 0 or tree.count(0) == 1]


def check_against_listing(heads: Sequence[int | None], single_root: bool, seed: object = None) -> None:
    """Compares with all projective trees, by the tie rule as it is written."""
    trees = candidates(len(heads), single_root)
    best = min(
        trees,
        key=lambda tree: (
            -kept(tree, heads),
            tree.count(0),
            sum(abs(word - head) for word, head in enumerate(tree, 1)),
            tree,
        ),
    )
    optima = sum(kept(tree, heads) == kept(best, heads) for tree in trees)
    assert projectivize(heads, single_root) == list(best), (seed, heads)
    assert count_projectivizations(heads, single_root) == optima, (seed, heads)


# --- against all projective trees ---------------------------------------------------------------------------


@either_number_of_roots
@each("n", range(scaled(5, 4)))
def test_of_all_small_forests_the_tie_rule_takes_the_best_tree(n: int, single_root: bool) -> None:
    for heads in all_forests(n):
        check_against_listing(heads, single_root)


@pytest.mark.slow
@either_number_of_roots
@pytest.mark.parametrize("n", [5, scaled(6, 5)])
def test_of_random_forests_the_tie_rule_takes_the_best_tree(n: int, single_root: bool) -> None:
    for seed in range(scaled(40, 20)):
        check_against_listing(random_forest(Random(seed), n), single_root, seed)


@either_number_of_roots
def test_the_kernel_finds_what_the_definition_says(single_root: bool) -> None:
    for seed in range(scaled(30, 8)):
        rng = Random(seed)
        heads = crossed(rng, random_forest(rng, rng.randrange(1, scaled(13, 9))), 3)
        found = projectivize(heads, single_root)
        assert found == projectivize_by_definition(heads, single_root), (seed, heads)


# --- larger trees -------------------------------------------------------------------------------------------


def trees_over(n: int) -> int:
    return comb(3 * n, n) // (2 * n + 1)


@pytest.mark.slow
@each("n", [0, 1, 2, 3, 10, 22, 23, 24, 27, 28, 29, *scaled([60, 150, 390], [])])
def test_counts_of_trees_are_those_of_the_closed_forms(n: int) -> None:
    unknown: Forest = [None] * n
    assert count_projectivizations(unknown) == trees_over(n)
    one_root = sum(trees_over(k) * trees_over(n - 1 - k) for k in range(n)) if n else 1
    assert count_projectivizations(unknown, single_root=True) == one_root


def test_sizes_0_and_1_have_one_tree() -> None:
    for heads in ([], [0], [None]):
        for single_root in (True, False):
            assert projectivize(heads, single_root) == [0] * len(heads)
            assert count_projectivizations(heads, single_root) == 1
        assert is_projective(heads)
        assert lift(heads) == heads


N = scaled(1000, 30)
LARGE: dict[str, Sequence[int | None]] = {
    "chain to the right": list(range(N)),
    "chain to the left": [*range(2, N + 1), 0],
    "flat under the first": [0] + [1] * (N - 1),
    "flat under the last": [N] * (N - 1) + [0],
    "flat under the root": [0] * N,
    "unknown": [None] * N,
    "crossed": [0, *(word // 2 for word in range(2, N + 1))],
}


@pytest.mark.slow
@each("name", LARGE)
def test_a_thousand_words_have_an_optimum(name: str) -> None:
    heads = LARGE[name]
    found = projectivize(heads)
    assert is_projective(found)
    assert found.count(0) == 1
    if heads.count(0) == 1 and is_projective(heads):
        assert found == heads


# --- lifting ------------------------------------------------------------------------------------------------


def lift_by_definition(heads: list[int]) -> list[int]:
    """Nivre & Nilsson 2005 for whole trees: the shortest edge over a word that its head does not dominate."""
    heads = list(heads)
    while non_projective := [
        (abs(head - word), word)
        for word, head in enumerate(heads, 1)
        if any(not is_above(heads, head, other) for other in range(min(head, word) + 1, max(head, word)))
    ]:
        word = min(non_projective)[1]
        heads[word - 1] = heads[heads[word - 1] - 1]
    return heads


@pytest.mark.parametrize("n", range(1, 5))
def test_lifting_moves_the_shortest_edge_up_first(n: int) -> None:
    for heads in all_forests(n):
        tree = [head for head in heads if head is not None]
        if len(tree) == n:
            assert lift(tree) == lift_by_definition(tree), heads


@each_seed(cases(scaled(20, 5)))
def test_lifting_gives_projective_heads_and_never_keeps_more_than_the_optimum(seed: int) -> None:
    rng = Random(seed)
    heads = random_forest(rng, rng.randrange(1, scaled(25, 10)))
    lifted = lift(heads)
    assert is_projective(lifted), (seed, heads)
    assert kept(lifted, heads) <= kept(projectivize(heads, single_root=False), heads), (seed, heads)
    assert all(after is None for before, after in zip(heads, lifted, strict=True) if before is None), (
        seed,
        heads,
    )
    if None not in heads:
        assert lifted == lift_by_definition([head or 0 for head in heads]), (seed, heads)
        assert all(is_above(heads, head or 0, word) for word, head in enumerate(lifted, 1)), (seed, heads)


@pytest.mark.parametrize(
    ("heads", "lifted"),
    [
        ([0, 1, 1, 2, 2], [0, 1, 1, 1, 1]),  # "a hearing is scheduled on the issue today", in small
        ([2, 0, 2, 1], [2, 0, 2, 2]),
        ([3, 4, 0, 3], [3, 3, 0, 3]),
        ([3, None, 0, 2], [0, None, 0, 0]),  # a word of unknown head counts as under 0
        ([2, 3, 0], [2, 3, 0]),
    ],
)
def test_small_trees_are_lifted_as_in_textbooks(heads: Forest, lifted: Forest) -> None:
    assert lift(heads) == lifted
