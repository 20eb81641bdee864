from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random

import numpy as np
import pytest
from cases import cases, each, each_seed
from edge_scores import random_floats
from judges import has_cycle, scaled
from tree_decoders import either_number_of_roots

from treewhile.oracles import InputError, best_tree


def circles_within_circles(levels: int, margin: float) -> np.ndarray:
    """Scores by which words pair up, then pairs, then pairs of pairs; the root is far off."""
    n = 2**levels
    words = np.arange(n)
    apart = [int(a ^ b).bit_length() for a in words for b in words]
    scores = np.full((n + 1, n + 1), -1000.0)
    scores[1:, 1:] = -margin * np.array(apart).reshape(n, n)
    return scores


@either_number_of_roots
@each("levels", range(1, scaled(6, 4)))
def test_circles_of_circles_are_opened_again(levels: int, single_root: bool) -> None:
    scores = circles_within_circles(levels, 4)
    found = best_tree(scores, "any", single_root)
    assert not has_cycle(found.heads)
    assert found.heads.count(0) == 1
    expected = sum(-4 * level * 2 ** (levels - level) for level in range(1, levels + 1)) - 1000
    assert found.score == expected


@each_seed(cases(scaled(20, 5)))
def test_one_root_loses_no_digits_where_the_root_is_far_better_or_worse(seed: int) -> None:
    rng = Random(seed)
    scores = np.array(random_floats(rng, scaled(9, 6)))
    usual = best_tree(scores, "any")
    for shift in (2.0**40, -(2.0**40)):
        moved = scores.copy()
        moved[0] += shift
        roots = moved[0] - shift  # as they are after rounding
        scores[0] = roots
        assert best_tree(moved, "any").heads == best_tree(scores, "any").heads, seed
    assert usual.heads.count(0) == 1


def test_the_same_scores_give_the_same_tree_and_ties_go_to_the_first_heads() -> None:
    assert best_tree(np.zeros((5, 5)), "any", single_root=False).heads == [0, 0, 0, 0]
    assert best_tree([[0, 0, 0], [0, 0, 5], [0, 0, 0]], "any").heads == [0, 1]


def only_edges(n: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    scores = np.full((n + 1, n + 1), -inf)
    for edge in edges:
        scores[edge] = 1
    return scores


@each(
    "scores, single_root, complaint",
    [
        (np.zeros((2, 3)), True, "shape"),
        (np.zeros(3), True, "shape"),
        ([[0, float("nan")], [0, 0]], True, "row 0, column 1"),
        (np.zeros((0, 0)), True, "shape"),
        (only_edges(2, [(0, 1)]), False, "word 2 has no edge"),
        (only_edges(2, [(0, 1), (0, 2)]), True, "no tree"),
        (only_edges(3, [(0, 1), (2, 3), (3, 2)]), False, "no tree"),
    ],
)
def test_bad_scores_are_refused_in_one_sentence(scores: object, single_root: bool, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        best_tree(scores, "any", single_root)  # type: ignore[arg-type]
