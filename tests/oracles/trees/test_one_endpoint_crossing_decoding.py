"""All small 1-endpoint-crossing trees judge the rules and the kernel; on longer sentences so do the rules."""

from __future__ import annotations

from functools import partial
from random import Random
from time import perf_counter

import numpy as np
import pytest
from cases import each
from definitions.crossing_regions import best_by_definition
from edge_scores import exact_or_float
from every_tree import best_by_listing, is_one_endpoint_crossing, trees_of
from judges import scaled
from reach import Reached
from tree_decoders import (
    check_every_tree_is_found,
    either_number_of_roots,
    interrupted_after,
    score_in_class,
    scores_of_tree,
)

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import one_endpoint_crossing_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array

NAME = "1-endpoint-crossing"
SIZES = range(1, scaled(6, 4))


def defined_score(scores: EdgeArray) -> float:
    """The best score with one root, by definition."""
    root_edges, score, _ = best_by_definition(scores)
    return score if root_edges == -1 else -np.inf


@either_number_of_roots
@each("n", SIZES)
def test_of_all_small_trees_the_best_is_found(n: int, single_root: bool) -> None:
    for seed in range(scaled(60, 5)):
        scores = edge_array(exact_or_float(Random(seed), n))
        listed = best_by_listing(scores.tolist(), NAME, single_root)
        assert score_in_class(scores, NAME, single_root) == pytest.approx(listed), seed
        if single_root and seed < 10:
            assert defined_score(scores) == pytest.approx(listed), seed


@pytest.mark.parametrize("n", range(1, scaled(6, 4)))
def test_every_tree_is_found_when_its_edges_are_the_best(n: int) -> None:
    check_every_tree_is_found(NAME, n)


@pytest.mark.skipif(scaled(False, True), reason="takes minutes without compiled kernels")
def test_no_tree_of_another_class_is_found() -> None:
    others = {*trees_of("any", 5)} - {*trees_of(NAME, 5)}
    assert len(others) == 192
    for heads in others:
        assert best_tree(scores_of_tree(heads), NAME, single_root=False).score == 4


def test_the_kernel_finds_what_the_definition_says() -> None:
    for seed in range(scaled(4, 1)):
        scores = edge_array(exact_or_float(Random(seed), scaled(8, 5)))
        assert score_in_class(scores, NAME, True) == pytest.approx(defined_score(scores)), seed


@pytest.mark.reaches(0.3)
def test_no_tree_is_worse_than_that_of_a_narrower_class(reached: Reached) -> None:
    for seed in range(scaled(20, 2)):
        scores = edge_array([[Random(seed * 99 + h * 9 + d).gauss(0, 1) for d in range(8)] for h in range(8)])
        if scaled(False, True):
            scores = scores[:5, :5]
        mh4 = best_tree(scores, "mh4")
        found = score_in_class(scores, NAME, True)
        reached(is_one_endpoint_crossing(tuple(mh4.heads)))
        assert not is_one_endpoint_crossing(tuple(mh4.heads)) or found >= mh4.score - 1e-9, seed


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    for seed in range(scaled(20, 3)):
        rng = Random(seed)
        scores = edge_array([[float(rng.randrange(-3, 4)) for _ in range(5)] for _ in range(5)])
        heads = best_tree(scores, NAME, forced=[(2, 4)], barred=[(1, 3), (0, 1)]).heads
        assert heads[3] == 2, seed
        assert heads[2] != 1, seed
        assert heads[0] != 0, seed


def test_one_root_costs_no_precision() -> None:
    scores = np.zeros((4, 4))
    scores[0, 1:] = 1e15
    scores[2, 1], scores[2, 3], scores[1, 3] = 0.25, 0.25, 0.125
    assert best_tree(scores, NAME).heads == [2, 0, 2]


def test_the_same_scores_always_give_the_same_tree() -> None:
    scores = np.zeros((6, 6))
    assert best_tree(scores, NAME) == best_tree(scores.copy(), NAME)


@pytest.mark.skipif(scaled(False, True), reason="there is nothing to wait for")
def test_what_runs_is_interrupted_from_another_thread() -> None:
    one_endpoint_crossing_decoding.decode(np.zeros((4, 4)), True, Interrupt())  # compiled
    started = perf_counter()
    scores = np.zeros((101, 101))
    assert interrupted_after(0.02, partial(one_endpoint_crossing_decoding.decode, scores, True)) is None
    assert perf_counter() - started > 0.01


def test_what_was_interrupted_gives_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert one_endpoint_crossing_decoding.decode(np.zeros((5, 5)), True, interrupt) is None


def test_what_cannot_be_decoded_is_refused() -> None:
    with pytest.raises(InputError, match=r"2000 words need 4,1\d\d\.\d GiB for 1-endpoint-crossing trees"):
        best_tree(np.zeros((2001, 2001)), NAME)
    scores = np.full((4, 4), -np.inf)
    scores[[2, 1, 2], [1, 2, 3]] = 0
    with pytest.raises(InputError, match="no tree of the class 1-endpoint-crossing is left"):
        best_tree(scores, NAME)
    assert best_tree(np.zeros((1, 1)), NAME) == ([], 0.0)
