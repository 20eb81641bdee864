"""Whole computations: judged step by step by the tracker, and by a search over every computation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import each
from judges import (
    STEPS,
    Draw,
    Forest,
    attainable_by_search,
    every_kind,
    every_root,
    every_strategy,
    random_forest,
    random_projective_forest,
    scaled,
)

from treewhile.oracles import (
    Computations,
    Configuration,
    InputError,
    OptimalStepBatch,
    OptimalStepTracker,
    optimal_computations,
    scores_along,
)


def forests(draw: Draw, longest: int, count: int) -> list[Forest]:
    return [draw(Random(seed), seed % (longest + 1)) for seed in range(count)]


def random_computation(rng: Random, n: int) -> list[int]:
    """The numbers of random legal steps, to the end."""
    tracker, steps = OptimalStepTracker([None] * n), []
    while legal := tracker.configuration.legal_steps():
        steps.append(STEPS.index(rng.choice(legal)))
        tracker.apply(steps[-1])
    return steps


def row_of(scores: Sequence[float | None]) -> list[float]:
    return [-1 if score is None else score for score in scores]


def agree_with_tracker(found: Computations, sentence: int, tracker: OptimalStepTracker) -> None:
    own = found.of(sentence)
    assert own.begin.tolist() == [0, len(own.steps)]
    for step, scores, legal in zip(
        *(part.tolist() for part in (own.steps, own.scores, own.legal)), strict=True
    ):
        assert scores == row_of(tracker.scores()), (sentence, tracker.configuration)
        assert legal == tracker.scores().legal_mask().tolist()
        tracker.apply(step)
    assert tracker.configuration.is_final


@every_strategy
@every_root
@every_kind
def test_scores_are_those_of_a_tracker_whatever_is_explored(
    draw: Draw, single_root: bool, strategy: str
) -> None:
    references = forests(draw, scaled(20, 7), scaled(60, 12))
    found = optimal_computations(references, strategy, single_root, exploration=0.2, seed=3)
    for sentence, heads in enumerate(references):
        agree_with_tracker(found, sentence, OptimalStepTracker(heads, strategy, single_root=single_root))


@every_strategy
@every_root
@every_kind
def test_scores_along_random_steps_are_what_some_computation_attains(
    draw: Draw, single_root: bool, strategy: str
) -> None:
    rng = Random(5)
    references = forests(draw, 5, scaled(18, 6))
    steps = [random_computation(rng, len(heads)) for heads in references]
    found = scores_along(references, steps, strategy, single_root)
    for sentence, heads in enumerate(references):
        configuration = Configuration.initial(len(heads))
        assert found.of(sentence).steps.tolist() == steps[sentence]
        for step, scores in zip(steps[sentence], found.of(sentence).scores.tolist(), strict=True):
            expected = attainable_by_search(configuration, heads, strategy, single_root)
            assert scores == row_of(expected), (sentence, configuration)
            configuration = configuration.apply(STEPS[step])


def test_of_several_optimal_steps_each_is_drawn_and_no_other() -> None:
    found = optimal_computations(forests(random_forest, 12, 80), seed=2)
    taken = np.take_along_axis(found.optimal, found.steps[:, None], axis=1)
    assert taken.all()
    drawn = Counter(
        (tuple(optimal), step)
        for optimal, step in zip(found.optimal.tolist(), found.steps.tolist(), strict=True)
        if sum(optimal) == 2
    )
    both = [drawn[(True, True, False), 0], drawn[(True, True, False), 1]]
    assert min(both) > 0.3 * sum(both) > 3


def test_exploration_is_the_share_of_steps_that_are_drawn_among_all_legal_ones() -> None:
    references = forests(random_projective_forest, 15, scaled(400, 60))
    shares = []
    for exploration in (0.0, 0.5, 1.0):
        found = optimal_computations(references, exploration=exploration)
        is_choice = found.legal.sum(axis=1) > found.optimal.sum(axis=1)
        taken = np.take_along_axis(found.optimal, found.steps[:, None], axis=1)[:, 0]
        shares.append(1 - taken[is_choice].mean())
    assert shares[0] == 0
    assert 0.15 < shares[1] < 0.35
    assert 0.35 < shares[2] < 0.65


def test_a_seed_gives_the_same_steps_again() -> None:
    references = forests(random_forest, 12, 40)
    one, same, other = (optimal_computations(references, seed=seed).steps for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_what_is_early_for_a_single_root_has_no_score_and_is_not_explored() -> None:
    found = optimal_computations([[0, 1]] * 40, single_root=True, exploration=1.0)
    assert {tuple(row) for row in found.of(0).legal[:2].tolist()} == {(True, False, False)}
    assert found.steps.reshape(40, 4)[:, :2].tolist() == [[0, 0]] * 40


def test_sentences_without_words_take_no_steps() -> None:
    found = optimal_computations([[], [0], []])
    assert found.begin.tolist() == [0, 0, 2, 2]
    assert found.of(0).steps.tolist() == found.of(2).steps.tolist() == []
    assert found.of(1).steps.tolist() == [0, 1]
    assert optimal_computations([]).begin.tolist() == [0]


def test_long_sentences_make_room_for_what_they_take() -> None:
    n = scaled(600, 40)
    references = [[n] * (n - 1) + [0], [0] + [1] * (n - 1), random_projective_forest(Random(2), n)]
    found = optimal_computations(references, exploration=0.3)
    for sentence, heads in enumerate(references):
        agree_with_tracker(found, sentence, OptimalStepTracker(heads))


def test_numbers_of_steps_may_be_of_any_integer_type() -> None:
    steps = np.array([0, 0, 1, 1], dtype=np.int8)
    assert scores_along([[0, 1]], [steps]).scores[:, 0].tolist() == [2, 2, -1, -1]


@each(
    "steps, complaint",
    [
        ([], "there are 2 references, but 0 computations"),
        ([[0, 1], [0, 1]], "the computation of sentence 1 has 2 steps, but its 2 words take 4"),
        ([[0, 1], [0, 2, 0, 1]], "step 1 of sentence 1 is 2, not legal there: steps are 0 shift"),
        ([[0, 0], [0, 0, 1, 1]], "step 1 of sentence 0 is 0, not legal there"),
        ([[0, 3], [0, 0, 1, 1]], "step 1 of sentence 0 is 3, not legal there"),
        ([[0, -1], [0, 0, 1, 1]], "step 1 of sentence 0 is -1, not legal there"),
        ([["shift", "reduce_left"], [0, 0, 1, 1]], "made of numbers of steps: 0 shift, 1 reduce_left"),
        ([[0.0, 1.0], [0, 0, 1, 1]], "made of numbers of steps"),
    ],
)
def test_steps_that_are_no_computation_are_refused(steps: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        scores_along([[0], [2, 0]], steps)


def test_a_wrong_reference_is_refused_and_named() -> None:
    with pytest.raises(InputError, match="sentence 1: word 2 is its own head"):
        optimal_computations([[0], [0, 2]])
    with pytest.raises(InputError, match="sentence 0: 4001 words are too many"):
        optimal_computations([[0] * 4001])
    for exploration in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match=r"the exploration is .*: give 0 to 1"):
            optimal_computations([[0]], exploration=exploration)


# --- side by side -------------------------------------------------------------------------------------------


@every_strategy
@every_root
def test_a_batch_says_what_a_tracker_of_each_sentence_says(single_root: bool, strategy: str) -> None:
    rng = Random(7)
    references = [*forests(random_forest, 9, 12), *forests(random_projective_forest, 9, 12)]
    batch = OptimalStepBatch(references, strategy, single_root)
    trackers = [OptimalStepTracker(heads, strategy, single_root=single_root) for heads in references]
    while not batch.is_final.all():
        scores, steps = batch.scores(), []
        for tracker, row in zip(trackers, scores.tolist(), strict=True):
            assert row == row_of(tracker.scores()), tracker.configuration
            legal = [step for step in range(3) if tracker.configuration.is_legal(STEPS[step])]
            steps.append(rng.choice([*legal, -1]) if legal else -1)
            if steps[-1] >= 0:
                tracker.apply(steps[-1])
        batch.apply(steps)
        configurations = [tracker.configuration for tracker in trackers]
        assert batch.fronts.tolist() == [configuration.front for configuration in configurations]
        assert batch.is_final.tolist() == [configuration.is_final for configuration in configurations]
        stacks = [[*configuration.stack[::-1], -1, -1][:3] for configuration in configurations]
        assert batch.tops(3).tolist() == stacks


def test_a_batch_makes_room_for_what_its_sentences_take() -> None:
    n = scaled(600, 40)
    references: list[Forest] = [[0], [n] * (n - 1) + [0], [0] + [1] * (n - 1), [2, 0]]
    batch = OptimalStepBatch(references, "right-before-left")
    trackers = [OptimalStepTracker(heads, "right-before-left") for heads in references]
    for _ in range(n // 2):
        batch.apply([0 if tracker.configuration.is_legal("shift") else -1 for tracker in trackers])
        for tracker in trackers:
            if tracker.configuration.is_legal("shift"):
                tracker.apply("shift")
        assert batch.scores().tolist() == [row_of(tracker.scores()) for tracker in trackers]


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ([0], "there are 2 sentences: give a step for each"),
        ([0, 1], "step 1 is not legal in sentence 1: steps are 0 shift"),
        ([3, 0], "step 3 is not legal in sentence 0"),
        ([0, -2], "step -2 is not legal in sentence 1"),
        (["shift", "shift"], "made of numbers of steps: 0 shift"),
    ],
)
def test_a_batch_refuses_steps_that_it_cannot_take_and_stays_where_it_is(steps: Any, complaint: str) -> None:
    batch = OptimalStepBatch([[0], [2, 0]])
    with pytest.raises(InputError, match=complaint):
        batch.apply(steps)
    assert batch.fronts.tolist() == [1, 1]


def test_a_batch_may_be_empty_or_of_sentences_without_words() -> None:
    assert OptimalStepBatch([]).scores().shape == (0, 3)
    batch = OptimalStepBatch([[], []])
    assert batch.is_final.all()
    assert batch.scores().tolist() == [[-1, -1, -1]] * 2
    batch.apply([-1, -1])
