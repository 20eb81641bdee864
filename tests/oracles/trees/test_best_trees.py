"""The best tree of each class: all small trees judge it, and so does the definition of its decoder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from math import inf
from random import Random
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pytest
from cases import WHOLE, cases, each
from definitions import (
    crossing_regions,
    four_heads,
    gap_minding_charts,
    one_inherit_decoding,
    projective_decoding,
    spanning_decoding,
)
from edge_scores import exact_or_float
from every_tree import best_by_listing, trees_of
from judges import scaled
from planted_trees import planted_scores
from reach import Reached
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
from treewhile.oracles.trees.best_trees import EdgeArray, decode_edges, decoder_of, edge_array
from treewhile.oracles.trees.class_names import DECODERS
from treewhile.oracles.trees.four_heads import sentence_places
from treewhile.oracles.trees.gap_minding_decoding import states_of
from treewhile.oracles.trees.kernels.four_heads import ROOT

in_each_class = pytest.mark.parametrize("trees", DECODERS)


class Judged(NamedTuple):
    """How a decoder is judged: by its definition, of sentences whose trees are listed and of longer ones."""

    define: Callable[[EdgeArray, bool], float]
    listed: int  # words of the longest sentence all of whose trees are listed
    longer: int  # words of those that are too long for that
    seeds: int  # how many of these


def mh4(scores: EdgeArray, single_root: bool) -> float:
    return four_heads.best_by_definition(sentence_places(scores, single_root), ROOT)[0]


def one_endpoint_crossing(scores: EdgeArray, single_root: bool) -> float:
    """Defined of trees with one root alone."""
    if not single_root:
        return score_in_class(scores, "1-endpoint-crossing", single_root)
    root_edges, score, _ = crossing_regions.best_by_definition(scores)
    return score if root_edges == -1 else -inf


def gap_minding(scores: EdgeArray, single_root: bool) -> float:
    return gap_minding_charts.best_by_definition(states_of(scores), single_root)


JUDGED = {
    "projective": Judged(projective_decoding.best_score_by_definition, 5, 24, 40),
    "any": Judged(spanning_decoding.best_score_by_definition, 6, 24, 40),
    "mh4": Judged(mh4, 5, 9, 6),
    "gap-minding": Judged(gap_minding, 6, 10, 8),
    "1-inherit": Judged(one_inherit_decoding.best_by_definition, 6, 9, 4),
    "1-endpoint-crossing": Judged(one_endpoint_crossing, 5, 8, 4),
}


def test_every_class_is_judged() -> None:
    assert {*JUDGED} == {*DECODERS}


@in_each_class
@either_number_of_roots
@pytest.mark.reaches(0.5)
def test_the_best_tree_is_the_best_of_all_that_are_listed(
    trees: str, single_root: bool, reached: Reached
) -> None:
    judged = JUDGED[trees]
    longest = min(judged.listed, scaled(6 if WHOLE else 5, 4))
    for n, seed in product(range(1, longest + 1), cases(scaled(60, 5))):
        scores = edge_array(exact_or_float(Random(seed), n))
        listed = best_by_listing(scores.tolist(), trees, single_root)
        assert score_in_class(scores, trees, single_root) == pytest.approx(listed), (n, seed)
        if seed < 12 and n < 5:
            assert judged.define(scores, single_root) == pytest.approx(listed), (n, seed)
        reached(listed > -inf)


@in_each_class
@either_number_of_roots
def test_larger_trees_are_those_of_the_definition(trees: str, single_root: bool) -> None:
    judged = JUDGED[trees]
    for seed in cases(scaled(judged.seeds, 2)):
        scores = edge_array(exact_or_float(Random(seed), min(judged.longer, scaled(24, 5))))
        found = score_in_class(scores, trees, single_root)
        assert found == pytest.approx(judged.define(scores, single_root)), seed


@in_each_class
def test_every_tree_is_found_when_its_edges_are_the_best(trees: str) -> None:
    for n in range(1, scaled(6, 4)):
        check_every_tree_is_found(trees, n)


@pytest.mark.slow
@in_each_class
def test_no_tree_of_another_class_is_found(trees: str) -> None:
    n = scaled(5, 4)
    for heads in {*trees_of("any", n)} - {*trees_of(trees, n)}:
        assert best_tree(scores_of_tree(heads), trees, single_root=False).score < n, heads


@in_each_class
def test_forced_edges_are_in_the_tree_and_barred_ones_are_not(trees: str) -> None:
    for seed in cases(scaled(40, 8)):
        check_fixed_edges(seed, trees)


@in_each_class
def test_single_precision_gives_the_same_tree_where_sums_are_exact(trees: str) -> None:
    for seed in cases(scaled(20, 2)):
        scores = edge_array(planted_scores(Random(seed), scaled(15, 7), 5, integers=True))
        check_single_precision(decoder_of(trees).decode, scores, seed)


@in_each_class
def test_the_same_scores_always_give_the_same_tree(trees: str) -> None:
    scores = np.zeros((scaled(12, 6), scaled(12, 6)))
    assert best_tree(scores, trees) == best_tree(scores.copy(), trees)


@in_each_class
def test_one_root_costs_no_precision(trees: str) -> None:
    """Scores differ in their last digits, which a penalty for further roots would have swallowed."""
    scores = np.zeros((4, 4))
    scores[0, 1:] = 1e15
    scores[2, 1], scores[2, 3], scores[1, 3] = 0.25, 0.25, 0.125
    assert best_tree(scores, trees).heads == [2, 0, 2]


@in_each_class
def test_what_was_interrupted_gives_nothing(trees: str) -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert decoder_of(trees).decode(np.zeros((8, 8)), True, interrupt) is None


@pytest.mark.skipif(scaled(False, True), reason="uncompiled, it would take hours")
@each("trees, n", [("projective", 2500), ("mh4", 260), ("1-endpoint-crossing", 100)])
def test_what_runs_is_interrupted_from_another_thread(trees: str, n: int) -> None:
    scores, decode = np.zeros((n + 1, n + 1)), decoder_of(trees).decode
    decode(scores[:5, :5].copy(), True, Interrupt())  # compiled
    started = perf_counter()
    assert interrupted_after(0.02, partial(decode, scores, True)) is None
    assert perf_counter() - started > 0.01


@each(
    "trees, n, gigabytes",
    [
        ("projective", 8000, r"[\d.]+"),
        ("any", 19_999, r"[\d.]+"),
        ("mh4", 2000, r"59\.\d"),
        ("gap-minding", 2000, r"[\d,.]+"),
        ("1-inherit", 2000, r"[\d,.]+"),
        ("1-endpoint-crossing", 2000, r"4,1\d\d\.\d"),
    ],
)
def test_what_would_take_gigabytes_is_refused_with_the_number(trees: str, n: int, gigabytes: str) -> None:
    with pytest.raises(InputError, match=f"{n} words need {gigabytes} GiB for {trees} trees"):
        decode_edges(np.broadcast_to(0.0, (n + 1, n + 1)), trees, True, Interrupt())


@in_each_class
def test_no_words_have_an_empty_tree_and_what_cannot_be_a_tree_is_told(trees: str) -> None:
    assert best_tree([[0.0]], trees) == ([], 0.0)
    scores = np.zeros((4, 4))
    scores[:, 2] = -inf
    with pytest.raises(InputError, match="word 2 has no edge that may be"):
        best_tree(scores, trees)
    scores[:] = -inf
    scores[[2, 1, 2], [1, 2, 3]] = 0
    with pytest.raises(InputError, match=f"no tree of the class {trees} is left"):
        best_tree(scores, trees)
