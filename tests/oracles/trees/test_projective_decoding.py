from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each_seed
from edge_scores import random_floats
from every_tree import Tree, projection, trees_of
from judges import random_scores, scaled
from reach import Reached
from tree_decoders import either_number_of_roots, finished

from treewhile.oracles import best_tree
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import projective_decoding
from treewhile.oracles.trees.best_trees import edge_array
from treewhile.oracles.trees.projective_decoding import ProjectiveChart

# --- ties ---------------------------------------------------------------------------------------------------


def choices(heads: Tree, single_root: bool) -> list[int]:
    """What the tie rule compares, from the top down, as the module has it."""
    n = len(heads)
    if single_root:
        root = heads.index(0) + 1
        return [root, *_below(heads, root, 1, root), *_below(heads, root, root, n)]
    return _below(heads, 0, 0, n)


def _below(heads: Tree, head: int, i: int, j: int) -> list[int]:
    """Choices about the dependents of a head that stands at one end of what is below it on that side."""
    if i == j:
        return []
    on_side = [word for word in range(i, j + 1) if word != head and heads[word - 1] == head]
    outermost = min(on_side) if head == j else max(on_side)
    begin, end = (i, outermost) if head == j else (outermost, j)
    return [outermost, *_between(heads, head, outermost), *_below(heads, outermost, begin, end)]


def _between(heads: Tree, head: int, outermost: int) -> list[int]:
    i, j = sorted((head, outermost))
    inside = [word for word in projection(heads, outermost) if i <= word <= j]
    boundary = max(inside) if outermost == i else min(inside) - 1
    left, right = (outermost, head) if outermost == i else (head, outermost)
    return [boundary, *_below(heads, left, i, boundary), *_below(heads, right, boundary + 1, j)]


@either_number_of_roots
@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(100, 20)))
def test_of_equally_good_trees_the_choices_are_furthest_left(
    seed: int, single_root: bool, reached: Reached
) -> None:
    rng = Random(seed)
    n = rng.randrange(2, 6)
    scores = [[rng.randrange(2) for _ in range(n + 1)] for _ in range(n + 1)]
    trees = [tree for tree in trees_of("projective", n) if not single_root or tree.count(0) == 1]
    worth = {tree: sum(scores[head][word] for word, head in enumerate(tree, 1)) for tree in trees}
    tied = [tree for tree in trees if worth[tree] == max(worth.values())]
    expected = min(tied, key=lambda tree: choices(tree, single_root))
    assert best_tree(scores, "projective", single_root).heads == list(expected), (seed, tied)
    reached(len(tied) > 1)


# --- sentences that grow ------------------------------------------------------------------------------------


@pytest.mark.reaches(0.5)
@each_seed(cases(scaled(30, 6)))
def test_a_chart_that_is_kept_gives_what_starting_afresh_gives(seed: int, reached: Reached) -> None:
    rng = Random(seed)
    everything = np.array(random_scores(rng, scaled(20, 9)))
    np.fill_diagonal(everything, -inf)
    everything[:, 0] = -inf
    chart, n = ProjectiveChart(), 1
    for _ in range(scaled(40, 12)):
        n = max(1, min(len(everything) - 1, n + rng.choice([-1, 1, 1, 2])))
        changed = n + 1
        if rng.random() < 0.4:
            head, word = rng.randrange(n + 1), rng.randrange(1, n + 1)
            if head != word:
                everything[head, word] = rng.randrange(-8, 8)
                changed = max(head, word)
        scores = np.ascontiguousarray(everything[: n + 1, : n + 1])
        standing = chart.standing(scores)
        assert standing >= min(chart.filled, n + 1, changed), seed
        for single_root in (True, False):
            found = finished(chart.best_heads(scores, single_root, Interrupt()))
            assert found == finished(projective_decoding.decode(scores, single_root, Interrupt())), seed
        reached(standing > n / 2)


def test_one_more_word_leaves_all_columns_as_they_are() -> None:
    scores = edge_array(random_floats(Random(1), 12))
    chart = ProjectiveChart()
    for n in range(1, 12):
        given = np.ascontiguousarray(scores[: n + 1, : n + 1])
        assert chart.standing(given) == (n if n > 1 else 0)
        chart.best_heads(given, True, Interrupt())
    scores[3, 5] += 1
    assert chart.standing(scores) == 5
    scores[7, 2] += 1
    assert chart.standing(scores) == 5
    scores[0, 1] += 1
    assert chart.standing(scores) == 1


def test_another_precision_fills_the_chart_anew() -> None:
    scores = edge_array(random_scores(Random(3), 9))
    chart = ProjectiveChart()
    double = chart.best_heads(scores, True, Interrupt())
    assert chart.standing(scores.astype(np.float32)) == 0
    single = chart.best_heads(scores.astype(np.float32), True, Interrupt())
    assert double is not None
    assert single is not None
    assert single.tolist() == double.tolist()


# --- interrupted, and refused -------------------------------------------------------------------------------


def test_what_was_interrupted_gives_no_tree_and_goes_on_later() -> None:
    scores = edge_array(random_floats(Random(5), 10))
    chart, stop = ProjectiveChart(), Interrupt()
    stop.set()
    assert chart.best_heads(scores, True, stop) is None
    found = chart.best_heads(scores, True, Interrupt())
    assert found is not None
    assert found[1:].tolist() == best_tree(scores).heads
