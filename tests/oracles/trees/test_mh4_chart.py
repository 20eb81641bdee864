"""After any edits the best tree is that of starting afresh, and no more is filled than the edits touch."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from judges import scaled
from reach import Reached
from tree_decoders import either_number_of_roots, finished

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import mh4_decoding
from treewhile.oracles.trees.best_trees import EdgeArray, edge_array
from treewhile.oracles.trees.mh4_chart import Mh4Chart


def afresh(scores: EdgeArray, single_root: bool = True) -> list[int]:
    return finished(mh4_decoding.decode(scores, single_root, Interrupt()))


def kept(chart: Mh4Chart, scores: EdgeArray, single_root: bool = True) -> list[int]:
    return finished(chart.best_heads(scores, single_root, Interrupt()))


def drawn(rng: Random, n: int) -> EdgeArray:
    """Small integers, so that many trees tie: that the same one is found says that all items are the same."""
    return edge_array([[float(rng.randrange(-2, 3)) for _ in range(n + 1)] for _ in range(n + 1)])


def items(n: int) -> int:
    """How many items over i..j there are: two places for the root, one for each word, one behind them."""
    return (n + 3) * (n + 2) // 2 - 1


def edits(rng: Random, longest: int) -> Iterator[EdgeArray]:
    """Scores after one edit and another: words come and go, also in the middle, and scores change."""
    scores = drawn(rng, longest // 2)
    for _ in range(scaled(25, 8)):
        yield scores.copy()
        n = len(scores) - 1
        kind = rng.choice(["append", "append", "cut", "insert", "delete", "word", "edge", "nothing"])
        at = rng.randrange(1, n + 1)
        if kind in ("append", "insert") and n < longest:
            place = at if kind == "insert" else n + 1
            other = drawn(rng, n + 1)
            old = np.delete(np.arange(n + 2), place)
            other[np.ix_(old, old)] = scores
            scores = other
        elif kind == "cut" and n > 2:
            scores = scores[:-1, :-1]
        elif kind == "delete" and n > 2:
            scores = np.delete(np.delete(scores, at, 0), at, 1)
        elif kind == "word":
            other = drawn(rng, n)
            scores[:, at], scores[at] = other[:, at], other[at]
        elif kind == "edge":
            head = rng.choice([head for head in range(n + 1) if head != at])
            scores[head, at] = rng.choice([-np.inf, 0.0, 3.0]) if n > 1 else 1.0


@either_number_of_roots
@pytest.mark.reaches(0.3)
@each_seed(cases(scaled(12, 3)))
def test_after_any_edits_the_tree_is_that_of_starting_afresh(
    seed: int, single_root: bool, reached: Reached
) -> None:
    chart = Mh4Chart()
    for step, scores in enumerate(edits(Random(seed), scaled(22, 9))):
        assert kept(chart, scores, single_root) == afresh(scores, single_root), (seed, step)
        reached(chart.items_filled < 0.7 * items(len(scores) - 1))


def test_one_more_word_fills_the_columns_of_the_word_and_of_the_end() -> None:
    scores = drawn(Random(1), 30)
    chart = Mh4Chart()
    for n in range(10, 31):
        heads = kept(chart, scores[: n + 1, : n + 1])
        assert heads == afresh(scores[: n + 1, : n + 1])
        if n > 10:
            assert chart.items_filled == n + (n + 2)  # the word and its neighbour are an item that stands
    assert chart.items_filled < 0.13 * items(30)


def test_scores_that_stand_fill_nothing() -> None:
    scores = drawn(Random(2), 12)
    chart = Mh4Chart()
    kept(chart, scores)
    assert chart.items_filled == items(12)
    assert kept(chart, scores) == afresh(scores)
    assert chart.items_filled == 0


@pytest.mark.parametrize(("head", "word", "i", "j"), [(3, 7, 3, 8), (7, 3, 2, 7), (0, 5, 0, 6)])
def test_a_changed_score_fills_no_more_than_what_holds_its_edge(head: int, word: int, i: int, j: int) -> None:
    """Items from i or before, to j or behind: from places 0 to i + 1, and the root has two of them."""
    n = 12
    scores = drawn(Random(3), n)
    chart = Mh4Chart()
    kept(chart, scores)
    scores[head, word] += 5
    assert kept(chart, scores) == afresh(scores)
    assert chart.items_filled == (i + 2 if i else 1) * (n + 2 - j)


def test_a_word_that_is_taken_back_leads_back_to_the_tree_before() -> None:
    scores = drawn(Random(4), 14)
    chart = Mh4Chart()
    before = kept(chart, scores[:-1, :-1])
    kept(chart, scores)
    assert kept(chart, scores[:-1, :-1]) == before


def test_what_was_interrupted_is_filled_by_the_next_call() -> None:
    scores = drawn(Random(5), 14)
    chart, interrupt = Mh4Chart(), Interrupt()
    kept(chart, scores[:10, :10])
    interrupt.set()
    assert chart.best_heads(scores, True, interrupt) is None
    assert kept(chart, scores) == afresh(scores)


def test_single_precision_is_kept_too() -> None:
    scores, chart = drawn(Random(6), scaled(20, 8)).astype(np.float32), Mh4Chart()
    for n in range(3, len(scores)):
        part = scores[: n + 1, : n + 1]
        assert kept(chart, part) == afresh(part)
        assert n == 3 or chart.items_filled == 2 * (n + 1)


def test_another_number_of_roots_or_another_precision_begins_anew() -> None:
    scores, chart = drawn(Random(7), 8), Mh4Chart()
    kept(chart, scores)
    assert kept(chart, scores, False) == afresh(scores, False)
    assert chart.items_filled == items(8)
    assert kept(chart, scores.astype(np.float32), False) == afresh(scores, False)
    assert chart.items_filled == items(8)
