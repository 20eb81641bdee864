"""All small gap-minding trees judge the one that is best with scores of siblings."""

from __future__ import annotations

from functools import partial
from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from definitions.gap_minding_siblings import best_by_definition
from every_tree import CLASSES
from judges import random_scores, scaled
from planted_trees import planted_scores
from reach import Reached
from sibling_scores import best_listed, triple_scores, worth
from tree_decoders import either_number_of_roots, finished, interrupted_after

from treewhile.oracles import InputError, best_gap_minding_sibling_tree, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.gap_minding_siblings import (
    GapMindingSiblingDecoder,
    sibling_heads,
)


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(100, 10)))
def test_the_best_tree_is_the_best_of_all_that_are_listed(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(1, scaled(7, 5))
    scores, siblings = edge_array(random_scores(rng, n)), triple_scores(rng, n)
    listed = best_listed(scores, siblings, "gap-minding", single_root)
    if n < 5:
        assert best_by_definition(scores, siblings, single_root) == pytest.approx(listed), seed
    reached(listed > -inf)
    if listed == -inf:
        with pytest.raises(InputError):
            best_gap_minding_sibling_tree(scores, siblings, single_root)
        return
    found = best_gap_minding_sibling_tree(scores, siblings, single_root)
    assert found.score == pytest.approx(listed), seed
    assert found.score == pytest.approx(worth(found.heads, scores, siblings)), seed
    assert CLASSES["gap-minding"](tuple(found.heads))
    assert not single_root or found.heads.count(0) == 1


@either_number_of_roots
def test_without_scores_of_siblings_it_is_as_good_as_the_best_tree_by_its_edges(single_root: bool) -> None:
    for seed in range(scaled(10, 2)):
        n = scaled(16, 6)
        scores = edge_array(planted_scores(Random(seed), n, 4, integers=True))
        found = best_gap_minding_sibling_tree(scores, np.zeros((n + 1,) * 3), False)
        assert found.score == best_tree(scores, "gap-minding", False).score, seed


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    for seed in range(scaled(30, 5)):
        rng = Random(seed)
        scores = edge_array([[float(rng.randrange(-3, 4)) for _ in range(5)] for _ in range(5)])
        siblings = np.random.default_rng(seed).integers(-4, 5, (5, 5, 5)).astype(float)
        forced, barred = rng.choice([(2, 4), (4, 1), (0, 3)]), (rng.choice([1, 3, 4]), 2)
        found = best_gap_minding_sibling_tree(scores, siblings, forced=[forced], barred=[barred])
        allowed = edge_array(scores, [forced], [barred])
        assert (
            found.score
            == best_listed(allowed, siblings, "gap-minding", True)
            == worth(found.heads, allowed, siblings)
        )


@pytest.mark.parametrize("after", [0, 0.05, 0.3])
def test_what_is_interrupted_gives_nothing(after: float) -> None:
    n = scaled(40, 8)
    scores = edge_array(planted_scores(Random(5), n, 8))
    heads = interrupted_after(after, partial(sibling_heads, scores, np.zeros((n + 1,) * 3), True))
    assert heads is None or after


def test_what_was_interrupted_is_decoded_by_the_next_call() -> None:
    decoder, interrupt = GapMindingSiblingDecoder(True), Interrupt()
    interrupt.set()
    for n in (7, 5, 9):
        scores, siblings = edge_array(planted_scores(Random(n), n, 3)), triple_scores(Random(n), n)
        assert decoder.decode(scores, siblings, interrupt) is None
        found = finished(decoder.decode(scores, siblings, Interrupt()))
        assert found == finished(sibling_heads(scores, siblings, True, Interrupt()))


def test_wrong_scores_of_siblings_are_told_in_a_sentence() -> None:
    scores = np.zeros((4, 4))
    with pytest.raises(InputError, match="the scores of siblings have shape"):
        best_gap_minding_sibling_tree(scores, np.zeros((4, 4)))
    wrong = np.zeros((4, 4, 4))
    wrong[2, 1, 3] = np.nan
    with pytest.raises(InputError, match=r"the score of siblings at \(2, 1, 3\) is nan"):
        best_gap_minding_sibling_tree(scores, wrong)
    assert best_gap_minding_sibling_tree([[0.0]], np.zeros((1, 1, 1))) == ([], 0.0)
    with pytest.raises(InputError, match="word 3 has no edge that may be"):
        best_gap_minding_sibling_tree(scores, np.zeros((4,) * 3), barred=[(0, 3), (1, 3), (2, 3)])
    with pytest.raises(InputError, match="100 words need"):
        best_gap_minding_sibling_tree(np.zeros((101, 101)), np.zeros((101,) * 3))
