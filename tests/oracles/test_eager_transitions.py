from __future__ import annotations

from typing import Any

import pytest
from cases import each
from eager_judges import EAGER_STEPS, all_eager_configurations, eager_steps_from, eager_trees
from judges import all_projective_trees

from treewhile.oracles import Configuration, EagerConfiguration, InputError
from treewhile.oracles.transitions import EAGER_TRANSITIONS

START = EagerConfiguration((0,), 1, 3)


@pytest.mark.parametrize("n", range(5))
def test_every_configuration_takes_the_steps_that_a_tree_can_come_of_and_no_others(n: int) -> None:
    for configuration in all_eager_configurations(n):
        stack, headed, front = configuration.stack, configuration.headed, configuration.front
        possible = eager_trees(stack, headed, front, n)
        assert configuration.legal_steps() == tuple(step for step in EAGER_STEPS if step in possible)
        assert configuration.is_final == (not possible)
        for step, edge, *after in eager_steps_from(stack, headed, front, n):
            assert configuration.is_legal(step) == (step in possible)
            if step in possible:
                stack_after, headed_after, front_after = after
                expected = EagerConfiguration(stack_after, front_after, n, headed_after)  # type: ignore[arg-type]
                assert configuration.edge(step) == edge
                assert configuration.apply(step) == expected


@pytest.mark.parametrize("n", range(5))
def test_the_computations_of_a_sentence_make_all_projective_trees_and_no_others(n: int) -> None:
    made = {frozenset((head, word) for word, head in enumerate(tree, 1)) for tree in all_projective_trees(n)}
    assert trees_from(EagerConfiguration.initial(n)) == made


def trees_from(configuration: EagerConfiguration) -> set[frozenset[tuple[int, int]]]:
    if configuration.is_final:
        return {frozenset()}
    found = set()
    for step in configuration.legal_steps():
        edge = configuration.edge(step)
        rest = trees_from(configuration.apply(step))
        found |= {tree | ({edge} if edge else set()) for tree in rest}
    return found


@each(
    "configuration, step, complaint",
    [
        (
            START,
            "left_arc",
            r"^left_arc is not legal .* \(0\) and 3 words remaining: take shift or right_arc",
        ),
        (START, "reduce", "^reduce is not legal .*: take shift or right_arc instead$"),
        (
            EagerConfiguration((0, 1), 2, 3),
            "reduce",
            r"\(0 1\) and 2 words remaining: take shift or left_arc or right_arc instead$",
        ),
        (
            EagerConfiguration((0, 1, 2), 3, 3, (2,)),
            "left_arc",
            r"with stack \(0 1 2\), where \(2\) have heads, and 1 word remaining: take reduce instead$",
        ),
        (
            EagerConfiguration((0, 1, 2), 3, 3, (2,)),
            "right_arc",
            "and 1 word remaining: take reduce instead$",
        ),
        (EagerConfiguration((0, 1), 2, 2), "shift", "and 1 word remaining: take left_arc instead$"),
        (EagerConfiguration((0,), 3, 2), "shift", "and 0 words remaining, and no other step is: this is the"),
    ],
)
def test_what_is_not_legal_is_refused_with_what_is(
    configuration: EagerConfiguration, step: str, complaint: str
) -> None:
    for take in (configuration.apply, configuration.edge):
        with pytest.raises(InputError, match=complaint):
            take(step)


@each("step", ["", "reduce_left", "Shift", None, 0, []])
def test_an_unknown_step_is_refused_with_those_that_there_are(step: Any) -> None:
    for take in (START.is_legal, START.edge, START.apply):
        with pytest.raises(
            InputError, match=r"there is no step of arc-eager .*: use one of shift, left_arc, "
        ):
            take(step)


def test_configurations_are_values() -> None:
    listed: Any = [4, 2]
    configuration = EagerConfiguration((0, 1, 2, 4), 5, 6, headed=listed)
    assert configuration == EagerConfiguration((0, 1, 2, 4), 5, 6, (2, 4))
    assert configuration != EagerConfiguration((0, 1, 2, 4), 5, 6, (4,))
    assert EagerConfiguration((0, 1), 2, 3) != Configuration((0, 1), 2, 3)
    assert len({configuration, EagerConfiguration((0, 1, 2, 4), 5, 6, (2, 4)), START}) == 2


@each(
    "stack, front, n, headed, complaint",
    [
        ((1,), 2, 3, (), r"the stack \(1\) does not start with 0"),
        ((0, 2), 2, 3, (), "front is 2, but .* between 3"),
        (
            (0, 2),
            3,
            3,
            (1,),
            r"1 is among those that have a head, but not among the words on the stack \(0 2\)",
        ),
        ((0, 2), 3, 3, (0,), "0 is among those that have a head, but not among the words on the stack"),
        ((0, 2), 3, 3, (2, 2), "word 2 is twice among those that have a head"),
        ((0, 1, 2, 3), 4, 3, (1, 3), "word 2 on the stack has no head, and no word remains to be it"),
        ((0, 2), 3, 3, ("2",), "a configuration is made of whole numbers, and '2' is none"),
    ],
)
def test_what_is_no_configuration_is_refused_by_word(
    stack: tuple[int, ...], front: int, n: int, headed: Any, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        EagerConfiguration(stack, front, n, headed)


def test_the_table_has_the_steps_in_the_order_of_the_scores() -> None:
    assert tuple(EAGER_TRANSITIONS) == EAGER_STEPS
