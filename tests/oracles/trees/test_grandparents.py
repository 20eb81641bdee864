"""All small gap-minding trees judge the one that is best with scores of grandparents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from definitions.gap_minding_charts import best_by_definition
from every_tree import CLASSES, trees_of
from judges import random_scores, scaled
from planted_trees import planted_scores
from reach import Reached
from sibling_scores import triple_scores
from tree_decoders import either_number_of_roots, finished, interrupted_after

from treewhile.oracles import InputError, best_tree, best_tree_with_grandparents
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.grandparents import (
    GrandparentArray,
    GrandparentDecoder,
    at_possible_heads,
    possible_heads,
    states_of,
)


def check_as_afresh(
    decoder: GrandparentDecoder, scores: EdgeArray, grandparents: GrandparentArray, single_root: bool = True
) -> None:
    afresh = finished(GrandparentDecoder(single_root).decode(scores, grandparents, Interrupt()))
    assert finished(decoder.decode(scores, grandparents, Interrupt())) == afresh


def worth(heads: Sequence[int], scores: EdgeArray, grandparents: GrandparentArray) -> float:
    """By definition."""
    total = 0.0
    for word, head in enumerate(heads, 1):
        total += scores[head, word] + (grandparents[heads[head - 1], head, word] if head else 0)
    return total


def best_listed(
    scores: EdgeArray, grandparents: GrandparentArray, single_root: bool, trees: str = "gap-minding"
) -> float:
    found = (heads for heads in trees_of(trees, len(scores) - 1) if not single_root or heads.count(0) == 1)
    return max((worth(heads, scores, grandparents) for heads in found), default=-inf)


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(100, 12)))
def test_the_best_tree_is_the_best_of_all_that_are_listed(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(1, scaled(6, 5))
    scores, dense = edge_array(random_scores(rng, n)), triple_scores(rng, n)
    sparse = at_possible_heads(dense, possible_heads(scores))
    listed = best_listed(scores, dense, single_root)
    assert best_by_definition(states_of(scores, sparse), single_root) == pytest.approx(listed), seed
    reached(listed > -inf)
    if listed == -inf:
        with pytest.raises(InputError):
            best_tree_with_grandparents(scores, sparse, single_root)
        return
    found = best_tree_with_grandparents(scores, sparse, single_root)
    assert found.score == pytest.approx(listed), seed
    assert found.score == pytest.approx(worth(found.heads, scores, dense)), seed
    assert CLASSES["gap-minding"](tuple(found.heads))
    assert not single_root or found.heads.count(0) == 1


@either_number_of_roots
def test_without_scores_of_grandparents_it_is_the_best_tree_by_its_edges(single_root: bool) -> None:
    for seed in range(scaled(20, 3)):
        n = scaled(16, 7)
        scores = edge_array(planted_scores(Random(seed), n, 4, integers=True))
        found = best_tree_with_grandparents(scores, np.zeros((n + 1, 5, 5)), False)
        assert found == best_tree(scores, "gap-minding", False), seed


def test_forced_and_barred_edges_leave_the_places_of_heads_as_they_are() -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        scores = edge_array([[float(rng.randrange(-3, 4)) for _ in range(5)] for _ in range(5)])
        dense = np.random.default_rng(seed).integers(-4, 5, (5, 5, 5)).astype(float)
        forced, barred = rng.choice([(2, 4), (4, 1), (0, 3)]), (rng.randrange(1, 5), 2)
        sparse = at_possible_heads(dense, possible_heads(scores))
        found = best_tree_with_grandparents(scores, sparse, forced=[forced], barred={barred} - {(2, 2)})
        allowed = edge_array(scores, [forced], [barred])
        assert found.score == best_listed(allowed, dense, True) == worth(found.heads, allowed, dense), seed


@either_number_of_roots
def test_a_sentence_that_grows_is_decoded_as_from_scratch_and_keeps_all_words(single_root: bool) -> None:
    n = scaled(16, 7)
    scores = edge_array(planted_scores(Random(2), n, 4, integers=True))
    dense = np.random.default_rng(2).integers(-4, 5, (n + 1,) * 3).astype(float)
    decoder = GrandparentDecoder(single_root)
    for size in range(1, n + 1):
        part = scores[: size + 1, : size + 1]
        sparse = at_possible_heads(dense, possible_heads(part))
        check_as_afresh(decoder, part, sparse, single_root)
        assert decoder.kept == size - 1


@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(20, 5)))
def test_any_changes_give_what_starting_afresh_gives(seed: int, reached: Reached) -> None:
    rng = Random(seed)
    n = scaled(9, 6)
    whole, dense = edge_array(random_scores(rng, n)), triple_scores(rng, n)
    decoder, size, kept = GrandparentDecoder(True), n, 0
    for _ in range(10):
        size = max(1, min(n, size + rng.randrange(-1, 3)))
        dense[tuple(rng.randrange(n + 1) for _ in range(3))] = rng.choice([-inf, 0, 1])
        head, word = rng.randrange(n + 1), rng.randrange(1, n + 1)
        if rng.random() < 0.3 and head != word:
            whole[head, word] = rng.choice([-inf, 0, 1, 2])
        part = whole[: size + 1, : size + 1]
        sparse = at_possible_heads(dense, possible_heads(part))
        check_as_afresh(decoder, part, sparse)
        kept += decoder.kept
    reached(kept > 2 * n)


@pytest.mark.parametrize("after", [0, 0.05, 0.3])
def test_what_is_interrupted_gives_nothing_and_goes_on_later(after: float) -> None:
    n = scaled(60, 9)
    scores = edge_array(planted_scores(Random(5), n, 8))
    sparse = np.random.default_rng(1).normal(size=(n + 1, 8, 8))
    decoder = GrandparentDecoder(True)
    heads = interrupted_after(after, partial(decoder.decode, scores, sparse))
    assert heads is None or after
    check_as_afresh(decoder, scores[:9, :9], sparse[:9])


def test_a_sentence_may_lose_all_its_words() -> None:
    decoder = GrandparentDecoder(True)
    for size in (4, 1, 3):
        scores = edge_array(np.zeros((size, size)))
        heads = decoder.decode(scores, np.zeros((size, size, size)), Interrupt())
        assert heads is not None
        assert heads.tolist()[1:] == best_tree_with_grandparents(scores, np.zeros((size,) * 3)).heads


def test_wrong_scores_of_grandparents_are_told_in_a_sentence() -> None:
    scores = np.zeros((4, 4))
    with pytest.raises(InputError, match="the scores of grandparents have shape"):
        best_tree_with_grandparents(scores, np.zeros((4, 2, 2)))
    wrong = np.zeros((4, 3, 3))
    wrong[2, 1, 0] = np.nan
    with pytest.raises(InputError, match="score of word 2 with head 1 and grandparent 0"):
        best_tree_with_grandparents(scores, wrong)
    assert best_tree_with_grandparents([[0.0]], np.zeros((1, 1, 1))) == ([], 0.0)
    with pytest.raises(InputError, match="word 3 has no edge that may be"):
        best_tree_with_grandparents(scores, np.zeros((4, 3, 3)), barred=[(0, 3), (1, 3), (2, 3)])
    with pytest.raises(InputError, match="300 words need"):
        best_tree_with_grandparents(np.zeros((301, 301)), np.zeros((301, 300, 300), np.int8))
