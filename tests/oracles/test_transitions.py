from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from cases import each
from judges import STEPS, STRATEGY_NAMES, all_configurations, steps_from

from treewhile.oracles import Configuration, InputError
from treewhile.oracles.transitions import STRATEGIES, TRANSITIONS, as_strategy


@pytest.mark.parametrize("n", range(5))
def test_every_configuration_takes_the_steps_of_table_1_and_no_others(n: int) -> None:
    for configuration in all_configurations(n):
        expected = {row[0]: row[1:] for row in steps_from(configuration.stack, configuration.front, n)}
        assert configuration.legal_steps() == tuple(expected)
        assert configuration.is_final == (not expected)
        for step in STEPS:
            assert configuration.is_legal(step) == (step in expected)
            if step in expected:
                edge, stack, front = expected[step]
                assert configuration.edge(step) == edge
                assert configuration.apply(step) == Configuration(stack, front, n)
            else:
                for take in (configuration.edge, configuration.apply):
                    with pytest.raises(InputError, match=f"^{step} is not legal with stack \\(0"):
                        take(step)


@pytest.mark.parametrize(
    ("configuration", "step", "complaint"),
    [
        (
            Configuration((0,), 1, 3),
            "reduce_left",
            r"reduce_left is not legal with stack \(0\) and 3 words remaining: take shift instead",
        ),
        (
            Configuration((0, 1), 2, 2),
            "reduce_right",
            r"stack \(0 1\) and 1 word remaining: take shift or reduce_left instead",
        ),
        (
            Configuration((0,), 4, 3),
            "shift",
            r"\(0\) and 0 words remaining, and no other step is: this is the end",
        ),
    ],
)
def test_what_is_not_legal_is_refused_with_what_is(
    configuration: Configuration, step: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=f"{complaint}$"):
        configuration.apply(step)


def test_configurations_are_values() -> None:
    listed: Any = [0, 2, 5]
    configuration = Configuration(stack=listed, front=6, n=9)
    assert configuration == Configuration((0, 2, 5), 6, 9)
    assert len({configuration, Configuration((0, 2, 5), 6, 9), configuration.apply("shift")}) == 2
    listed.append(9)
    assert configuration.stack == (0, 2, 5)
    with pytest.raises(FrozenInstanceError):
        configuration.front = 7  # type: ignore[misc]


@each(
    "stack, front, n, complaint",
    [
        ((), 1, 1, r"the stack \(\) does not start with 0"),
        ((1, 2), 3, 3, r"the stack \(1 2\) does not start with 0"),
        ((-1, 0), 1, 1, r"the stack \(-1 0\) does not start with 0"),
        ((0, 2, 1), 3, 3, "not increasing: 1 stands above 2"),
        ((0, 1, 1), 2, 3, "not increasing: 1 stands above 1"),
        ((0, 0), 1, 3, "not increasing: 0 stands above 0"),
        ((0, -1), 1, 3, "not increasing: -1 stands above 0"),
        ((0, 2), 2, 3, "front is 2, but .* between 3.* n \\+ 1 = 4"),
        ((0, 2), 5, 3, "front is 5, but .* between 3.* n \\+ 1 = 4"),
        ((0,), 0, 3, "front is 0, but .* between 1"),
        ((0,), 2, 0, "front is 2, but .* between 1.* n \\+ 1 = 1"),
        ((0,), 1, -1, "front is 1, but .* n \\+ 1 = 0"),
        ((0, 4), 5, 3, "front is 5, but "),
        (
            (*range(500), 3),
            501,
            600,
            r"the stack \(0 1 2 3 4 5 \.\.\. 495 496 497 498 499 3\) is not increasing",
        ),
    ],
)
def test_what_is_no_configuration_is_refused_by_word(
    stack: tuple[int, ...], front: int, n: int, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        Configuration(stack, front, n)


@each("step", ["", "Shift", "reduce", None, 0, []])
def test_an_unknown_step_is_refused_with_those_that_there_are(step: Any) -> None:
    configuration = Configuration.initial(2)
    for take in (configuration.is_legal, configuration.edge, configuration.apply):
        with pytest.raises(
            InputError, match=r"there is no step .*: use one of shift, reduce_left, reduce_right"
        ):
            take(step)


@pytest.mark.parametrize("strategy", ["", "left", None, 3, []])
def test_an_unknown_strategy_is_refused_with_those_that_there_are(strategy: Any) -> None:
    with pytest.raises(InputError, match="there is no strategy .*: use one of " + ", ".join(STRATEGY_NAMES)):
        as_strategy(strategy)


def test_the_tables_hold_what_the_paper_names() -> None:
    assert tuple(TRANSITIONS) == STEPS
    assert tuple(STRATEGIES) == STRATEGY_NAMES
    named: Callable[[str], object] = as_strategy
    assert [named(name) for name in STRATEGY_NAMES] == list(STRATEGIES.values())
