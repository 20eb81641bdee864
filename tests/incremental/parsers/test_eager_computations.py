from __future__ import annotations

from random import Random

import numpy as np
import pytest
from reach import Reached

from treewhile.incremental.parsers.eager_computations import (
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    UNSHIFT,
    EagerComputation,
    steps_to,
    unshift_class,
)
from treewhile.incremental.parsers.eager_rules import IS_FINAL, MUST_UNSHIFT, barred_eager_classes
from treewhile.incremental.parsers.labelled_computations import END, HIDDEN, NONE, ROOT, SHIFT
from treewhile.incremental.parsers.step_systems import STEP_SYSTEMS
from treewhile.oracles import projectivize
from treewhile.oracles.systems import ARC_EAGER

KINDS = 3
BARRED = barred_eager_classes(("a", "root", "b"))
LEFT, RIGHT, REDUCED = 1, 1 + KINDS, 1 + 2 * KINDS


def possible_classes(computation: EagerComputation, is_closed: bool) -> list[int]:
    if not (is_closed or computation.remaining):
        return []
    now = STEP_SYSTEMS[ARC_EAGER].situation(computation, is_closed)
    if now in (IS_FINAL, MUST_UNSHIFT):
        return [unshift_class(KINDS)] * (now == MUST_UNSHIFT)
    return np.flatnonzero(BARRED[now] == 0).tolist()


def random_computation(rng: Random, n: int, steps: int) -> EagerComputation:
    """Of a sentence that is open at first."""
    computation = EagerComputation(KINDS, n)
    for number in range(steps):
        if possible := possible_classes(computation, is_closed=number > n):
            computation.take(rng.choice(possible))
    return computation


def state(computation: EagerComputation) -> object:
    """All that can be seen from outside."""
    return (
        [*computation.stack],
        (computation.front, computation.last, computation.n),
        dict(computation.attachments),
        (computation.has_head, computation.headless, computation.steps_taken),
        computation.roles(3, is_closed=True),
    )


def roles_by_definition(computation: EagerComputation, ahead: int, is_closed: bool) -> list[int]:
    """The roles read off the stack and the edges."""
    stack, front, last = computation.stack, computation.front, computation.last

    def node(depth: int) -> int:
        return NONE if depth > len(stack) else stack[-depth] or ROOT

    def outermost(head: int, is_left: bool) -> int:
        sided = [
            child
            for child, edge in computation.attachments.items()
            if edge.head == head and (child < head) == is_left
        ]
        return NONE if not sided else min(sided) if is_left else max(sided)

    def word(place: int) -> int:
        if front + place <= last:
            return front + place if place <= ahead else HIDDEN
        return END if is_closed and (place <= ahead or front >= last) else HIDDEN

    head_of_top = node(2) if stack[-1] in computation.attachments else NONE
    of_front = outermost(front, is_left=True) if front <= last else NONE
    children = [outermost(stack[-1], is_left) for is_left in (True, False)]
    return [*map(node, (1, 2, 3)), *children, head_of_top, of_front, *map(word, range(4))]


def test_the_roles_are_the_top_of_the_stack_its_children_and_head_and_the_next_words() -> None:
    computation = EagerComputation(KINDS, 7)
    for step in (SHIFT, LEFT, RIGHT + 1, RIGHT, SHIFT, LEFT):  # 2 takes 1 and 3, 5 takes 4
        computation.take(step)
    assert computation.stack == [0, 2, 3]
    nodes = [3, 2, ROOT, NONE, NONE, 2, 4]
    assert computation.roles(3, is_closed=True) == [*nodes, 5, 6, 7, END]
    assert computation.roles(1, is_closed=True) == [*nodes, 5, 6, HIDDEN, HIDDEN]
    assert computation.roles(0, is_closed=False) == [*nodes, 5, HIDDEN, HIDDEN, HIDDEN]


def test_before_the_first_step_there_is_the_root_alone() -> None:
    nothing = [ROOT, *[NONE] * 6]
    assert EagerComputation(KINDS).roles(3, is_closed=False) == [*nothing, *[HIDDEN] * 4]
    assert EagerComputation(KINDS).roles(0, is_closed=True) == [*nothing, *[END] * 4]


