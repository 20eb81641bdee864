from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import each
from judges import (
    Draw,
    Forest,
    all_configurations,
    all_forests,
    as_scores,
    attainable_by_search,
    every_root,
    every_strategy,
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
    count_projectivizations,
    is_projective,
    optimal_steps,
    projectivize,
)
from treewhile.oracles.references import as_edge_scores
from treewhile.oracles.steps_from_scratch import ALGORITHMS
from treewhile.oracles.tabular_parsing import LONGEST


@every_strategy
def test_the_cubic_algorithm_attains_what_some_small_computation_does(strategy: str) -> None:
    for n in range(scaled(4, 3)):
        for heads in all_forests(n):
            for configuration in all_configurations(n):
                found = optimal_steps(configuration, heads, strategy, "cubic")
                assert found == attainable_by_search(configuration, heads, strategy), (configuration, heads)


@pytest.mark.slow
@every_strategy
@every_root
@each("algorithm", ["cubic", "forward"])
@each("n", range(scaled(7, 5)))
def test_scores_add_up_to_what_some_computation_attains(
    n: int, algorithm: str, single_root: bool, strategy: str
) -> None:
    for seed in range(scaled(40, 6)):
        rng = Random(seed)
        scores, configuration = random_scores(rng, n), random_configuration(rng, n)
        found = optimal_steps(configuration, scores, strategy, algorithm, single_root)
        expected = attainable_by_search(configuration, scores, strategy, single_root)
        assert found == expected, (seed, configuration, scores)


@pytest.mark.slow
@every_strategy
@each("algorithm", ["auto", "cubic", "forward"])
def test_with_a_single_root_all_small_forests_attain_what_some_computation_does(
    algorithm: str, strategy: str
) -> None:
    for n in range(scaled(4, 3)):
        for heads in all_forests(n):
            for configuration in all_configurations(n):
                found = optimal_steps(configuration, heads, strategy, algorithm, single_root=True)
                expected = attainable_by_search(configuration, heads, strategy, single_root=True)
                assert found == expected, (configuration, heads)


@pytest.mark.slow
@every_strategy
@every_root
@each("draw", [random_forest, random_projective_forest])
def test_each_algorithm_attains_what_some_computation_does(
    draw: Draw, single_root: bool, strategy: str
) -> None:
    refused = 0
    for seed in range(scaled(120, 20)):
        rng = Random(seed)
        n = rng.randrange(1, 8)
        heads, configuration = draw(rng, n), random_configuration(rng, n)
        expected = attainable_by_search(configuration, heads, strategy, single_root)
        for algorithm in ALGORITHMS:
            try:
                found = optimal_steps(configuration, heads, strategy, algorithm, single_root)
            except InputError:
                assert algorithm in ("linear", "quadratic")
                refused += 1
            else:
                assert found == expected, (seed, algorithm, configuration, heads)
                assert all(score is None or isinstance(score, int) for score in found)
    assert (refused == 0) == (draw is random_projective_forest and not single_root)


def test_the_linear_algorithm_is_exact_with_a_single_root_only_under_its_conditions() -> None:
    """Barring the early step alone would be wrong: who took a left child there takes no right one."""
    heads, configuration = [None, 0, None], Configuration((0, 1, 2), 3, 3)
    question = configuration, heads, "right-before-left"
    assert optimal_steps(*question, "linear") == (1, 0, 1)
    assert optimal_steps(*question, single_root=True) == (1, 0, 0)
    assert attainable_by_search(*question, single_root=True) == (1, 0, 0)
    with pytest.raises(InputError, match="knows a single root only where at most one word is under 0"):
        optimal_steps(*question, "linear", single_root=True)


@every_strategy
@every_root
def test_scores_of_0_and_1_give_what_heads_give(single_root: bool, strategy: str) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        n = rng.randrange(1, scaled(15, 8))
        heads, configuration = random_forest(rng, n), random_configuration(rng, n)
        scores = np.array(as_scores(heads))
        expected = optimal_steps(configuration, heads, strategy, single_root=single_root)
        for given in (
            scores,
            scores.astype(bool),
            scores.astype(int),
            scores.tolist(),
            as_edge_scores(scores),
        ):
            found = optimal_steps(configuration, given, strategy, single_root=single_root)
            assert found == expected, (seed, configuration, heads)
            assert all(score is None or type(score) is float for score in found)


@every_strategy
@every_root
def test_sums_of_real_numbers_are_the_same_in_both_algorithms(single_root: bool, strategy: str) -> None:
    generator = np.random.default_rng(14)
    for seed in range(scaled(25, 3)):
        n = scaled(40, 10)
        scores, configuration = generator.normal(size=(n + 1, n + 1)), random_configuration(Random(seed), n)
        cubic, forward = (
            optimal_steps(configuration, scores, strategy, algorithm, single_root)
            for algorithm in ("cubic", "forward")
        )
        for a, b in zip(forward, cubic, strict=True):
            assert (a is None) == (b is None)
            assert a is None or a == pytest.approx(b, rel=1e-12), (seed, configuration)
        assert forward.best == cubic.best


