"""The rules of arc-eager parsers, judged by the table of the system where the end is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest
from reach import Reached

from treewhile.incremental.parsers.eager_computations import EagerComputation, reduce_class, unshift_class
from treewhile.incremental.parsers.eager_rules import (
    IS_FINAL,
    MUST_REDUCE,
    MUST_UNSHIFT,
    ON_HEADED,
    ON_HEADLESS,
    ON_HEADLESS_AT_LAST,
    ON_ITS_CHILD,
    ON_ROOT,
    ON_ROOT_AT_LAST,
    barred_eager_classes,
)
from treewhile.incremental.parsers.step_systems import STEP_SYSTEMS
from treewhile.oracles import EagerConfiguration, is_projective, optimal_steps
from treewhile.oracles.eager_transitions import EAGER_TRANSITIONS
from treewhile.oracles.systems import ARC_EAGER

LABELS = ("det", "root", "obj")
KINDS = len(LABELS)
ROW = STEP_SYSTEMS[ARC_EAGER]
BARRED = barred_eager_classes(LABELS)


def legal_classes(computation: EagerComputation, is_closed: bool) -> list[int]:
    """By the rules; none in the end."""
    now = ROW.situation(computation, is_closed)
    if now == IS_FINAL:
        return []
    return [unshift_class(KINDS)] if now == MUST_UNSHIFT else np.flatnonzero(BARRED[now] == 0).tolist()


def computations(configuration: EagerConfiguration, classes: Sequence[int]) -> Iterator[list[int]]:
    """The classes of step to every configuration of a sentence whose end is known, by the table."""
    yield [*classes]
    for step, score in zip(EAGER_TRANSITIONS, steps_with_one_root(configuration), strict=True):
        if score is not None:
            step_class = {"shift": 0, "left_arc": 1, "right_arc": 1 + KINDS, "reduce": reduce_class(KINDS)}
            yield from computations(configuration.apply(step), [*classes, step_class[step]])


def steps_with_one_root(configuration: EagerConfiguration) -> Sequence[float | None]:
    return optimal_steps(configuration, [None] * configuration.n, single_root=True, system=ARC_EAGER)


def configuration_of(computation: EagerComputation) -> EagerConfiguration:
    headed = [word for word in computation.stack[1:] if word in computation.attachments]
    return EagerConfiguration(tuple(computation.stack), computation.front, computation.n, tuple(headed))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_where_the_end_is_known_a_step_is_legal_where_the_table_says_so(n: int) -> None:
    for classes in computations(EagerConfiguration.initial(n), []):
        computation = EagerComputation(KINDS, n)
        for step_class in classes:
            computation.take(step_class)
        scores = steps_with_one_root(configuration_of(computation))
        expected = {step for step, score in enumerate(scores) if score is not None}
        found = {computation.step_of(one) for one in legal_classes(computation, is_closed=True)}
        assert found == expected, classes


def test_each_situation_has_its_legal_classes() -> None:
    left, right, reduce = [1, 3], [4, 6], reduce_class(KINDS)
    legal = [np.flatnonzero(row == 0).tolist() for row in BARRED]
    assert legal[ON_ROOT] == [0, 5]
    assert legal[ON_ROOT_AT_LAST] == [5]
    assert legal[ON_ITS_CHILD] == [0, *right]
    assert legal[ON_HEADLESS] == [0, *left, *right]
    assert legal[ON_HEADLESS_AT_LAST] == left
    assert legal[ON_HEADED] == [0, *right, reduce]
    assert legal[MUST_REDUCE] == [reduce]
    assert len(legal) == MUST_UNSHIFT


@pytest.mark.reaches(0.2)
@pytest.mark.parametrize("seed", range(200))
def test_whatever_was_done_before_the_end_a_tree_with_one_root_comes_of_it(
    seed: int, reached: Reached
) -> None:
    rng = Random(seed)
    n, goes_back = rng.randrange(1, 9), 0
    computation = EagerComputation(KINDS)
    for _ in range(n):
        computation.append()
        while computation.remaining and rng.random() < 0.9:
            computation.take(rng.choice(legal_classes(computation, is_closed=False)))
    while legal := legal_classes(computation, is_closed=True):
        goes_back += legal == [unshift_class(KINDS)]
        computation.take(rng.choice(legal))
    reached(goes_back == 1)
    heads = [computation.attachments[word].head for word in range(1, n + 1)]
    assert goes_back <= 1, "no other word is left then"
    assert heads.count(0) == 1
    assert is_projective(heads)
    assert all(
        (edge.head == 0) == (LABELS[edge.label] == "root") for edge in computation.attachments.values()
    )
