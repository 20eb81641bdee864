from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from itertools import product
from random import Random
from threading import Barrier
from typing import Any

import pytest
from cases import each
from judges import (
    STRATEGY_NAMES,
    Draw,
    EdgeScores,
    Forest,
    as_scores,
    attainable_by_search,
    crossed,
    every_kind,
    every_reference,
    every_root,
    every_strategy,
    gold_or_random,
    random_configuration,
    random_forest,
    random_projective_forest,
    random_scores,
    scaled,
)

from treewhile.oracles import (
    Configuration,
    InputError,
    OptimalSteps,
    OptimalStepTracker,
    is_projective,
    optimal_steps,
)
from treewhile.oracles.tabular_parsing import LONGEST


def random_steps(tracker: OptimalStepTracker, rng: Random, share: float = 0.1) -> None:
    """Steps to the end, most of them optimal."""
    while steps := tracker.configuration.legal_steps():
        tracker.apply(gold_or_random(rng, tracker.scores().best, steps, share))


def nearly_projective(rng: Random, n: int) -> Forest:
    """Like a treebank: a tree without unknown heads, a few of its edges crossing."""
    heads: Forest = [None]
    while None in heads:
        heads = random_projective_forest(rng, n)
    return crossed(rng, heads, 1 + n // 20)


def changed_scores(rng: Random, scores: EdgeScores, n: int) -> EdgeScores:
    """Scores for n words, of which a few, or all, are other ones."""
    after = random_scores(rng, n)
    if rng.random() < 0.3:
        return after
    for head, dependent in product(range(min(n + 1, len(scores))), repeat=2):
        if rng.random() < 0.9:
            after[head][dependent] = scores[head][dependent]
    return after


def changed(rng: Random, heads: Forest, draw: Draw, least: int) -> Forest:
    """Another reference: all new, or with one edge moved; now and then longer or shorter."""
    n = max(1, least, len(heads) + rng.choice([0, 0, 0, 1, 3, -1, -2]))
    if rng.random() < 0.3:
        return draw(rng, n)
    fitted = [None if head is not None and head > n else head for head in [*heads, *[None] * n][:n]]
    for _ in range(20):
        moved = crossed(rng, fitted, 1)
        if rng.random() < 0.2:
            moved[rng.randrange(n)] = None
        if draw is random_forest or is_projective(moved):
            return moved
    return fitted if draw is random_forest or is_projective(fitted) else draw(rng, n)


@pytest.mark.slow
@every_strategy
@every_kind
@each("longest", [4, 8, 14])
def test_after_steps_undos_and_other_references_it_says_what_starting_afresh_says(
    longest: int, draw: Draw, strategy: str
) -> None:
    for seed in range(scaled(40, 6)):
        rng = Random(seed)
        heads = draw(rng, rng.randrange(1, longest + 1))
        tracker = OptimalStepTracker(heads, strategy)
        past: list[Configuration] = []
        filled = 0
        for move in range(scaled(60, 30)):
            configuration, where = tracker.configuration, (seed, move)
            if rng.random() < 0.8:
                found = tracker.scores()
                expected = optimal_steps(configuration, heads, strategy, "cubic")
                assert found == expected, (where, configuration, heads)
            assert tracker.entries_filled >= filled, where
            filled = tracker.entries_filled
            what = rng.random()
            if what < 0.6 and not configuration.is_final:
                past.append(configuration)
                tracker.apply(gold_or_random(rng, tracker.scores().best, configuration.legal_steps(), 0.4))
            elif what < 0.8 and past:
                for _ in range(rng.randrange(1, min(3, len(past)) + 1)):
                    tracker.undo()
                    former = past.pop()
                    assert tracker.configuration == Configuration(former.stack, former.front, len(heads)), (
                        where
                    )
            elif what > 0.88:
                heads = changed(rng, heads, rng.choice([draw, random_forest]), configuration.front - 1)
                tracker.set_heads(heads)


@pytest.mark.slow
@every_strategy
@every_root
def test_scores_and_heads_may_come_and_go_while_steps_are_taken_and_undone(
    single_root: bool, strategy: str
) -> None:
    """The search judges, over lengths that change, with edges that may not be."""
    for seed in range(scaled(40, 6)):
        rng = Random(seed)
        reference: Any = random_scores(rng, rng.randrange(1, 6))
        tracker = OptimalStepTracker(reference, strategy, single_root=single_root)
        undoable = 0
        for move in range(scaled(25, 12)):
            configuration = tracker.configuration
            expected = attainable_by_search(configuration, reference, strategy, single_root)
            assert tracker.scores() == expected, (seed, move, configuration, reference)
            what, least = rng.random(), max(1, configuration.front - 1)
            if what < 0.5 and not configuration.is_final:
                tracker.apply(rng.choice(configuration.legal_steps()))
                undoable += 1
            elif what < 0.65 and undoable:
                tracker.undo()
                undoable -= 1
            else:
                n = min(max(least, configuration.n + rng.choice([-1, 0, 0, 1, 2])), 7)
                if what < 0.8:
                    reference = rng.choice([random_forest, random_projective_forest])(rng, n)
                else:
                    given = reference if isinstance(reference[0], list) else as_scores(reference)
                    reference = changed_scores(rng, given, n)
                tracker.set_heads(reference)


@every_reference
def test_a_copy_keeps_to_a_single_root_and_its_reference(
    draw: Callable[[Random, int], Any],
) -> None:
    for seed in range(5):
        reference = draw(Random(seed), 6)
        tracker = OptimalStepTracker(reference, single_root=True)
        another = pickled(tracker)
        another.apply("shift")
        another.apply("shift")
        expected = optimal_steps(another.configuration, reference, algorithm="cubic", single_root=True)
        assert (another.scores(), another.single_root) == (expected, True)
        assert tracker.scores() == optimal_steps(tracker.configuration, reference, single_root=True)


@every_strategy
@every_kind
def test_it_may_begin_anywhere(draw: Draw, strategy: str) -> None:
    for seed in range(scaled(30, 4)):
        rng = Random(seed)
        heads, configuration = draw(rng, 10), random_configuration(rng, 10)
        tracker = OptimalStepTracker(heads, strategy, configuration)
        assert tracker.configuration == configuration
        assert tracker.scores() == optimal_steps(configuration, heads, strategy), (seed, configuration, heads)


@every_strategy
@every_kind
def test_undoing_all_steps_passes_each_configuration_and_its_scores_again_almost_for_nothing(
    draw: Draw, strategy: str
) -> None:
    filled_forth = filled_back = 0
    for seed in range(scaled(10, 2)):
        rng = Random(seed)
        tracker = OptimalStepTracker(draw(rng, 12), strategy)
        passed = [(tracker.configuration, tracker.scores())]
        while steps := tracker.configuration.legal_steps():
            tracker.apply(rng.choice(steps))
            passed.append((tracker.configuration, tracker.scores()))
        filled_forth += tracker.entries_filled
        filled_back -= tracker.entries_filled
        for configuration, scores in reversed(passed[:-1]):
            tracker.undo()
            assert (tracker.configuration, tracker.scores()) == (configuration, scores), seed
        filled_back += tracker.entries_filled
        with pytest.raises(InputError, match="no step to undo"):
            tracker.undo()
        assert (tracker.configuration, tracker.scores()) == passed[0], seed
    assert filled_back <= 0.05 * filled_forth


# --- copies and threads -------------------------------------------------------------------------------------

Copy = Callable[[OptimalStepTracker], OptimalStepTracker]


def pickled(tracker: OptimalStepTracker) -> OptimalStepTracker:
    another: OptimalStepTracker = pickle.loads(pickle.dumps(tracker))
    return another


every_copy = pytest.mark.parametrize("copied", [OptimalStepTracker.copy, copy, deepcopy, pickled])


@pytest.mark.slow
@every_strategy
@every_kind
@every_copy
def test_a_copy_goes_its_own_way(copied: Copy, draw: Draw, strategy: str) -> None:
    for seed in range(scaled(8, 2)):
        rng = Random(seed)
        heads = draw(rng, scaled(14, 7))
        beam = [(OptimalStepTracker(heads, strategy), heads)]
        for move in range(scaled(60, 20)):
            tracker, heads = beam[rng.randrange(len(beam))]
            if len(beam) < 5 and rng.random() < 0.2:
                beam.append((copied(tracker), heads))
            go_on(tracker, rng)
            if rng.random() < 0.1:
                heads = changed(rng, heads, random_forest, tracker.configuration.front - 1)
                beam[[one for one, _ in beam].index(tracker)] = tracker, heads
                tracker.set_heads(heads)
            for one, its_heads in beam:
                expected = optimal_steps(one.configuration, its_heads, strategy, "cubic")
                assert one.scores() == expected, (seed, move, one.configuration, its_heads)


def go_on(tracker: OptimalStepTracker, rng: Random) -> None:
    """A step, or back to the start."""
    steps = tracker.configuration.legal_steps()
    if steps and rng.random() < 0.9:
        tracker.apply(gold_or_random(rng, tracker.scores().best, steps, 0.4))
        return
    while tracker.configuration.front > 1:
        tracker.undo()


@every_kind
@every_copy
def test_a_copy_knows_what_was_known_and_can_undo_the_same_steps(copied: Copy, draw: Draw) -> None:
    tracker = OptimalStepTracker(draw(Random(5), 12))
    tracker.apply("shift")
    tracker.apply("shift")
    scores, filled = tracker.scores(), tracker.entries_filled
    another = copied(tracker)
    tracker.apply("shift")
    assert (another.scores(), another.entries_filled, another.strategy) == (scores, filled, tracker.strategy)
    another.undo()
    another.undo()
    assert another.configuration == Configuration.initial(12)
    assert tracker.configuration.front == 4


@pytest.mark.slow
@every_strategy
@every_kind
def test_threads_may_ask_one_tracker_at_once(draw: Draw, strategy: str) -> None:
    height, remaining = scaled(1000, 20), scaled(20, 5)
    for seed in range(scaled(30, 3)):
        heads = draw(Random(seed), height + remaining)
        configuration = Configuration(tuple(range(height + 1)), height + 1, len(heads))
        expected = OptimalStepTracker(heads, strategy, configuration).scores()
        tracker, together = OptimalStepTracker(heads, strategy, configuration), Barrier(2)

        def ask(_: int, tracker: OptimalStepTracker = tracker, together: Barrier = together) -> OptimalSteps:
            together.wait()
            return tracker.scores()

        with ThreadPoolExecutor(2) as threads:
            assert [*threads.map(ask, range(2))] == [expected] * 2, seed


# --- reuse is a share ---------------------------------------------------------------------------------------


@every_strategy
@pytest.mark.parametrize(
    ("draw", "share"), [(random_projective_forest, 0.7), (nearly_projective, 0.15)], ids=["projective", "any"]
)
def test_a_computation_fills_a_share_of_what_starting_afresh_each_time_fills(
    draw: Draw, share: float, strategy: str
) -> None:
    filled = afresh = 0
    n = scaled(40, 26)
    for seed in range(scaled(6, 1)):
        rng = Random(seed)
        tracker = OptimalStepTracker(draw(rng, n), strategy)
        while steps := tracker.configuration.legal_steps():
            best = tracker.scores().best
            afresh += tracker.entries_from_scratch()
            tracker.apply(gold_or_random(rng, best, steps))
        filled += tracker.entries_filled
    assert filled <= share * afresh * scaled(1, 2)


@every_strategy
def test_a_step_fills_as_many_entries_in_long_sentences_as_in_short_ones(strategy: str) -> None:
    for n in (20, scaled(80, 40), scaled(300, 60)):
        filled = 0
        for seed in range(4):
            rng = Random(seed)
            tracker = OptimalStepTracker(random_projective_forest(rng, n), strategy)
            random_steps(tracker, rng)
            filled += tracker.entries_filled
        assert filled <= 6 * 4 * 2 * n


def same_again(tracker: OptimalStepTracker, heads: Forest) -> None:
    tracker.scores()


def there_and_back(tracker: OptimalStepTracker, heads: Forest) -> None:
    tracker.apply("shift")
    tracker.undo()


def same_heads(tracker: OptimalStepTracker, heads: Forest) -> None:
    tracker.set_heads(list(heads))


@every_strategy
@every_kind
@each("nothing_new", [same_again, there_and_back, same_heads])
def test_what_changes_nothing_fills_nothing(
    nothing_new: Callable[[OptimalStepTracker, Forest], None], draw: Draw, strategy: str
) -> None:
    for seed in range(scaled(10, 3)):
        rng = Random(seed)
        heads, configuration = draw(rng, 15), random_configuration(rng, 14)
        configuration = Configuration(configuration.stack, configuration.front, 15)
        tracker = OptimalStepTracker(heads, strategy, configuration)
        scores, filled = tracker.scores(), tracker.entries_filled
        assert filled > 0, seed
        nothing_new(tracker, heads)
        assert tracker.scores() == scores, seed
        if is_projective(heads) or strategy != "right-before-left":
            assert tracker.entries_filled == filled, seed
        else:  # what reduce_right leads to there is not kept: a level has an entry
            assert tracker.entries_filled <= filled + len(configuration.stack), seed


@every_kind
def test_the_first_answer_fills_what_starting_afresh_fills(draw: Draw) -> None:
    for seed in range(3):
        tracker = OptimalStepTracker(draw(Random(seed), 12))
        assert tracker.entries_filled == 0
        tracker.scores()
        assert tracker.entries_filled == tracker.entries_from_scratch() > 0, seed


N_MOVED = scaled(40, 20)


@every_strategy
@pytest.mark.parametrize(
    ("heads", "front", "moved", "share"),
    [
        (list(range(N_MOVED)), 11, N_MOVED - 1, 0),
        ([*range(2, 11), 0, *range(10, N_MOVED)], 7, N_MOVED - 1, 0),
        ([*range(2, 11), 0, *range(10, N_MOVED)], 7, 12, 0.2),
        ([3, 4, 0, *range(3, N_MOVED)], 1, N_MOVED - 1, 0.3),  # spans that end before it survive
        (
            [3, 4, 0, *range(3, N_MOVED)],
            11,
            13,
            0.3,
        ),  # so do those that begin after it, and prefixes seen from there
    ],
    ids=["chain", "two arms, far", "two arms, near", "crossed, at the end", "crossed, next"],
)
def test_an_edge_that_moves_fills_a_small_share(
    heads: Forest, front: int, moved: int, share: float, strategy: str
) -> None:
    n = len(heads)
    tracker = OptimalStepTracker(heads, strategy, Configuration(tuple(range(front)), front, n))
    tracker.scores()
    before = tracker.entries_filled
    heads = [*heads[: moved - 1], moved - 2, *heads[moved:]]
    tracker.set_heads(heads)
    assert tracker.scores() == optimal_steps(tracker.configuration, heads, strategy)
    assert tracker.entries_filled - before <= share * tracker.entries_from_scratch()


def test_a_longer_projective_sentence_keeps_what_is_known_of_the_stack() -> None:
    heads: Forest = list(range(30))
    tracker = OptimalStepTracker(heads, configuration=Configuration(tuple(range(26)), 26, 30))
    tracker.scores()
    before = tracker.entries_filled
    tracker.set_heads([*heads, 30])
    assert tracker.scores() == optimal_steps(tracker.configuration, [*heads, 30])
    assert tracker.entries_filled - before < 0.5 * tracker.entries_from_scratch()


def test_entries_are_counted_on_where_the_kind_of_reference_changes() -> None:
    tracker = OptimalStepTracker([2, 0, 2, 3])
    tracker.scores()
    filled = tracker.entries_filled
    for heads in ([3, 4, 0, 3], [2, 0, 2, 3], [3, 4, 0, 3, 3]):
        tracker.set_heads(heads)
        assert tracker.entries_filled == filled
        assert tracker.scores() == optimal_steps(tracker.configuration, heads)
        assert tracker.entries_filled > filled
        filled = tracker.entries_filled


# --- wrong reuse --------------------------------------------------------------------------------------------


def follow(heads: Forest, strategy: str, moves: list[str | Forest]) -> None:
    """Asks after every move, so that whatever may be kept is there to be kept."""
    tracker = OptimalStepTracker(heads, strategy)
    for number, move in enumerate(["scores", *moves]):
        if isinstance(move, list):
            heads = move
            tracker.set_heads(heads)
        elif move == "undo":
            tracker.undo()
        elif move != "scores":
            tracker.apply(move)
        expected = optimal_steps(tracker.configuration, heads, strategy, "cubic")
        assert tracker.scores() == expected, (number, move, tracker.configuration)


SHIFT, LEFT, RIGHT = "shift", "reduce_left", "reduce_right"


@every_strategy
@pytest.mark.parametrize(
    "heads", [[2, 3, 0, 3], [3, 1, 0, 1], [None, 1, 0, None], [3, 4, 0, 3, 3], [2, 0, 5, 2, 1]]
)
@pytest.mark.parametrize(
    "moves",
    [
        # the old top is barred after a shift, and no longer so when it is back on top
        [SHIFT, SHIFT, SHIFT, LEFT, RIGHT],
        [SHIFT, SHIFT, SHIFT, "undo", RIGHT, SHIFT],
        # the same words on the stack after other steps
        [SHIFT, SHIFT, SHIFT, RIGHT, "undo", LEFT, SHIFT],
        [SHIFT, SHIFT, RIGHT, SHIFT, "undo", "undo", LEFT, SHIFT],
    ],
    ids=["back on top", "undone", "right or left", "two undone"],
)
def test_what_a_step_bars_is_asked_for_anew_once_it_is_free(
    moves: list[str | Forest], heads: Forest, strategy: str
) -> None:
    follow(heads, strategy, moves)


@pytest.mark.slow
@every_strategy
@each(
    "before, after",
    [
        ([0, 1, 4, 5, 0], [0, 1, 4, 5, 1]),  # the last word of a component gets a head on the stack
        ([0, 1, 4, 5, 1], [0, 1, 4, 5, None]),  # and loses it
        ([0, 1, 4, 5, 0], [0, 1, 4, 0, 0]),  # a component falls in two
        ([4, 1, 4, 0, 4], [5, 1, 4, 5, 0]),  # the parent of a stack element goes to another component
        ([2, 0, 2, 5, 2], [2, 0, 2, 2, 2]),  # children that remain change, the stack does not
        ([2, 0, 2, 2, 2], [0, 0, 2, 2, 2]),  # an edge inside the stack goes
        ([2, 0, 2, 2, 2], [2, 0, 2, 2, 2, 2]),
        ([2, 0, 2, 6, 6, 2], [2, 0, 2, None, None]),
        ([3, 4, 0, 3, 3], [3, 5, 0, 3, 3]),  # not projective, before and after
        ([3, 4, 0, 3, 3], [3, 4, 0, 5, 3]),
        ([3, 4, 0, 3, 3], [2, 3, 0, 3, 3]),  # and back to projective ones
    ],
)
def test_an_edge_that_moves_is_seen_by_all_that_depends_on_it(
    before: Forest, after: Forest, strategy: str
) -> None:
    for shifts in range(4):
        for last in ([], [LEFT], [RIGHT])[: max(1, shifts)]:
            steps: list[str | Forest] = [*[SHIFT] * shifts, *last]
            follow(before, strategy, [*steps, after, before, after, "scores"])
            follow(before, strategy, [*steps, after, *["undo"] * len(steps), before])
            follow(before, strategy, [after, *steps, before, after])


# --- sizes and bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [[], [0], [None]])
def test_sizes_0_and_1_are_followed_to_the_end(heads: Forest) -> None:
    for strategy in STRATEGY_NAMES:
        tracker = OptimalStepTracker(heads, strategy)
        random_steps(tracker, Random(0))
        assert tracker.configuration == Configuration((0,), len(heads) + 1, len(heads))
        assert tracker.scores() == (None, None, None)


N = scaled(1000, 20)


@pytest.mark.slow
@every_strategy
@pytest.mark.parametrize(
    "heads",
    [
        list(range(N)),
        [*range(2, N + 1), 0],
        [0] + [1] * (N - 1),
        [N] * (N - 1) + [0],
        random_projective_forest(Random(7), N),
        nearly_projective(Random(8), N)[: scaled(300, 20)]
        if N < 1000
        else crossed(Random(8), list(range(300)), 9),
    ],
    ids=["to the right", "to the left", "flat", "flat under the last", "random", "crossed"],
)
def test_long_sentences_are_followed_to_their_best_tree(heads: Forest, strategy: str) -> None:
    tracker = OptimalStepTracker(heads, strategy)
    attainable, made = tracker.scores().attainable, 0
    while not tracker.configuration.is_final:
        step = min(tracker.scores().best)
        edge = tracker.configuration.edge(step)
        made += edge is not None and heads[edge[1] - 1] == edge[0]
        tracker.apply(step)
    assert made == attainable


def test_bad_questions_are_refused_and_change_nothing() -> None:
    tracker = OptimalStepTracker([2, 0, 2])
    tracker.apply("shift")
    tracker.apply("shift")
    scores, configuration = tracker.scores(), tracker.configuration
    with pytest.raises(InputError, match="there is no step 'left'"):
        tracker.apply("left")
    with pytest.raises(InputError, match="word 2 is its own head"):
        tracker.set_heads([2, 2, 2])
    with pytest.raises(InputError, match="has 1 words, but the parser has already shifted 2"):
        tracker.set_heads([0])
    assert (tracker.scores(), tracker.configuration) == (scores, configuration)
    tracker.set_heads([2, 0])
    with pytest.raises(InputError, match="shift is not legal"):
        tracker.apply("shift")
    tracker.set_heads([2, 0, 2])
    assert tracker.scores() == scores


def test_a_reference_that_is_too_long_for_a_chart_is_refused_and_changes_nothing() -> None:
    tracker = OptimalStepTracker([2, 0, 2])
    tracker.apply("shift")
    scores, configuration = tracker.scores(), tracker.configuration
    with pytest.raises(InputError, match="words are too many"):
        tracker.set_heads([3, 4, 0, *range(3, LONGEST + 1)])
    assert (tracker.scores(), tracker.configuration) == (scores, configuration)
    tracker.undo()
    assert tracker.configuration == Configuration.initial(3)


def test_a_tracker_that_cannot_begin_is_refused() -> None:
    with pytest.raises(InputError, match="the configuration has 3 words, but 2 heads were given"):
        OptimalStepTracker([2, 0], configuration=Configuration.initial(3))
    with pytest.raises(InputError, match="there is no strategy 'right'"):
        OptimalStepTracker([2, 0], "right")
    with pytest.raises(InputError, match="no step to undo"):
        OptimalStepTracker([2, 0]).undo()


def test_a_shorter_reference_may_end_before_a_configuration_that_was_undone_begins() -> None:
    tracker = OptimalStepTracker([2, 0, 2, 2])
    tracker.apply("shift")
    tracker.apply("shift")
    tracker.undo()
    tracker.set_heads([0])
    assert tracker.scores() == optimal_steps(tracker.configuration, [0])
    tracker.undo()
    assert tracker.configuration == Configuration.initial(1)
    assert tracker.scores() == optimal_steps(tracker.configuration, [0])


def test_a_reference_that_becomes_projective_is_followed_by_facts() -> None:
    heads = list(range(60))
    tracker = OptimalStepTracker([3, 4, 0, 3, *heads[4:]])
    tracker.scores()
    tracker.set_heads(heads)
    filled = tracker.entries_filled
    assert tracker.scores() == optimal_steps(tracker.configuration, heads)
    assert tracker.entries_filled - filled == tracker.entries_from_scratch()


# --- numbers, masks and edges -------------------------------------------------------------------------------


def test_a_step_may_be_told_by_its_number() -> None:
    named, numbered = OptimalStepTracker([2, 0, 2]), OptimalStepTracker([2, 0, 2])
    for number, step in ((0, "shift"), (0, "shift"), (2, "reduce_right"), (1, "reduce_left")):
        named.apply(step)
        numbered.apply(number)
        assert numbered.configuration == named.configuration
        assert numbered.scores() == named.scores()


@pytest.mark.parametrize("number", [-1, 3, None, 1.5])
def test_another_number_is_no_step(number: Any) -> None:
    tracker = OptimalStepTracker([2, 0, 2])
    with pytest.raises(InputError, match=r"no step .*: use one of 0 shift, 1 reduce_left, 2 reduce_right"):
        tracker.apply(number)
    assert tracker.configuration == Configuration.initial(3)


@every_reference
def test_scores_come_as_an_array_with_masks(draw: Callable[[Random, int], Any]) -> None:
    for seed in range(scaled(20, 4)):
        rng = Random(seed)
        tracker = OptimalStepTracker(draw(rng, 5))
        while steps := tracker.configuration.legal_steps():
            scores = tracker.scores()
            legal, optimal = scores.legal_mask().tolist(), scores.optimal_mask().tolist()
            names = ("shift", "reduce_left", "reduce_right")
            assert legal == [step in steps for step in names]
            assert optimal == [step in scores.best for step in names]
            expected = [float("nan") if score is None else score for score in scores]
            assert scores.as_array().tolist() == pytest.approx(expected, nan_ok=True, abs=0)
            tracker.apply(rng.choice(steps))
        assert not tracker.scores().optimal_mask().any()


@every_kind
def test_edges_are_those_of_the_steps_that_were_not_undone(draw: Draw) -> None:
    for seed in range(scaled(20, 4)):
        rng = Random(seed)
        start = random_configuration(rng, 8)
        tracker, made = OptimalStepTracker(draw(rng, 8), configuration=start), []
        while steps := tracker.configuration.legal_steps():
            step = rng.choice(steps)
            edge = tracker.configuration.edge(step)
            tracker.apply(step)
            if rng.random() < 0.3:
                tracker.undo()
            elif edge is not None:
                made.append(edge)
            assert tracker.edges == tuple(made), seed
        assert tracker.copy().edges == tracker.edges


def test_the_strategy_is_told_and_stays() -> None:
    tracker = OptimalStepTracker([0], strategy="right-before-left")
    assert tracker.strategy == "right-before-left"
    with pytest.raises(AttributeError):
        tracker.strategy = "left-before-right"  # type: ignore[misc]