def test_column_0_and_the_diagonal_are_not_read() -> None:
    scores = np.array([[9, 1, 2], [9, 9, 4], [9, 5, 9.0]])
    expected = optimal_steps(Configuration((0, 1, 2), 3, 2), scores)
    assert expected == (None, 5, 7)
    scores[:, 0] = scores[[0, 1, 2], [0, 1, 2]] = math.nan
    assert optimal_steps(Configuration((0, 1, 2), 3, 2), scores) == expected


def test_a_step_after_which_nothing_may_be_is_legal_and_worth_minus_infinity() -> None:
    scores = np.full((3, 3), -math.inf)
    found = optimal_steps(Configuration((0, 1, 2), 3, 2), scores)
    assert found == (None, -math.inf, -math.inf)
    assert found.best == ("reduce_left", "reduce_right")


def test_real_values_that_differ_by_rounding_are_ties() -> None:
    assert OptimalSteps(0.1 + 0.2, 0.3, 0.3 - 1e-8).best == ("shift", "reduce_left")
    assert OptimalSteps(3e9, 3e9 - 1, 3e9 - 5).best == ("shift", "reduce_left")
    assert OptimalSteps(-math.inf, -3.0, None).best == ("reduce_left",)


@pytest.mark.parametrize(
    ("stack", "front", "algorithm"), [(5, 36, "forward"), (400, 981, "forward"), (500, 501, "cubic")]
)
def test_auto_looks_forward_for_scores_where_few_words_are_on_the_stack_or_remain(
    stack: int, front: int, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ALGORITHMS, "forward", lambda *question: (1, 1, 1))
    monkeypatch.setitem(ALGORITHMS, "cubic", lambda *question: (2, 2, 2))
    n = 40 if front == 36 else 1000
    reference = as_edge_scores(np.zeros((n + 1, n + 1)))
    found = optimal_steps(Configuration(tuple(range(stack + 1)), front, n), reference)
    assert found.shift == {"forward": 1, "cubic": 2}[algorithm]


BAD_SCORES = [
    (np.zeros((3, 4)), r"the scores have shape \(3, 4\) and type float64: give numbers, a row for the root"),
    (np.zeros((3, 3, 3)), r"the scores have shape \(3, 3, 3\)"),
    ([[0, 1], [1]], "a row for the root and each word as head, and as many columns"),
    ([["a", "b"], ["c", "d"]], "give numbers"),
    ([[0, None], [0, 0]], "give numbers"),
    (np.zeros((2, 2)), "the configuration has 2 words, but 1 words' scores were given"),
    ([[0, 1, math.nan], [0, 0, 0], [0, 0, 0]], "the score in row 0, column 2 is nan: give a number up to"),
    ([[0, 1, 0], [0, 0, math.inf], [0, 0, 0]], r"the score in row 1, column 2 is inf: give .* or -inf"),
    ([[0, 1, 0], [0, 0, 0], [0, -1e305, 0]], "the score in row 2, column 1 is -1e[+]305"),
]


@each("scores, complaint", BAD_SCORES)
def test_bad_scores_are_refused(scores: Any, complaint: str) -> None:
    takers: list[Callable[[], object]] = [
        lambda: optimal_steps(Configuration.initial(2), scores),
        lambda: OptimalStepTracker(scores, configuration=Configuration.initial(2)),
    ]
    for take in takers:
        with pytest.raises(InputError, match=complaint):
            take()


@pytest.mark.parametrize("algorithm", ["linear", "quadratic"])
def test_the_algorithms_for_projective_references_take_no_scores(algorithm: str) -> None:
    with pytest.raises(InputError, match="needs a projective reference"):
        optimal_steps(Configuration.initial(1), [[0, 1], [0, 0]], algorithm=algorithm)


def test_the_best_steps_are_all_that_attain_the_most() -> None:
    assert {*OptimalSteps(2, 1, 2).best} == {"shift", "reduce_right"}
    assert {*OptimalSteps(None, 0, 0).best} == {"reduce_left", "reduce_right"}
    assert OptimalSteps(2, 1, None).attainable == 2
    assert (OptimalSteps(None, None, None).best, OptimalSteps(None, None, None).attainable) == ((), 0)


