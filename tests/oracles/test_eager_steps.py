from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import each
from definitions.eager_steps import attainable_by_definition
from eager_judges import (
    all_eager_configurations,
    attainable_by_eager_search,
    random_eager_configuration,
)
from judges import (
    all_forests,
    as_scores,
    every_reference,
    every_root,
    random_forest,
    scaled,
)

from treewhile.oracles import (
    Configuration,
    EagerConfiguration,
    EagerSteps,
    InputError,
    optimal_steps,
)
from treewhile.oracles.eager_steps import EAGER_ALGORITHMS
from treewhile.oracles.references import as_heads_or_scores
from treewhile.oracles.tabular_parsing import LONGEST


def steps_by(
    algorithm: str, configuration: Configuration, reference: Any, single_root: bool = False
) -> EagerSteps:
    return optimal_steps(
        configuration, reference, algorithm=algorithm, single_root=single_root, system="arc-eager"
    )


def agree(configuration: EagerConfiguration, reference: Any, single_root: bool) -> bool:
    """Whether search, recurrence and algorithms give the same scores."""
    expected = attainable_by_eager_search(configuration, reference, single_root)
    checked = as_heads_or_scores(reference)
    found = [steps_by(algorithm, configuration, checked, single_root) for algorithm in EAGER_ALGORITHMS]
    defined = EagerSteps(*attainable_by_definition(configuration, checked, single_root))
    return all(one == expected for one in [*found, defined])


@every_root
def test_all_small_forests_attain_what_some_computation_does(single_root: bool) -> None:
    for n in range(scaled(4, 3)):
        for heads in all_forests(n):
            for configuration in all_eager_configurations(n):
                assert agree(configuration, heads, single_root), (configuration, heads)


@pytest.mark.slow
@every_root
@every_reference
@each("n", range(3, scaled(6, 5)))
def test_every_configuration_attains_what_some_computation_does(
    n: int, draw: Callable[[Random, int], Any], single_root: bool
) -> None:
    for number, configuration in enumerate(all_eager_configurations(n)):
        for seed in range(scaled(3, 1)):
            reference = draw(Random(1000 * number + seed), n)
            assert agree(configuration, reference, single_root), (configuration, reference)


@pytest.mark.slow
@every_root
@every_reference
@each("n", range(6, scaled(8, 7)))
def test_larger_configurations_attain_what_some_computation_does(
    n: int, draw: Callable[[Random, int], Any], single_root: bool
) -> None:
    for seed in range(scaled(25, 3)):
        rng = Random(seed)
        configuration, reference = random_eager_configuration(rng, n), draw(rng, n)
        assert agree(configuration, reference, single_root), (seed, configuration, reference)


@every_root
def test_sums_of_real_numbers_are_the_same_in_both_algorithms(single_root: bool) -> None:
    generator = np.random.default_rng(16)
    for seed in range(scaled(25, 3)):
        n = scaled(40, 10)
        scores, configuration = (
            generator.normal(size=(n + 1, n + 1)),
            random_eager_configuration(Random(seed), n),
        )
        cubic, forward = (steps_by(name, configuration, scores, single_root) for name in ("cubic", "forward"))
        assert cubic.legal_mask().tolist() == forward.legal_mask().tolist()
        assert np.allclose(cubic.as_array(), forward.as_array(), rtol=1e-12, equal_nan=True), seed
        assert forward.best == cubic.best


@every_root
def test_scores_of_0_and_1_give_what_heads_give(single_root: bool) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        n = rng.randrange(1, scaled(15, 8))
        heads, configuration = random_forest(rng, n), random_eager_configuration(rng, n)
        expected = steps_by("auto", configuration, heads, single_root)
        found = steps_by("auto", configuration, as_scores(heads), single_root)
        assert found == expected, (seed, configuration, heads)
        assert all(score is None or type(score) is int for score in expected)
        assert all(score is None or type(score) is float for score in found)


def test_a_single_root_keeps_its_child_as_long_as_words_remain() -> None:
    configuration = EagerConfiguration((0, 1), 2, 2, (1,))
    for algorithm in EAGER_ALGORITHMS:
        assert steps_by(algorithm, configuration, [0, 0]) == (None, None, 0, 1)
        assert steps_by(algorithm, configuration, [0, 0], single_root=True) == (None, None, 0, None)
        assert steps_by(algorithm, EagerConfiguration((0,), 2, 2), [0, 0], single_root=True).right_arc == 1


def test_a_plain_configuration_is_one_in_which_no_word_on_the_stack_has_a_head() -> None:
    heads = [3, 3, 0, 3]
    expected = steps_by("auto", EagerConfiguration((0, 1, 2), 3, 4), heads)
    assert expected == (0, 4, 0, None)
    assert steps_by("auto", Configuration((0, 1, 2), 3, 4), heads) == expected


def test_a_step_after_which_nothing_may_be_is_legal_and_worth_minus_infinity() -> None:
    found = steps_by("auto", EagerConfiguration((0, 1), 2, 2), np.full((3, 3), -math.inf))
    assert found == (None, -math.inf, None, None)
    assert found.best == ("left_arc",)


def test_the_answer_has_names_masks_and_an_order() -> None:
    values = EagerSteps(2, None, 2, 1)
    assert (values.shift, values.left_arc, values.right_arc, values.reduce) == (2, None, 2, 1)
    assert (values.best, values.attainable) == (("shift", "right_arc"), 2)
    assert values.legal_mask().tolist() == [True, False, True, True]
    assert values.optimal_mask().tolist() == [True, False, True, False]
    assert str(values) == "EagerSteps(shift=2, left_arc=None, right_arc=2, reduce=1)"


@each(
    "more, complaint",
    [
        ({"system": "arc-hybrid"}, "there is no system 'arc-hybrid': use one of arc-standard, arc-eager$"),
        ({"system": None}, "there is no system None: use one of"),
        (
            {"strategy": "left-before-right"},
            "arc-eager has no strategies, which order the steps of arc-standard: leave it out",
        ),
        ({"algorithm": "linear"}, "no algorithm for arc-eager 'linear': use one of auto, cubic, forward"),
        ({"configuration": EagerConfiguration((0,), 1, 2)}, "has 2 words, but 3 heads were given"),
        (
            {"configuration": Configuration((0, 1), 4, 3)},
            "word 1 on the stack has no head, and no word remains",
        ),
        (
            {"system": "arc-standard", "configuration": EagerConfiguration((0,), 1, 3)},
            "this is a configuration of arc-eager: say so by system='arc-eager'",
        ),
        ({"reference": [2, 0, 3]}, "word 3 is its own head"),
        ({"reference": [[0, 1], [1]]}, "a row for the root and each word as head"),
    ],
)
def test_bad_questions_are_refused(more: dict[str, Any], complaint: str) -> None:
    question = {"configuration": Configuration.initial(3), "reference": [2, 0, 2], "system": "arc-eager"}
    with pytest.raises(InputError, match=complaint):
        optimal_steps(**{**question, **more})  # type: ignore[call-overload]


def test_what_is_too_long_for_a_chart_is_refused() -> None:
    n = LONGEST + 1
    for algorithm in EAGER_ALGORITHMS:
        with pytest.raises(InputError, match="words are too many for a chart"):
            steps_by(algorithm, Configuration.initial(n), [0] * n)
