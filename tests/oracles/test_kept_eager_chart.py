from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from itertools import product
from random import Random
from typing import Any

import pytest
from cases import each
from eager_judges import (
    EAGER_STEPS,
    all_eager_configurations,
    attainable_by_eager_search,
    random_eager_configuration,
)
from judges import (
    EdgeScores,
    Forest,
    as_scores,
    crossed,
    every_reference,
    every_root,
    gold_or_random,
    random_forest,
    random_projective_forest,
    random_scores,
    scaled,
)

from treewhile.oracles import (
    Configuration,
    EagerConfiguration,
    EagerSteps,
    InputError,
    OptimalStepTracker,
    optimal_steps,
)
from treewhile.oracles.kept_chart import KeptEagerChart
from treewhile.oracles.references import as_heads_or_scores
from treewhile.oracles.systems import strategy_of

Tracker = OptimalStepTracker[EagerSteps]


def tracker_of(reference: Any, **more: Any) -> Tracker:
    return OptimalStepTracker(reference, system="arc-eager", **more)


def afresh(tracker: Tracker, reference: Any) -> EagerSteps:
    """What a whole chart says of where the tracker stands."""
    return optimal_steps(
        tracker.configuration,
        reference,
        algorithm="cubic",
        single_root=tracker.single_root,
        system="arc-eager",
    )


@every_root
@every_reference
def test_a_tracker_says_what_some_computation_attains(
    draw: Callable[[Random, int], Any], single_root: bool
) -> None:
    for seed in range(scaled(15, 2)):
        rng = Random(seed)
        reference = draw(rng, 6)
        tracker = tracker_of(reference, single_root=single_root)
        while not tracker.configuration.is_final:
            configuration = tracker.configuration
            assert isinstance(configuration, EagerConfiguration)
            found = tracker.scores()
            expected = attainable_by_eager_search(configuration, reference, single_root)
            assert found == expected, (seed, configuration, reference)
            tracker.apply(rng.choice(configuration.legal_steps()))


@pytest.mark.slow
@every_root
def test_scores_and_heads_may_come_and_go_while_steps_are_taken_and_undone(single_root: bool) -> None:
    """Over lengths that change, with edges that may not be; what is kept is compared with starting afresh."""
    for seed in range(scaled(60, 8)):
        rng = Random(seed)
        reference: Any = rng.choice([random_scores, random_forest])(rng, rng.randrange(1, 8))
        tracker, undoable = tracker_of(reference, single_root=single_root), 0
        for move in range(scaled(40, 20)):
            configuration = tracker.configuration
            if rng.random() < 0.8:
                assert tracker.scores() == afresh(tracker, reference), (seed, move, configuration, reference)
            what = rng.random()
            if what < 0.5 and not configuration.is_final:
                best = tracker.scores().best or configuration.legal_steps()
                tracker.apply(gold_or_random(rng, best, configuration.legal_steps(), 0.5))
                undoable += 1
            elif what < 0.7 and undoable:
                for _ in range(rng.randrange(1, min(3, undoable) + 1)):
                    tracker.undo()
                    undoable -= 1
            else:
                reference = another(rng, reference, configuration.front)
                tracker.set_heads(reference)


def another(rng: Random, reference: Any, least: int) -> Any:
    """Heads or scores for as many words or more, in which a few edges, or all, are other ones."""
    n = max(least, len(as_scores_of(reference)) - 1 + rng.choice([-2, 0, 0, 0, 1, 2]))
    if rng.random() < 0.3:
        return rng.choice([random_forest, random_projective_forest, random_scores])(rng, n)
    if isinstance(reference[0], list):
        after = random_scores(rng, n)
        for head, dependent in product(range(min(n + 1, len(reference))), repeat=2):
            if rng.random() < 0.9:
                after[head][dependent] = reference[head][dependent]
        return after
    fitted = [None if head is not None and head > n else head for head in [*reference, *[None] * n][:n]]
    return crossed(rng, fitted, rng.choice([1, 1, 3]))


def as_scores_of(reference: Any) -> EdgeScores:
    scores: EdgeScores = reference if isinstance(reference[0], list) else as_scores(reference)
    return scores


@every_reference
def test_a_tracker_may_begin_anywhere(draw: Callable[[Random, int], Any]) -> None:
    for seed in range(scaled(30, 4)):
        rng = Random(seed)
        reference, configuration = draw(rng, 10), random_eager_configuration(rng, 10)
        tracker = tracker_of(reference, configuration=configuration)
        assert tracker.configuration == configuration
        assert tracker.scores() == afresh(tracker, reference), (seed, configuration, reference)


def test_every_configuration_is_answered_for_from_any_other() -> None:
    for seed in range(scaled(4, 1)):
        rng = Random(seed)
        n = scaled(5, 4)
        reference = as_heads_or_scores(random_forest(rng, n))
        configurations = list(all_eager_configurations(n))
        rng.shuffle(configurations)
        kept = KeptEagerChart(reference, strategy_of("arc-eager", None), configurations[0])
        for configuration in configurations:
            kept.place(configuration)
            expected = optimal_steps(configuration, reference, algorithm="cubic", system="arc-eager")
            assert kept.scores() == expected, (seed, configuration)