def test_the_best_steps_come_in_one_order_so_that_a_seed_decides_what_is_drawn_of_them() -> None:
    assert OptimalSteps(2, 2, 2).best == ("shift", "reduce_left", "reduce_right")
    assert OptimalSteps(2, 1, 2).best == ("shift", "reduce_right")
    assert Random(1).choice(OptimalSteps(2, 2, None).best) in {"shift", "reduce_left"}


def test_the_public_example_says_what_the_contract_says() -> None:
    heads = [2, 0, 2, 5, 9, 9, 6, 9, 2]
    steps = optimal_steps(Configuration(stack=(0, 2, 5), front=6, n=9), heads)
    assert (steps.shift, steps.reduce_left, steps.reduce_right) == (6, 5, 4)
    assert steps.best == ("shift",)


@pytest.mark.parametrize(
    ("heads", "algorithm"),
    [([2, 0, 2, 3], "linear"), ([3, None, 0, 3], "linear"), ([3, 4, 0, None], "cubic")],
)
def test_auto_takes_the_linear_algorithm_exactly_where_the_reference_is_projective(
    heads: Forest, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [
        optimal_steps(configuration, heads, algorithm="cubic") for configuration in all_configurations(4)
    ]
    for other in {*ALGORITHMS} - {algorithm, "auto"}:
        monkeypatch.setitem(ALGORITHMS, other, lambda *question: (None, None, None))
    assert [optimal_steps(configuration, heads) for configuration in all_configurations(4)] == expected


NON_PROJECTIVE: Forest = [3, 4, 0, 3]


@each(
    "n, heads, more, complaint",
    [
        (3, NON_PROJECTIVE, {}, "the configuration has 3 words, but 4 heads were given"),
        (1, [], {}, "the configuration has 1 words, but 0 heads were given"),
        (
            4,
            NON_PROJECTIVE,
            {"algorithm": "linear"},
            "the linear algorithm needs a projective reference: use cubic",
        ),
        (
            4,
            NON_PROJECTIVE,
            {"algorithm": "quadratic"},
            "the quadratic algorithm needs a projective reference",
        ),
        (
            4,
            NON_PROJECTIVE,
            {"algorithm": "fast"},
            "no algorithm 'fast': use one of auto, cubic, forward, quadratic, linear",
        ),
        (4, NON_PROJECTIVE, {"algorithm": None}, "there is no algorithm None"),
        (
            4,
            NON_PROJECTIVE,
            {"strategy": "greedy"},
            "there is no strategy 'greedy': use one of left-before-right, ",
        ),
        (4, [2, 3, 4, 2], {}, "the heads go round in a circle: "),
    ],
)
def test_bad_questions_are_refused(n: int, heads: Forest, more: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        optimal_steps(Configuration.initial(n), heads, **more)


@pytest.mark.slow
@every_strategy
@each("height", [0, 1, 500, 999, 1000])
def test_a_thousand_words_are_answered_for_without_recursion(height: int, strategy: str) -> None:
    n = scaled(1000, 24)
    height = height * n // 1000
    configuration = Configuration(tuple(range(height + 1)), height + 1, n)
    to_the_right, flat = list(range(n)), [n] * (n - 1) + [0]
    to_the_left, under_the_root = [*range(2, n + 1), 0], [0] * n
    for heads in (to_the_right, flat, to_the_left, under_the_root):
        scores = optimal_steps(configuration, heads, strategy, "linear")
        assert scores == optimal_steps(configuration, heads, strategy, "quadratic")
        if heads is under_the_root:  # of the words on the stack only the lowest can still get there
            assert scores.attainable == n - max(0, height - 1)
        else:
            assert scores.attainable == n or (heads is to_the_left and height > 1)


def test_what_needs_a_chart_is_refused_for_more_words_than_fit_into_memory() -> None:
    heads = [3, 4, 0, *range(3, LONGEST + 1)]
    takers: list[Callable[[], object]] = [
        lambda: optimal_steps(Configuration.initial(LONGEST + 1), heads),
        lambda: OptimalStepTracker(heads),
        lambda: projectivize(heads),
        lambda: count_projectivizations(heads),
    ]
    for take in takers:
        with pytest.raises(InputError, match=f"{LONGEST + 1} words are too many .* at most {LONGEST}"):
            take()
    chain = list(range(LONGEST + 1))
    assert optimal_steps(Configuration.initial(LONGEST + 1), chain).shift == LONGEST + 1


@pytest.mark.slow
def test_a_thousand_words_of_any_tree_are_answered_for() -> None:
    n = scaled(1000, 24)
    heads = [0, *(word // 2 for word in range(2, n + 1))]
    assert not is_projective(heads)
    at_first = optimal_steps(Configuration.initial(n), heads)
    assert at_first.shift == sum(a == b for a, b in zip(projectivize(heads, False), heads, strict=True))
    assert optimal_steps(Configuration(tuple(range(n // 2)), n // 2, n), heads).best
