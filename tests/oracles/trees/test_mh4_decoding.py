"""All small MH4 trees judge the recurrence and the kernel; on longer sentences these judge each other."""

from __future__ import annotations

import threading
from random import Random
from time import perf_counter

import numpy as np
import pytest
from every_tree import Tree, best_by_listing, is_mh4, trees_of
from judges import random_scores, scaled

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads, mh4_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.kernels.four_heads import ROOT

SIZES = range(1, scaled(6, 4))


def drawn_scores(rng: Random, n: int) -> EdgeArray:
    """Scores of which some tie and some bar an edge, or which are any numbers."""
    if rng.random() < 0.5:
        return edge_array(random_scores(rng, n))
    return edge_array([[rng.gauss(0, 1) for _ in range(n + 1)] for _ in range(n + 1)])


def found_score(scores: EdgeArray, single_root: bool) -> float:
    try:
        tree = best_tree(scores, "mh4", single_root)
    except InputError:  # there is none; what is said then has its own test
        return -np.inf
    assert is_mh4(tuple(tree.heads))
    assert not single_root or tree.heads.count(0) == 1
    return tree.score


def defined_score(scores: EdgeArray, single_root: bool) -> float:
    return four_heads.best_by_definition(four_heads.sentence_places(scores, single_root), ROOT)[0]


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_of_all_small_trees_the_best_is_found(n: int, single_root: bool) -> None:
    for seed in range(scaled(120, 20)):
        scores = drawn_scores(Random(seed), n)
        listed = best_by_listing(scores.tolist(), "mh4", single_root)
        assert found_score(scores, single_root) == pytest.approx(listed), seed
        if n <= 4:
            assert defined_score(scores, single_root) == pytest.approx(listed), seed


@pytest.mark.parametrize("n", SIZES)
def test_every_tree_is_found_when_its_edges_are_the_best(n: int) -> None:
    for heads in trees_of("mh4", n):
        scores = np.zeros((n + 1, n + 1))
        scores[heads, np.arange(1, n + 1)] = 1
        assert best_tree(scores, "mh4", single_root=False).heads == [*heads]
        if heads.count(0) == 1:
            assert best_tree(scores, "mh4").heads == [*heads]


def test_no_tree_of_another_class_is_found() -> None:
    others: set[Tree] = {*trees_of("any", 4)} - {*trees_of("mh4", 4)}
    assert len(others) == 7
    for heads in others:
        scores = np.zeros((5, 5))
        scores[heads, np.arange(1, 5)] = 1
        assert best_tree(scores, "mh4", single_root=False).score == 3


@pytest.mark.parametrize("single_root", [True, False])
def test_the_kernel_finds_what_the_definition_says(single_root: bool) -> None:
    for seed in range(scaled(6, 2)):
        scores = drawn_scores(Random(seed), scaled(9, 6))
        found = found_score(scores, single_root)
        assert found == pytest.approx(defined_score(scores, single_root)), seed


@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("seed", range(scaled(40, 6)))
def test_a_tree_of_the_class_is_found_among_edges_that_are_worse(seed: int, reached) -> None:  # type: ignore[no-untyped-def]
    """The best of all trees, where it is of the class, is the best of the class."""
    n = 6
    scores = drawn_scores(Random(seed), n)
    wider = best_by_listing(scores.tolist(), "any", True)
    narrower = best_by_listing(scores.tolist(), "projective", True)
    found = found_score(scores, True)
    assert narrower - 1e-9 <= found <= wider + 1e-9
    reached(narrower < wider)


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        scores = edge_array([[float(rng.randrange(-3, 4)) for _ in range(6)] for _ in range(6)])
        forced = rng.choice([(2, 4), (5, 1), (0, 3)])
        barred = [(rng.randrange(1, 6), 2), (rng.randrange(2, 6), 1)]
        heads = best_tree(scores, "mh4", forced=[forced], barred={*barred} - {forced}).heads
        assert heads[forced[1] - 1] == forced[0], seed
        assert not any(heads[word - 1] == head for head, word in {*barred} - {forced}), seed


def test_single_precision_gives_the_same_tree_where_sums_are_exact() -> None:
    for seed in range(scaled(30, 4)):
        scores = edge_array(random_scores(Random(seed), scaled(25, 8)))
        heads = mh4_decoding.decode(scores, True, Interrupt())
        single = mh4_decoding.decode(scores.astype(np.float32), True, Interrupt())  # type: ignore[arg-type]
        assert heads is not None
        assert single is not None
        assert heads.tolist() == single.tolist(), seed


def test_the_same_scores_always_give_the_same_tree() -> None:
    scores = np.zeros((12, 12))
    assert best_tree(scores, "mh4") == best_tree(scores.copy(), "mh4")


def test_one_root_costs_no_precision() -> None:
    """Scores differ in their last digits, which a penalty for further roots would have swallowed."""
    scores = np.zeros((4, 4))
    scores[0, 1:] = 1e15
    scores[2, 1], scores[2, 3], scores[1, 3] = 0.25, 0.25, 0.125
    assert best_tree(scores, "mh4").heads == [2, 0, 2]


def test_what_was_interrupted_gives_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert mh4_decoding.decode(np.zeros((8, 8)), True, interrupt) is None


@pytest.mark.skipif(scaled(False, True), reason="there is nothing to wait for")
def test_what_runs_is_interrupted_from_another_thread() -> None:
    interrupt = Interrupt()
    scores = np.zeros((scaled(260, 4), scaled(260, 4)))
    mh4_decoding.decode(scores[:5, :5], True, Interrupt())  # compiled
    threading.Timer(0.02, interrupt.set).start()
    started = perf_counter()
    assert mh4_decoding.decode(scores, True, interrupt) is None
    assert perf_counter() - started > 0.01


def test_what_would_take_gigabytes_is_refused() -> None:
    with pytest.raises(InputError, match=r"2000 words need 59\.\d GiB for mh4 trees"):
        best_tree(np.zeros((2001, 2001)), "mh4")


def test_no_words_have_the_tree_of_nothing() -> None:
    assert best_tree(np.zeros((1, 1)), "mh4") == ([], 0.0)


def test_a_word_without_an_edge_is_named() -> None:
    scores = np.zeros((4, 4))
    scores[:, 2] = -np.inf
    with pytest.raises(InputError, match="word 2 has no edge that may be"):
        best_tree(scores, "mh4")
    scores[:] = -np.inf
    scores[[2, 1, 2], [1, 2, 3]] = 0
    with pytest.raises(InputError, match="no tree of the class mh4 is left"):
        best_tree(scores, "mh4")
