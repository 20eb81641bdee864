"""Steps that a kernel takes, judged by a computation in Python that makes all parts anew for every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

import numpy as np
from cases import Test, cases, each, each_seed

from treewhile.incremental.parsers.greedy_steps import NEVER_WAITS, WAITS_ALWAYS, GreedySteps, Taken
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import IS_FINAL, SHIFT, LabelledComputation, situation
from treewhile.incremental.parsers.word_gates import FROM_LEFT

Draw = Callable[[Random, int], Sequence[str]]

# Words ahead that are seen, and the risk. What random models say of waiting is below 0 as often as above.
Patience = tuple[int, float]
PATIENCES: list[Patience] = [
    *((ahead, WAITS_ALWAYS) for ahead in range(4)),
    (3, 0.0),
    (3, 0.5),
    (3, NEVER_WAITS),
]


def of_each_patience(test: Test) -> Test:
    return each("patience", PATIENCES)(each_seed(cases(6))(test))


def by_definition(
    model: Model, computation: LabelledComputation, tops: Array, ahead: int, risk: float, *, is_closed: bool
) -> Iterator[Taken]:
    """The steps that follow, as they are taken."""
    while True:
        now = situation(len(computation.stack), computation.remaining > 0 or not is_closed)
        if now == IS_FINAL:
            return
        step, confidence, patience = only_step(model, now), 1.0, np.float32(0)
        if step is None:
            *scores, patience = scores_of(model, computation.roles(ahead, is_closed), tops)
            legal = np.array(scores) + model.barred_steps[now]
            step = int(legal.argmax())
            confidence = float(1 / np.exp(legal - legal[step]).sum())
        knows_all = is_closed or computation.remaining >= ahead
        if not (knows_all or patience <= np.float32(risk)):
            return
        if step == SHIFT and not computation.remaining:
            return
        attachment = computation.take(step)
        yield (step, attachment.child, attachment.head, confidence) if attachment else (step, 0, 0, 1.0)


def only_step(model: Model, now: int) -> int | None:
    """The shift, where it is the only step and need not be chosen."""
    legal = np.flatnonzero(model.barred_steps[now] == 0).tolist()
    return SHIFT if legal == [SHIFT] else None


def new_computation(model: Model, n: int = 0) -> LabelledComputation:
    return LabelledComputation(len(model.inventory.labels), n)


def scores_of(model: Model, codes: Sequence[int], tops: Array) -> Array:
    steps = model.network.steps
    parts = [
        steps.roles(tops[code - 1 : code])[0, role] if code > 0 else steps.missing_roles[-code, role]
        for role, code in enumerate(codes)
    ]
    return steps.scores(np.array(parts))


def tops_of(model: Model, words: Sequence[str]) -> Array:
    return model.network.causal.states(model.gates(words, FROM_LEFT), [len(words)]).top.copy()


@of_each_patience
def test_steps_are_those_by_definition_to_the_last_bit(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = make_model(seed=seed), random_words(Random(seed), 40)
    steps, computation = GreedySteps(model, *patience), new_computation(model)
    tops = tops_of(model, words)
    given = model, computation, tops
    for _ in words:
        computation.append()
        assert steps.append(tops) == [*by_definition(*given, *patience, is_closed=False)]
        assert steps.front == computation.front
    assert steps.close(tops) == [*by_definition(*given, *patience, is_closed=True)]


@of_each_patience
def test_words_that_come_again_have_the_steps_that_were_taken_back(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), Random(seed)
    tops = tops_of(model, random_words(source, 30))
    steps, taken = GreedySteps(model, *patience), [list[Taken]()]
    for _ in range(25):
        while len(taken) <= 30 and source.random() < 0.8:
            taken.append(steps.append(tops))
        t = source.randrange(len(taken))
        end = steps.close(tops) if source.random() < 0.3 else []
        undone, children = steps.cut(t)
        gone = [step for of_word in [*taken[t + 1 :], end] for step in of_word]
        assert undone == len(gone)
        assert children == [child for _, child, _, _ in gone if child]
        del taken[t + 1 :]
        fresh = GreedySteps(model, *patience)
        assert [fresh.append(tops) for _ in range(t)] == taken[1:]


@of_each_patience
def test_what_would_follow_without_waiting_is_told_and_not_taken(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = make_model(seed=seed), random_words(Random(seed), 40)
    tops, (ahead, risk) = tops_of(model, words), patience
    steps, plain = (GreedySteps(model, ahead, risk) for _ in range(2))
    taken: list[Taken] = []
    for t in range(1, 41):
        new = steps.append(tops)
        assert new == plain.append(tops)
        taken += new
        eager = again(model, [step for step, *_ in taken], t)
        expected = [*by_definition(model, eager, tops, ahead, NEVER_WAITS, is_closed=False)]
        assert steps.without_waiting(tops) == expected
        assert steps.front == plain.front
    assert steps.close(tops) == plain.close(tops)
    assert steps.delays == plain.delays


@of_each_patience
def test_a_word_in_one_call_has_the_state_and_tag_of_the_network_and_the_steps_by_definition(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), Random(seed)
    words, causal, (ahead, _) = random_words(source, 40), model.network.causal, patience
    expected_tops, computation = tops_of(model, words), new_computation(model)
    steps, tops, states = GreedySteps(model, *patience), np.zeros_like(expected_tops), None
    classes: list[int] = []
    for t, word in enumerate(words, 1):
        gates, looks_ahead = model.gates([word], FROM_LEFT), source.random() < 0.7
        expected, tag, features = causal.next_tagged(gates, states)
        states = causal.copied(states)
        found = steps.attach(gates, states, tops, looks_ahead)
        assert (found.tag, found.features) == (tag, features)
        assert all(map(np.array_equal, states, expected))
        assert np.array_equal(tops[:t], expected_tops[:t])
        computation.append()
        assert found.taken == [*by_definition(model, computation, tops, *patience, is_closed=False)]
        classes += [step for step, *_ in found.taken]
        further = again(model, classes, t)
        without_waiting = [*by_definition(model, further, tops, ahead, NEVER_WAITS, is_closed=False)]
        assert found.ahead == (without_waiting if looks_ahead else [])
    assert steps.close(tops) == [*by_definition(model, computation, tops, *patience, is_closed=True)]


def again(model: Model, classes: Sequence[int], n: int) -> LabelledComputation:
    """The computation over n words that has taken these steps."""
    computation = new_computation(model, n)
    for step in classes:
        computation.take(step)
    return computation


@of_each_patience
def test_delays_are_the_words_that_had_come_beyond_those_that_an_arc_is_about(
    seed: int, patience: Patience, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = make_model(seed=seed), random_words(Random(seed), 20)
    tops, steps, expected, shifted = tops_of(model, words), GreedySteps(model, *patience), list[int](), 0
    for t in range(1, 21):
        for step, child, *_ in steps.append(tops):
            shifted += step == SHIFT
            expected += [t - shifted] if child else []
    assert steps.delays == expected
    steps.close(tops)
    assert steps.delays == expected, "no words are to come"
    ahead, risk = patience
    if risk == WAITS_ALWAYS:
        assert {*expected} <= {ahead}
    steps.cut(7)
    fresh = GreedySteps(model, *patience)
    for _ in range(7):
        fresh.append(tops)
    assert steps.delays == fresh.delays


def test_steps_that_are_given_are_taken(model: Model) -> None:
    kinds = len(model.inventory.labels)
    steps = GreedySteps(model, 0, WAITS_ALWAYS, n=3)
    taken = steps.follow([SHIFT, SHIFT, 1, SHIFT, 2 + kinds])
    assert [(child, head) for _, child, head, _ in taken] == [(0, 0), (0, 0), (2, 1), (0, 0), (1, 3)]
    assert steps.front == 4
    assert steps.delays == [], "nobody has decided them"
