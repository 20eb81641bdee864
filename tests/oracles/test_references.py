from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import cases, each, each_seed
from judges import (
    all_forests,
    all_projective_trees,
    crossed,
    random_forest,
    scaled,
)

from treewhile.oracles import (
    Configuration,
    InputError,
    OptimalStepTracker,
    count_projectivizations,
    is_projective,
    lift,
    optimal_steps,
    projectivize,
)
from treewhile.oracles.references import (
    EdgeScores,
    Reference,
    as_edge_scores,
    as_heads,
    as_heads_or_scores,
    as_reference,
)


@each("n", range(scaled(6, 5)))
def test_a_forest_is_projective_where_some_projective_tree_has_all_its_edges(n: int) -> None:
    projective = {
        tuple(None if word in unknown else head for word, head in enumerate(tree))
        for tree in all_projective_trees(n)
        for size in range(n + 1)
        for unknown in combinations(range(n), size)
    }
    for heads in all_forests(n):
        assert is_projective(heads) == (heads in projective), heads


def test_what_was_checked_says_roots_and_unknown_heads_and_is_taken_as_it_is() -> None:
    reference = as_reference([None, 0, 2, 0, None])
    assert (reference.n, reference.roots, reference.unknown, reference.is_projective) == (5, 2, 2, True)
    assert as_reference(reference) is reference
    assert as_heads(reference.heads) == [None, 0, 2, 0, None]
    assert projectivize(reference, single_root=False) == projectivize(
        [None, 0, 2, 0, None], single_root=False
    )


@each_seed(cases(3))
def test_heads_may_come_in_any_sequence_of_whole_numbers(seed: int) -> None:
    rng = Random(seed)
    heads = [head or 0 for head in crossed(rng, random_forest(rng, 9), 2)]
    expected = as_reference(heads)
    kinds: list[Any] = [tuple(heads), range(1) if heads == [0] else heads, [*map(np.int32, heads)]]
    kinds += [np.array(heads, dtype=dtype) for dtype in (np.int8, np.int32, np.int64, np.uint16, object)]
    for kind in kinds:
        found = as_reference(kind)
        assert found[1:] == expected[1:], (seed, kind)
        assert np.array_equal(found.heads, expected.heads), (seed, kind)


def test_a_reference_does_not_change_with_the_array_that_it_was_made_from() -> None:
    given = np.array([0, 1, 2])
    reference = as_reference(given)
    given[2] = 0
    assert as_heads(reference.heads) == [0, 1, 2]


LONG_CYCLE = [*range(2, 501), 1]

BAD_HEADS: list[tuple[Any, str]] = [
    ([1], "word 1 is its own head"),
    ([0, None, 3], "word 3 is its own head"),
    ([2, 1], r"circle: [12] <- [12] <- [12]; "),
    ([0, 3, 4, 2, None], r"circle: ([234]) <- [234] <- [234] <- \1; "),
    ([None, *(head + 1 for head in LONG_CYCLE)], r"circle: (\d+) <- .* <- \.\.\. <- .* <- \1; "),
    ([0, 3], "head of word 2 is 3, but heads run from 0 .* to 2"),
    ([0, None, 4], "head of word 3 is 4, but heads run from 0 .* to 3"),
    ([0, -1], "head of word 2 is -1"),
    ([None, -1], "head of word 2 is -1"),
    ([0, -7], "head of word 2 is -7"),
    ([0, 2**31], f"head of word 2 is {2**31}"),
    ([0, 2**32 + 1], f"head of word 2 is {2**32 + 1}"),
    ([None, 2**40], f"head of word 2 is {2**40}"),
    ([0, 2**40], f"head of word 2 is {2**40}"),
    ([0, -(2**40)], f"head of word 2 is {-(2**40)}"),
    ([0, 2**80], f"head of word 2 is {2**80}"),
    ([None, True], "head of word 2 is True"),
    ([True, True], "head of word 1 is True"),
    ([0, 1.0], "head of word 1 is 0|head of word 2 is 1.0"),
    ([None, 0.5], "head of word 2 is 0.5"),
    ([None, float("nan")], "head of word 2 is nan"),
    (["0", "1"], "head of word 1 is '0'"),
    ("012", "head of word 1 is '0'"),
    ([None, "x" * 1000], "head of word 2 is 'x{10,40}"),
    ([None, [0]], r"head of word 2 is \[0\]"),
    (np.array([0, 3]), "head of word 2 is 3"),
    (np.array([0, -1], dtype=np.int8), "head of word 2 is -1"),
    (np.array([0, 2**40]), f"head of word 2 is {2**40}"),
    (np.array([0, 2**63], dtype=np.uint64), f"head of word 2 is {2**63}"),
    (np.array([0.0, 1.0]), "head of word 1 is .*0.0"),
]


@pytest.mark.parametrize(("heads", "complaint"), BAD_HEADS, ids=[f"{heads!r:.30}" for heads, _ in BAD_HEADS])
def test_bad_heads_are_refused_by_word_wherever_heads_can_be_given(heads: Any, complaint: str) -> None:
    tracker = OptimalStepTracker([0] * len(heads))
    takers: list[Callable[[Any], object]] = [
        is_projective,
        projectivize,
        count_projectivizations,
        lift,
        lambda heads: optimal_steps(Configuration.initial(len(heads)), heads),
        OptimalStepTracker,
        tracker.set_heads,
    ]
    for take in takers:
        with pytest.raises(InputError, match=complaint) as caught:
            take(heads)
        assert len(str(caught.value)) < 250
    assert tracker.scores() == OptimalStepTracker([0] * len(heads)).scores()


@pytest.mark.parametrize("scores", [np.array([[0, 1], [0, 1]]), [[0, 1], [0, 1]]])
def test_scores_are_refused_where_a_tree_is_needed(scores: Any) -> None:
    for take in (is_projective, projectivize, count_projectivizations, lift):
        with pytest.raises(InputError, match="the head of word 1 is "):
            take(scores)


def test_heads_have_one_axis_and_scores_two() -> None:
    for heads in ([], [0], np.array([0]), as_reference([0])):
        assert isinstance(as_heads_or_scores(heads), Reference)
    for scores in ([[0]], ((0, 1), (0, 0)), [np.zeros(2)] * 2, np.eye(2), as_edge_scores(np.eye(2))):
        assert isinstance(as_heads_or_scores(scores), EdgeScores)
    given = np.ones((2, 2))
    assert as_edge_scores(given).n == 1
    assert (given == 1).all()


def test_every_head_vector_with_a_cycle_is_refused_by_a_way_round_it() -> None:
    for given in [(2, 1), (2, 3, 1), (2, 3, 2), (3, 3, 4, 3), (None, 3, 2, 2), (2, 1, 4, 3), (0, 5, 2, 1, 3)]:
        with pytest.raises(InputError, match="circle: ") as caught:
            is_projective(given)
        around = [int(word) for word in str(caught.value).split(": ")[1].split(";")[0].split(" <- ")]
        assert_goes_round(given, around)


def assert_goes_round(heads: Sequence[int | None], around: list[int]) -> None:
    assert around[0] == around[-1]
    assert len(around) - 1 == len(set(around))
    assert [heads[word - 1] for word in around[:-1]] == around[1:]


def test_masked_numbers_are_unknown_heads() -> None:
    masked = np.ma.MaskedArray([2, 0], mask=[True, False])
    assert as_heads(as_reference(masked).heads) == [None, 0]