@pytest.mark.reaches(0.1)
def test_the_roles_are_those_of_the_definition(reached: Reached) -> None:
    for seed in range(300):
        rng = Random(seed)
        computation = random_computation(rng, rng.randrange(8), rng.randrange(20))
        reached(computation.last < computation.n)
        for ahead in range(4):
            for is_closed in (False, True):
                expected = roles_by_definition(computation, ahead, is_closed)
                assert computation.roles(ahead, is_closed) == expected, (seed, ahead, is_closed)


def test_undoing_gives_back_every_state() -> None:
    for seed in range(100):
        rng = Random(seed)
        computation, states = EagerComputation(KINDS, 6), []
        while possible := possible_classes(computation, is_closed=len(states) > 5):
            states.append(state(computation))
            computation.take(rng.choice(possible))
        while states:
            computation.undo()
            assert state(computation) == states.pop(), seed


def test_words_that_come_one_by_one_are_as_good_as_words_that_were_there() -> None:
    for seed in range(100):
        rng = Random(seed)
        whole, growing = EagerComputation(KINDS, 6), EagerComputation(KINDS)
        while possible := possible_classes(whole, is_closed=True):
            step = rng.choice(possible)
            while growing.n < min(6, whole.front) or (growing.n < 6 and rng.random() < 0.2):
                growing.append()
            whole.take(step)
            growing.take(step)
        assert state(growing) == state(whole), seed


def test_words_that_were_cut_off_can_come_again() -> None:
    computation = EagerComputation(KINDS, 4)
    for step in (SHIFT, LEFT):
        computation.take(step)
    before = state(computation)
    computation.cut(2)
    assert computation.roles(3, is_closed=True)[-3:] == [END] * 3
    computation.append()
    computation.append()
    assert state(computation) == before


def test_a_step_with_its_label_is_a_class_and_back() -> None:
    computation, plain = EagerComputation(KINDS, 2), (SHIFT, REDUCE, UNSHIFT)
    classes = [computation.class_of(step, label) for step in (LEFT_ARC, RIGHT_ARC) for label in range(KINDS)]
    assert classes == [*range(1, 2 * KINDS + 1)]
    assert [computation.step_of(number) for number in classes] == [LEFT_ARC] * KINDS + [RIGHT_ARC] * KINDS
    assert [computation.class_of(step, label=2) for step in plain] == [0, REDUCED, unshift_class(KINDS)]
    assert [computation.step_of(computation.class_of(step, label=1)) for step in plain] == [*plain]


def test_a_word_that_was_left_goes_back_and_takes_what_stands_below_it() -> None:
    computation = EagerComputation(KINDS, 3)
    for step in (SHIFT, SHIFT, RIGHT):  # 3 is the child of 2, and the sentence ends
        computation.take(step)
    for step in (REDUCED, unshift_class(KINDS)):
        computation.take(step)
    assert (computation.front, computation.last, computation.stack) == (2, 2, [0, 1])
    assert computation.roles(3, is_closed=True)[-4:] == [2, END, END, END]
    for step in (LEFT, RIGHT + 1, REDUCED):
        computation.take(step)
    assert (computation.stack, computation.remaining) == ([0], 0)
    assert {child: edge.head for child, edge in computation.attachments.items()} == {3: 2, 1: 2, 2: 0}


def test_steps_to_a_tree_lead_there() -> None:
    for seed in range(60):
        rng = Random(seed)
        n = rng.randrange(1, 12)
        order = rng.sample(range(1, n + 1), n)
        heads = {word: rng.choice(order[:at]) if at else 0 for at, word in enumerate(order)}
        tree = projectivize([heads[word] for word in range(1, n + 1)])
        computation = EagerComputation(KINDS, n)
        for step in steps_to(tree):
            computation.take(computation.class_of(step, label=0))
        assert [computation.attachments[word].head for word in range(1, n + 1)] == tree, seed
