from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from edge_scores import random_floats
from judges import scaled
from reach import Reached
from tree_decoders import either_number_of_roots

from treewhile.oracles import InputError, best_tree, edge_marginals, pruned
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.marginals import pruned_edges


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(30, 6)))
def test_the_likely_heads_of_each_word_and_the_best_projective_tree_are_kept(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n, most, least = rng.randrange(2, scaled(30, 9)), rng.choice([1, 3, 10]), rng.choice([0, 0.001, 0.1])
    scores = edge_array(random_floats(rng, n, rng.choice([0, 0.1])))
    scores[0, 1:] = scores[1, 2:] = 0  # so that there is a projective tree
    chances, found = edge_marginals(scores, single_root), pruned(scores, most, least, single_root)
    tree = best_tree(scores, "projective", single_root)
    for word in range(1, n + 1):
        kept = np.flatnonzero(found[:, word] > -inf)
        likely = sorted(range(n + 1), key=lambda head, word=word: -chances[head, word])[:most]
        expected = {head for head in likely if chances[head, word] >= least and scores[head, word] > -inf}
        assert {*kept} == expected | {likely[0], tree.heads[word - 1]}, seed
        assert (found[kept, word] == scores[kept, word]).all()
    assert best_tree(found, "projective", single_root) == tree
    assert best_tree(found, "any", single_root).score >= tree.score - 1e-9
    reached((found[:, 1:] > -inf).sum() < (scores[:, 1:] > -inf).sum())


def test_where_no_tree_is_projective_the_best_of_all_trees_is_kept() -> None:
    forced = [(0, 1), (1, 3), (2, 4), (3, 2)]
    found = pruned(np.zeros((5, 5)), forced=forced)
    assert [(int(head), int(word)) for head, word in zip(*np.nonzero(found > -inf), strict=True)] == forced


def test_what_is_interrupted_prunes_nothing() -> None:
    stop = Interrupt()
    stop.set()
    assert pruned_edges(np.zeros((4, 4)), 10, 0.001, True, stop) is None


@pytest.mark.parametrize(("most", "least"), [(0, 0.1), (10, -0.1), (10, 1.5), (10, float("nan"))])
def test_a_bound_that_keeps_no_head_is_refused(most: int, least: float) -> None:
    with pytest.raises(InputError, match="chance between 0 and 1"):
        pruned(np.zeros((3, 3)), most, least)


def test_scores_without_a_tree_are_refused() -> None:
    with pytest.raises(InputError, match="under the root"):
        pruned([[0, -inf], [0, 0]])


def test_no_words_have_no_edges() -> None:
    assert pruned([[0]]).shape == (1, 1)
