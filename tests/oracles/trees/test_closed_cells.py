"""Decoders with closed cells: all small trees that openings allow judge them."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from closed_trees import ALLOWED, best_allowed, random_openings
from definitions.closed_projective_decoding import best_score_by_definition
from definitions.four_heads import best_by_definition
from edge_scores import exact_or_float, random_floats
from every_tree import trees_of
from judges import random_scores, scaled
from reach import Reached
from tree_decoders import either_number_of_roots, scores_of_tree

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads, projective_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.kernels.four_heads import ROOT

in_each_class = pytest.mark.parametrize("trees", ALLOWED)


def score_or_never(scores: EdgeArray, trees: str, single_root: bool, openings: Openings) -> float:
    """The score of the best tree, minus infinity where there is none; openings have to allow the tree."""
    try:
        found = best_tree(scores, trees, single_root, openings=openings)
    except InputError:  # what is said then has its own test
        return -inf
    assert ALLOWED[trees](tuple(found.heads), openings)
    return found.score


def none_open(n: int) -> Openings:
    return Openings(*np.zeros((3, n), np.bool_))


@pytest.mark.slow
@in_each_class
@either_number_of_roots
@pytest.mark.reaches(0.1)
@each_seed(cases(scaled(120, 15)))
def test_the_best_tree_is_the_best_that_openings_allow(
    seed: int, single_root: bool, trees: str, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(1, scaled(6, 5))
    scores, openings = edge_array(exact_or_float(rng, n)), random_openings(rng, n)
    listed = best_allowed(scores, trees, openings, single_root)
    assert score_or_never(scores, trees, single_root, openings) == pytest.approx(listed), seed
    reached(listed < best_allowed(scores, trees, Openings.all_open(n), single_root))


@pytest.mark.slow
@in_each_class
@each_seed(cases(scaled(12, 2)))
def test_forced_edges_stand_and_barred_ones_do_not_among_five_words(seed: int, trees: str) -> None:
    rng, n = Random(seed), scaled(5, 4)
    given, openings = edge_array(random_scores(rng, n)), random_openings(rng, n)
    forced, barred = [(2, 4)], [(3, 1), (0, 2)]
    scores = edge_array(given, forced, barred)
    listed = best_allowed(scores, trees, openings, True)
    assert score_or_never(scores, trees, True, openings) == listed, seed


@in_each_class
def test_every_tree_that_is_allowed_is_found_and_no_other(trees: str) -> None:
    for seed in range(scaled(6, 2)):
        openings = random_openings(Random(seed), 4)
        for heads in trees_of(trees, 4):
            found = best_tree(scores_of_tree(heads), trees, single_root=False, openings=openings)
            assert (found.heads == [*heads]) == ALLOWED[trees](heads, openings), (seed, heads)


@in_each_class
@either_number_of_roots
def test_where_all_is_open_it_is_the_best_of_all_trees(trees: str, single_root: bool) -> None:
    for seed in range(scaled(20, 4)):
        scores = edge_array(random_floats(Random(seed), 12))
        closed = best_tree(scores, trees, single_root, openings=Openings.all_open(12))
        assert closed.heads == best_tree(scores, trees, single_root).heads, seed


@either_number_of_roots
@each_seed(cases(scaled(40, 5)))
def test_larger_projective_trees_are_those_of_the_definition(seed: int, single_root: bool) -> None:
    rng = Random(seed)
    n = rng.randrange(6, scaled(20, 9))
    scores, openings = edge_array(exact_or_float(rng, n)), random_openings(rng, n)
    expected = best_score_by_definition(scores, openings, single_root)
    found = score_or_never(scores, "projective", single_root, openings)
    assert found == pytest.approx(expected, abs=1e-9), seed


@each_seed(cases(scaled(20, 3)))
def test_larger_mh4_trees_are_those_of_the_definition(seed: int) -> None:
    rng, n = Random(seed), scaled(8, 5)
    scores, openings = edge_array(exact_or_float(rng, n)), random_openings(rng, n)
    places = four_heads.sentence_places(scores, True, openings)
    expected = best_by_definition(places, ROOT)[0]
    assert score_or_never(scores, "mh4", True, openings) == pytest.approx(expected), seed


def test_single_precision_gives_the_same_tree_where_sums_are_exact() -> None:
    scores, openings = edge_array(random_scores(Random(3), 15)), random_openings(Random(4), 15)
    double = projective_decoding.decode(scores, True, Interrupt(), openings)
    single = projective_decoding.decode(scores.astype(np.float32), True, Interrupt(), openings)
    assert double is not None
    assert single is not None
    assert single.tolist() == double.tolist()


def test_where_no_tree_is_allowed_it_is_said() -> None:
    scores = np.full((5, 5), -np.inf)
    scores[[0, 1, 2, 3], [1, 2, 3, 4]] = 0
    assert best_tree(scores, openings=Openings.all_open(4)).heads == [0, 1, 2, 3]
    with pytest.raises(InputError, match="no tree of the class projective is left"):
        best_tree(scores, openings=none_open(4))


def test_openings_of_other_classes_and_of_other_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="no cells are closed for gap-minding trees: leave openings out"):
        best_tree(np.zeros((4, 4)), "gap-minding", openings=Openings.all_open(3))
    with pytest.raises(InputError, match="the openings are not those of 3 words: give a truth value"):
        best_tree(np.zeros((4, 4)), openings=Openings.all_open(4))


def test_what_is_interrupted_gives_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert projective_decoding.decode(np.zeros((8, 8)), True, interrupt, none_open(7)) is None
