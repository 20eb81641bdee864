"""All small MH4 trees judge the recurrence and the kernel; on longer sentences these judge each other."""

from __future__ import annotations

from functools import partial
from random import Random
from time import perf_counter

import numpy as np
import pytest
from cases import cases, each, each_seed
from definitions.four_heads import best_by_definition
from edge_scores import exact_or_float
from every_tree import Tree, best_by_listing, trees_of
from judges import random_scores, scaled
from tree_decoders import (
    check_every_tree_is_found,
    check_fixed_edges,
    check_single_precision,
    either_number_of_roots,
    interrupted_after,
    score_in_class,
    scores_of_tree,
)

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads, mh4_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.kernels.four_heads import ROOT

SIZES = range(1, scaled(6, 4))


def defined_score(scores: EdgeArray, single_root: bool) -> float:
    return best_by_definition(four_heads.sentence_places(scores, single_root), ROOT)[0]


@pytest.mark.slow
@either_number_of_roots
@each("n", SIZES)
def test_of_all_small_trees_the_best_is_found(n: int, single_root: bool) -> None:
    for seed in range(scaled(120, 20)):
        scores = edge_array(exact_or_float(Random(seed), n))
        listed = best_by_listing(scores.tolist(), "mh4", single_root)
        assert score_in_class(scores, "mh4", single_root) == pytest.approx(listed), seed
        if n <= 4:
            assert defined_score(scores, single_root) == pytest.approx(listed), seed


@pytest.mark.parametrize("n", SIZES)
def test_every_tree_is_found_when_its_edges_are_the_best(n: int) -> None:
    check_every_tree_is_found("mh4", n)


def test_no_tree_of_another_class_is_found() -> None:
    others: set[Tree] = {*trees_of("any", 4)} - {*trees_of("mh4", 4)}
    assert len(others) == 7
    for heads in others:
        assert best_tree(scores_of_tree(heads), "mh4", single_root=False).score == 3


@either_number_of_roots
def test_the_kernel_finds_what_the_definition_says(single_root: bool) -> None:
    for seed in range(scaled(6, 2)):
        scores = edge_array(exact_or_float(Random(seed), scaled(9, 6)))
        found = score_in_class(scores, "mh4", single_root)
        assert found == pytest.approx(defined_score(scores, single_root)), seed


@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(40, 6)))
def test_a_tree_of_the_class_is_found_among_edges_that_are_worse(seed: int, reached) -> None:  # type: ignore[no-untyped-def]
    """The best of all trees, where it is of the class, is the best of the class."""
    n = 6
    scores = edge_array(exact_or_float(Random(seed), n))
    wider = best_by_listing(scores.tolist(), "any", True)
    narrower = best_by_listing(scores.tolist(), "projective", True)
    found = score_in_class(scores, "mh4", True)
    assert narrower - 1e-9 <= found <= wider + 1e-9
    reached(narrower < wider)


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    for seed in range(scaled(40, 8)):
        check_fixed_edges(seed, "mh4")


def test_single_precision_gives_the_same_tree_where_sums_are_exact() -> None:
    for seed in range(scaled(30, 4)):
        scores = edge_array(random_scores(Random(seed), scaled(25, 8)))
        check_single_precision(mh4_decoding.decode, scores, seed)


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
    scores = np.zeros((scaled(260, 4), scaled(260, 4)))
    mh4_decoding.decode(scores[:5, :5], True, Interrupt())  # compiled
    started = perf_counter()
    assert interrupted_after(0.02, partial(mh4_decoding.decode, scores, True)) is None
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
