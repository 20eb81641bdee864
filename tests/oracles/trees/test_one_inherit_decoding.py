"""All small 1-Inherit trees judge the recurrence and the chart."""

from __future__ import annotations

from math import inf
from random import Random
from threading import Timer

import numpy as np
import pytest
from every_tree import CLASSES, best_by_listing, trees_of
from judges import random_scores, scaled
from planted_trees import planted_scores
from reach import Reached

from treewhile.oracles import InputError, best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import one_inherit_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.one_inherit_decoding import OneInheritDecoder, best_by_definition

either_number_of_roots = pytest.mark.parametrize("single_root", [True, False], ids=["one root", "any roots"])


def drawn_scores(rng: Random, n: int) -> EdgeArray:
    """Scores of which some tie and some bar an edge, or which are any numbers."""
    if rng.random() < 0.7:
        return edge_array(random_scores(rng, n))
    return edge_array([[rng.gauss(0, 1) for _ in range(n + 1)] for _ in range(n + 1)])


@either_number_of_roots
@pytest.mark.reaches(0.6)
@pytest.mark.parametrize("seed", range(scaled(120, 15)))
def test_the_best_tree_is_the_best_of_all_that_are_listed(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(1, scaled(7, 5))
    scores = drawn_scores(rng, n)
    listed = best_by_listing(scores.tolist(), "1-inherit", single_root)
    reached(listed > -inf)
    if n < 6:
        assert best_by_definition(scores, single_root) == pytest.approx(listed), seed
    if listed == -inf:
        with pytest.raises(InputError):
            best_tree(scores, "1-inherit", single_root)
        return
    found = best_tree(scores, "1-inherit", single_root)
    assert found.score == pytest.approx(listed), seed
    assert CLASSES["1-inherit"](tuple(found.heads)), seed
    assert not single_root or found.heads.count(0) == 1


@pytest.mark.parametrize("n", range(1, scaled(6, 4)))
def test_every_tree_is_found_when_its_edges_are_the_best(n: int) -> None:
    for heads in trees_of("1-inherit", n):
        scores = np.zeros((n + 1, n + 1))
        scores[heads, np.arange(1, n + 1)] = 1
        assert best_tree(scores, "1-inherit", single_root=False).heads == [*heads]
        if heads.count(0) == 1:
            assert best_tree(scores, "1-inherit").heads == [*heads]


def test_a_tree_whose_head_passes_its_gap_to_two_children_is_not_found() -> None:
    n = scaled(6, 4)
    others = {*trees_of(scaled("mild", "any"), n)} - {*trees_of("1-inherit", n)}
    assert len(others) == scaled(48, 4)
    for heads in others:
        scores = np.zeros((n + 1, n + 1))
        scores[heads, np.arange(1, n + 1)] = 1
        assert best_tree(scores, "1-inherit", single_root=False).score < n


@either_number_of_roots
@pytest.mark.parametrize("seed", range(scaled(4, 1)))
def test_longer_sentences_are_decoded_as_the_definition_says(seed: int, single_root: bool) -> None:
    rng, n = Random(seed), scaled(9, 5)
    scores = edge_array([[rng.gauss(0, 1) for _ in range(n + 1)] for _ in range(n + 1)])
    found = best_tree(scores, "1-inherit", single_root)
    assert found.score == pytest.approx(best_by_definition(scores, single_root)), seed


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("seed", range(scaled(40, 6)))
def test_gap_minding_trees_are_never_better_and_as_good_where_the_best_is_one(
    seed: int, reached: Reached
) -> None:
    rng, n = Random(seed), scaled(6, 5)
    scores = edge_array([[rng.gauss(0, 1) for _ in range(n + 1)] for _ in range(n + 1)])
    narrower, wider = (best_tree(scores, trees, single_root=False) for trees in ("gap-minding", "1-inherit"))
    assert wider.score >= narrower.score - 1e-9
    reached(CLASSES["gap-minding"](tuple(wider.heads)))
    if CLASSES["gap-minding"](tuple(wider.heads)):
        assert wider.score == pytest.approx(narrower.score)


def test_forced_edges_are_in_the_tree_and_barred_ones_are_not() -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        scores = [[float(rng.randrange(-3, 4)) for _ in range(6)] for _ in range(6)]
        forced = rng.choice([(2, 4), (5, 1), (0, 3)])
        barred = {(rng.randrange(1, 6), 2), (rng.randrange(2, 6), 1)} - {forced}
        tree = best_tree(scores, "1-inherit", forced=[forced], barred=barred)
        assert tree.heads[forced[1] - 1] == forced[0], seed
        assert not any(tree.heads[word - 1] == head for head, word in barred), seed
        listed = best_by_listing(edge_array(scores, [forced], barred).tolist(), "1-inherit", True)
        assert tree.score == listed


def test_the_same_scores_always_give_the_same_tree() -> None:
    scores = np.zeros((scaled(12, 6), scaled(12, 6)))
    assert best_tree(scores, "1-inherit") == best_tree(scores.copy(), "1-inherit")


@pytest.mark.parametrize("after", [0, 0.05, 0.3])
def test_what_is_interrupted_gives_nothing(after: float) -> None:
    scores = edge_array(planted_scores(Random(5), scaled(60, 9), 8))
    interrupt = Interrupt()
    timer = Timer(after, interrupt.set)
    timer.start()
    if not after:
        timer.join()
    heads = one_inherit_decoding.decode(scores, True, interrupt)
    timer.join()
    assert heads is None or after


def test_single_precision_gives_the_same_tree_where_sums_are_exact() -> None:
    for seed in range(scaled(10, 2)):
        scores = edge_array(planted_scores(Random(seed), scaled(15, 7), 5, integers=True))
        single = one_inherit_decoding.decode(scores.astype(np.float32), True, Interrupt())  # type: ignore[arg-type]
        double = one_inherit_decoding.decode(scores, True, Interrupt())
        assert single is not None
        assert double is not None
        assert single.tolist() == double.tolist(), seed


# --- sentences that grow ------------------------------------------------------------------------------------


def decoded(scores: EdgeArray, single_root: bool) -> list[int]:
    heads = one_inherit_decoding.decode(scores, single_root, Interrupt())
    assert heads is not None
    return heads.tolist()


@either_number_of_roots
def test_a_sentence_that_grows_is_decoded_as_from_scratch_and_keeps_all_words(single_root: bool) -> None:
    n = scaled(16, 7)
    scores = edge_array(planted_scores(Random(1), n, 4, integers=True))
    decoder = OneInheritDecoder(single_root)
    for size in range(1, n + 1):
        part = scores[: size + 1, : size + 1]
        heads = decoder.decode(part, Interrupt())
        assert heads is not None
        assert heads.tolist() == decoded(part, single_root)
        assert decoder.kept == size - 1


@either_number_of_roots
@pytest.mark.reaches(0.5)
@pytest.mark.parametrize("seed", range(scaled(20, 4)))
def test_any_changes_give_what_starting_afresh_gives(seed: int, single_root: bool, reached: Reached) -> None:
    rng = Random(seed)
    n = scaled(11, 6)
    whole = edge_array(random_scores(rng, n))
    decoder, size, kept = OneInheritDecoder(single_root), n, 0
    for _ in range(12):
        size = max(1, min(n, size + rng.randrange(-2, 3)))
        head, word = rng.randrange(n + 1), rng.randrange(1, n + 1)
        if rng.random() < 0.5 and head != word:
            whole[head, word] = rng.choice([-inf, 0, 1, 2])
        part = whole[: size + 1, : size + 1]
        heads = decoder.decode(part, Interrupt())
        assert heads is not None
        assert heads.tolist() == decoded(part, single_root), seed
        kept += decoder.kept
    reached(kept > 3 * n)


@either_number_of_roots
def test_a_sentence_may_lose_all_its_words(single_root: bool) -> None:
    decoder = OneInheritDecoder(single_root)
    for size in (4, 1, 3):
        heads = decoder.decode(edge_array(np.zeros((size, size))), Interrupt())
        assert heads is not None
        assert heads.tolist() == decoded(edge_array(np.zeros((size, size))), single_root)


def test_what_was_interrupted_goes_on_later() -> None:
    scores, interrupt = edge_array(planted_scores(Random(7), scaled(12, 7), 4)), Interrupt()
    decoder = OneInheritDecoder(True)
    decoder.decode(scores[:7, :7], Interrupt())
    interrupt.set()
    assert decoder.decode(scores, interrupt) is None
    heads = decoder.decode(scores, Interrupt())
    assert heads is not None
    assert heads.tolist() == decoded(scores, True)
    assert decoder.kept == 6
