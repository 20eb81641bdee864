from __future__ import annotations

from itertools import product
from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from definitions.rearrangement import rearranged_by_definition
from definitions.sibling_decoding import best_score_by_definition
from edge_scores import exact_or_float
from judges import has_cycle, scaled
from reach import Reached
from sibling_scores import best_listed, triple_scores, worth
from tree_decoders import either_number_of_roots

from treewhile.oracles import InputError, best_sibling_tree, best_tree, is_projective, rearranged_sibling_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import sibling_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.kernels.rearranging import rearrange
from treewhile.oracles.trees.sibling_decoding import SiblingArray


def random_problem(rng: Random, n: int) -> tuple[EdgeArray, SiblingArray]:
    """Scores of edges and of siblings, some of which are minus infinity."""
    return np.array(exact_or_float(rng, n)), triple_scores(rng, n)


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(100, 15)))
def test_the_best_tree_is_the_best_of_all_that_are_listed(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(1, scaled(6, 5))
    scores, siblings = random_problem(rng, n)
    expected = best_listed(scores, siblings, "projective", single_root)
    reached(expected > -inf)
    if expected == -inf:
        with pytest.raises(InputError, match="every projective tree"):
            best_sibling_tree(scores, siblings, single_root)
        return
    found = best_sibling_tree(scores, siblings, single_root)
    assert found.score == pytest.approx(expected, abs=1e-9), seed
    assert worth(tuple(found.heads), scores, siblings) == pytest.approx(expected, abs=1e-9), seed
    assert is_projective(found.heads)
    assert not single_root or found.heads.count(0) == 1


@either_number_of_roots
@each_seed(cases(scaled(30, 6)))
def test_larger_trees_are_those_of_the_definition(seed: int, single_root: bool) -> None:
    rng = Random(seed)
    scores, siblings = random_problem(rng, rng.randrange(6, scaled(16, 9)))
    np.maximum(siblings, -9, out=siblings)
    np.maximum(scores, -9, out=scores)
    expected = best_score_by_definition(edge_array(scores), siblings, single_root)
    assert best_sibling_tree(scores, siblings, single_root).score == pytest.approx(expected, abs=1e-9), seed


@either_number_of_roots
def test_without_scores_of_siblings_it_is_the_best_projective_tree(single_root: bool) -> None:
    for seed in range(scaled(20, 4)):
        scores = np.random.default_rng(seed).normal(size=(15, 15))
        found = best_sibling_tree(scores, np.zeros((15, 15, 15)), single_root)
        assert found.heads == best_tree(scores, "projective", single_root).heads, seed


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    scores, siblings = np.zeros((5, 5)), np.zeros((5, 5, 5))
    found = best_sibling_tree(scores, siblings, forced=[(4, 1)], barred=[(4, 2), (4, 3)])
    assert found.heads[0] == 4
    assert 4 not in found.heads[1:]


# --- rearranged ---------------------------------------------------------------------------------------------


@either_number_of_roots
@pytest.mark.reaches(0.2)
@each_seed(cases(scaled(100, 15)))
def test_rearranging_makes_the_best_change_as_long_as_one_helps(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(2, scaled(9, 6))
    scores, siblings = random_problem(rng, n)
    scores[0, 1], scores[1, 2:], siblings[1, :, 2:], siblings[0] = 0, 0, 0, 0  # so that there is a tree
    before = best_sibling_tree(scores, siblings, single_root)
    after = rearranged_sibling_tree(scores, siblings, single_root)
    edges = edge_array(scores)
    expected = rearranged_by_definition(before.heads, edges, siblings, single_root)
    assert after.heads == expected, seed
    assert after.score == pytest.approx(worth(tuple(expected), scores, siblings)), seed
    assert after.score >= before.score - 1e-9
    assert not has_cycle(after.heads)
    assert not single_root or after.heads.count(0) == 1
    reached(after.heads != before.heads)


# --- interrupted, and refused -------------------------------------------------------------------------------


def test_what_is_interrupted_gives_no_tree() -> None:
    stop = Interrupt()
    stop.set()
    scores, siblings = np.zeros((4, 4)), np.zeros((4, 4, 4))
    assert sibling_decoding.decode_siblings(scores, siblings, True, stop) is None
    assert sibling_decoding.decode_rearranged(scores, siblings, True, stop) is None


def test_a_tree_that_is_interrupted_while_it_is_rearranged_stays_as_it_is() -> None:
    scores, siblings = np.zeros((5, 5)), np.zeros((5, 5, 5))
    scores[3, 1] = 5
    heads, stop = np.array([-1, 0, 1, 1, 1], np.int32), Interrupt()
    stop.set()
    assert not rearrange(scores, siblings, heads, False, stop.flag)
    assert heads.tolist() == [-1, 0, 1, 1, 1]
    scores[2, 4] = 5
    assert rearrange(scores, siblings, heads, False, Interrupt().flag)
    assert heads[4] == 2


def test_no_words_have_an_empty_tree() -> None:
    for best in (best_sibling_tree, rearranged_sibling_tree):
        assert best([[0]], [[[0]]]).heads == []


@pytest.mark.parametrize(
    ("siblings", "complaint"),
    [
        (np.zeros((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((4, 4, 4)), "so 3 each way"),
        (np.full((3, 3, 3), "a"), "give numbers"),
        (np.full((3, 3, 3), float("nan")), r"at \(0, 0, 0\) is nan"),
        (np.full((3, 3, 3), inf), r"at \(0, 0, 0\) is inf"),
    ],
)
def test_bad_scores_of_siblings_are_refused_in_one_sentence(siblings: np.ndarray, complaint: str) -> None:
    for best, single_root in product((best_sibling_tree, rearranged_sibling_tree), (True, False)):
        with pytest.raises(InputError, match=complaint):
            best(np.zeros((3, 3)), siblings, single_root)


def test_what_would_take_gigabytes_is_refused_with_the_number() -> None:
    nodes = 2001
    with pytest.raises(InputError, match=r"2000 words need 59\.7 GiB"):
        best_sibling_tree(np.zeros((nodes, nodes)), np.broadcast_to(np.float32(0), (nodes,) * 3))
