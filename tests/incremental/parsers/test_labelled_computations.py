from __future__ import annotations

from random import Random

import pytest
from reach import Reached

from treewhile.incremental.parsers.shift_reduce import (
    END,
    HIDDEN,
    NONE,
    REDUCE_LEFT,
    REDUCE_RIGHT,
    ROOT,
    SHIFT,
    LabelledComputation,
)

KINDS = 3


def possible_steps(computation: LabelledComputation) -> list[int]:
    nodes, L = len(computation.stack), KINDS
    shifts = [SHIFT] * (computation.remaining > 0)
    return shifts + [*range(1, L + 1)] * (nodes > 1) + [*range(L + 1, 2 * L + 1)] * (nodes > 2)


def random_computation(rng: Random, n: int, steps: int) -> LabelledComputation:
    computation = LabelledComputation(KINDS, n)
    for _ in range(steps):
        if possible := possible_steps(computation):
            computation.take(rng.choice(possible))
    return computation


def state(computation: LabelledComputation) -> object:
    """All that can be seen from outside."""
    return (
        [*computation.stack],
        computation.front,
        computation.n,
        dict(computation.attachments),
        computation.roles(3, is_closed=True),
    )


def roles_by_definition(computation: LabelledComputation, ahead: int, is_closed: bool) -> list[int]:
    """The roles read off the stack and the edges."""

    def node(depth: int) -> int | None:
        return computation.stack[-depth] if depth <= len(computation.stack) else None

    def outermost(head: int | None, is_left: bool) -> int:
        sided = [
            child
            for child, edge in computation.attachments.items()
            if edge.head == head and (child < edge.head) == is_left
        ]
        return NONE if not sided else min(sided) if is_left else max(sided)

    def word(place: int) -> int:
        at, remaining = computation.front + place, computation.remaining
        knows_the_end = is_closed and (place < ahead or not remaining)
        if place < remaining:
            return at if place < ahead else HIDDEN
        return END if knows_the_end else HIDDEN

    stack = [NONE if node(depth) is None else node(depth) or ROOT for depth in (1, 2, 3)]
    children = [outermost(node(depth), is_left) for depth in (1, 2) for is_left in (True, False)]
    return [*stack, *children, word(0), word(1), word(2)]


def test_the_roles_are_those_of_the_definition() -> None:
    for seed in range(300):
        rng = Random(seed)
        computation = random_computation(rng, rng.randrange(8), rng.randrange(20))
        for ahead in range(4):
            for is_closed in (False, True):
                expected = roles_by_definition(computation, ahead, is_closed)
                assert computation.roles(ahead, is_closed) == expected, (seed, ahead, is_closed)


def test_undoing_gives_back_every_state() -> None:
    for seed in range(100):
        rng = Random(seed)
        computation, states = LabelledComputation(KINDS, 6), []
        while possible := possible_steps(computation):
            states.append(state(computation))
            computation.take(rng.choice(possible))
        while states:
            computation.undo()
            assert state(computation) == states.pop(), seed


def test_words_that_come_one_by_one_are_as_good_as_words_that_were_there() -> None:
    for seed in range(100):
        rng = Random(seed)
        whole, growing = LabelledComputation(KINDS, 6), LabelledComputation(KINDS)
        while possible := possible_steps(whole):
            step = rng.choice(possible)
            while growing.n < min(6, whole.front) or (growing.n < 6 and rng.random() < 0.2):
                growing.append()
            whole.take(step)
            growing.take(step)
        assert state(growing) == state(whole), seed


def test_words_that_were_cut_off_can_come_again() -> None:
    computation = LabelledComputation(KINDS, 4)
    for step in (SHIFT, SHIFT, 4):
        computation.take(step)
    before = state(computation)
    computation.cut(2)
    assert computation.roles(3, is_closed=True)[-3:] == [END] * 3
    computation.append()
    computation.append()
    assert state(computation) == before


def test_a_step_with_its_label_is_a_class_and_back() -> None:
    computation = LabelledComputation(KINDS, 2)
    assert computation.class_of(SHIFT, label=2) == SHIFT
    classes = [computation.class_of(step, label) for step in (1, 2) for label in range(KINDS)]
    assert classes == [*range(1, 2 * KINDS + 1)]
    assert [computation.step_of(number) for number in (SHIFT, *classes)] == [0, 1, 1, 1, 2, 2, 2]


@pytest.mark.reaches(0.4)
def test_a_reduction_attaches_its_child_with_the_label_of_its_class(reached: Reached) -> None:
    for seed in range(100):
        rng = Random(seed)
        computation = random_computation(rng, 6, rng.randrange(2, 9))
        while len(computation.stack) < 3 and SHIFT in possible_steps(computation):
            computation.take(SHIFT)
        can_reduce = len(computation.stack) >= 3
        reached(can_reduce)
        if not can_reduce:
            continue
        upper, lower = computation.stack[:-3:-1]
        for step, child, head in ((REDUCE_LEFT, upper, lower), (REDUCE_RIGHT, lower, upper)):
            assert computation.child(step) == child, seed
            computation.take(computation.class_of(step, label=2))
            edge = computation.attachments[child]
            assert (edge.head, edge.child, edge.label, edge.is_left) == (head, child, 2, child < head), seed
            computation.undo()