def test_nodes_that_fill_up_are_forgotten_and_found_again() -> None:
    n = 6
    configurations = list(all_eager_configurations(n))
    for seed in range(scaled(6, 1)):
        rng = Random(seed)
        reference = as_heads_or_scores(random_forest(rng, n))
        configuration = EagerConfiguration.initial(n)
        kept, prefixes = KeptEagerChart(reference, strategy_of("arc-eager", None), configuration), set()
        for _ in range(scaled(700, 300)):
            expected = optimal_steps(configuration, reference, algorithm="cubic", system="arc-eager")
            assert kept.scores() == expected, (seed, configuration)
            prefixes.add((configuration.stack, configuration.headed))
            if configuration.is_final or rng.random() < 0.3:
                configuration = rng.choice(configurations)
                kept.place(configuration)
            else:
                step = rng.choice(configuration.legal_steps())
                configuration = configuration.apply(step)
                kept.take(EAGER_STEPS.index(step))
        assert len(prefixes) > scaled(130, 60)  # the chart has room for 112 of them


# --- copies -------------------------------------------------------------------------------------------------


def pickled(tracker: Tracker) -> Tracker:
    other: Tracker = pickle.loads(pickle.dumps(tracker))
    return other


@pytest.mark.slow
@every_reference
@each("copied", [OptimalStepTracker.copy, copy, deepcopy, pickled])
def test_a_copy_goes_its_own_way(
    copied: Callable[[Tracker], Tracker], draw: Callable[[Random, int], Any]
) -> None:
    for seed in range(scaled(4, 2)):
        rng = Random(seed)
        reference = draw(rng, scaled(10, 6))
        beam = [tracker_of(reference, single_root=seed % 2 == 0)]
        for move in range(scaled(40, 15)):
            tracker = rng.choice(beam)
            if len(beam) < 5 and rng.random() < 0.3:
                beam.append(copied(tracker))
            if steps := tracker.configuration.legal_steps():
                tracker.apply(rng.choice(steps))
            for one in beam:
                assert one.scores() == afresh(one, reference), (seed, move, one.configuration)


# --- reuse --------------------------------------------------------------------------------------------------


@every_reference
def test_undoing_all_steps_fills_nothing(draw: Callable[[Random, int], Any]) -> None:
    for seed in range(scaled(10, 2)):
        rng = Random(seed)
        tracker = tracker_of(draw(rng, 12))
        passed = [(tracker.configuration, tracker.scores())]
        while steps := tracker.configuration.legal_steps():
            tracker.apply(rng.choice(steps))
            passed.append((tracker.configuration, tracker.scores()))
        filled = tracker.entries_filled
        for configuration, scores in reversed(passed[:-1]):
            tracker.undo()
            assert (tracker.configuration, tracker.scores()) == (configuration, scores), seed
        assert tracker.entries_filled == filled
        with pytest.raises(InputError, match="no step to undo"):
            tracker.undo()


def test_a_step_fills_one_new_prefix_at_most() -> None:
    n = scaled(60, 20)
    rng = Random(3)
    tracker = tracker_of([3, 4, 0, *range(3, n)])
    tracker.scores()
    while steps := tracker.configuration.legal_steps():
        before = tracker.entries_filled
        tracker.apply(rng.choice(steps))
        tracker.scores()
        assert tracker.entries_filled - before <= n


# --- what is told, and what is refused ----------------------------------------------------------------------


def test_a_tracker_tells_its_system_and_the_edges_that_it_made() -> None:
    tracker = tracker_of([2, 0, 2, 3])
    assert (tracker.system, tracker.strategy) == ("arc-eager", None)
    for step in ("shift", 1, "right_arc", 2, "right_arc", "reduce", 3):
        tracker.apply(step)
    assert tracker.edges == ((2, 1), (0, 2), (2, 3), (3, 4))
    assert tracker.configuration == EagerConfiguration((0, 2), 5, 4, (2,))
    tracker.undo()
    tracker.undo()
    tracker.undo()
    assert tracker.edges == ((2, 1), (0, 2), (2, 3))


def test_a_reference_keeps_the_words_that_edges_were_made_with() -> None:
    tracker = tracker_of([2, 0])
    tracker.apply("shift")
    with pytest.raises(InputError, match="word 1 on the stack has no head, and no word remains to be it"):
        tracker.set_heads([0])
    tracker.apply("left_arc")
    scores = tracker.scores()
    with pytest.raises(InputError, match="the new reference has 1 words, but word 2 already has an edge"):
        tracker.set_heads([0])
    with pytest.raises(InputError, match="has 0 words, but the parser has already shifted 1"):
        tracker.set_heads([])
    assert tracker.scores() == scores
    tracker.set_heads([2, 0, 2])
    assert tracker.scores() == afresh(tracker, [2, 0, 2])


@pytest.mark.parametrize("heads", [[], [0], [None]])
def test_sizes_0_and_1_are_followed_to_the_end(heads: Forest) -> None:
    tracker = tracker_of(heads)
    while steps := tracker.configuration.legal_steps():
        tracker.apply(steps[0])
    assert tracker.configuration == EagerConfiguration((0,), len(heads) + 1, len(heads))
    assert tracker.scores() == (None, None, None, None)


@each(
    "ask, complaint",
    [
        (lambda: tracker_of([0], strategy="left-before-right"), "arc-eager has no strategies"),
        (lambda: OptimalStepTracker([0], system="eager"), "no system 'eager': use one of arc-standard"),  # type: ignore[call-overload]
        (
            lambda: OptimalStepTracker([0], configuration=EagerConfiguration((0,), 1, 1)),
            "this is a configuration of arc-eager",
        ),
        (lambda: tracker_of([0], configuration=Configuration.initial(2)), "has 2 words, but 1 heads"),
        (lambda: tracker_of([0]).apply("reduce_left"), "there is no step of arc-eager 'reduce_left'"),
        (lambda: tracker_of([0]).apply(4), "there is no step 4: use one of 0 shift, 1 left_arc, 2 right_arc"),
        (lambda: tracker_of([0]).apply("shift"), "shift is not legal .* 1 word remaining: take right_arc"),
    ],
)
def test_bad_questions_are_refused(ask: Callable[[], object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        ask()
