"""Steps that a kernel takes, judged by a computation in Python that makes all parts anew for every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

import numpy as np
import pytest

from treewhile.incremental.parsers.greedy_steps import GreedySteps, Taken
from treewhile.incremental.parsers.labelled_computations import SHIFT, LabelledComputation
from treewhile.incremental.parsers.network import FROM_LEFT, Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.step_rules import IS_FINAL, MUST_SHIFT, situation

Draw = Callable[[Random, int], Sequence[str]]


def by_definition(
    model: Model, computation: LabelledComputation, tops: Array, delay: int, is_closed: bool
) -> Iterator[Taken]:
    """The steps that follow, as they are taken."""
    while is_closed or computation.remaining >= delay:
        now = situation(len(computation.stack), computation.remaining > 0 or not is_closed)
        if now == IS_FINAL:
            return
        step, confidence = SHIFT, 1.0
        if now != MUST_SHIFT:
            scores = scores_of(model, computation.roles(delay, is_closed), tops) + model.barred_steps[now]
            step = int(scores.argmax())
            confidence = float(1 / np.exp(scores - scores[step]).sum())
        if step == SHIFT and not computation.remaining:
            return
        attachment = computation.take(step)
        yield (step, attachment.child, attachment.head, confidence) if attachment else (SHIFT, 0, 0, 1.0)


def scores_of(model: Model, codes: Sequence[int], tops: Array) -> Array:
    network = model.network
    parts = [
        network.roles(tops[code - 1 : code])[0, role] if code > 0 else network.missing_roles[-code, role]
        for role, code in enumerate(codes)
    ]
    return network.step_scores(np.array(parts))


def tops_of(model: Model, words: Sequence[str]) -> Array:
    return model.network.causal_states(model.gates(words, FROM_LEFT), [len(words)]).top.copy()


@pytest.mark.parametrize("delay", [0, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_steps_are_those_by_definition_to_the_last_bit(
    seed: int, delay: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, words = make_model(seed=seed), random_words(Random(seed), 40)
    steps, computation = GreedySteps(model, delay), LabelledComputation(len(model.inventory.labels))
    tops = tops_of(model, words)
    for _ in words:
        computation.append()
        assert steps.append(tops) == [*by_definition(model, computation, tops, delay, is_closed=False)]
        assert steps.front == computation.front
    assert steps.close(tops) == [*by_definition(model, computation, tops, delay, is_closed=True)]


@pytest.mark.parametrize("delay", [0, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_words_that_come_again_have_the_steps_that_were_taken_back(
    seed: int, delay: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    model, source = make_model(seed=seed), Random(seed)
    tops = tops_of(model, random_words(source, 30))
    steps, taken = GreedySteps(model, delay), [list[Taken]()]
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
        fresh = GreedySteps(model, delay)
        assert [fresh.append(tops) for _ in range(t)] == taken[1:]


def test_steps_that_are_given_are_taken(model: Model) -> None:
    kinds = len(model.inventory.labels)
    steps = GreedySteps(model, 0, n=3)
    taken = steps.follow([SHIFT, SHIFT, 1, SHIFT, 2 + kinds])
    assert [(child, head) for _, child, head, _ in taken] == [(0, 0), (0, 0), (2, 1), (0, 0), (1, 3)]
    assert steps.front == 4
