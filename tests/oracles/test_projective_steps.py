from __future__ import annotations

from random import Random

import pytest
from cases import each
from definitions.projective_steps import attainable_by_definition
from judges import (
    STRATEGY_NAMES,
    all_configurations,
    all_forests,
    every_strategy,
    random_configuration,
    random_projective_forest,
    scaled,
)

from treewhile.oracles import Configuration, optimal_steps, projective_steps
from treewhile.oracles.projective_steps import attainable_when_projective
from treewhile.oracles.references import as_reference
from treewhile.oracles.transitions import as_strategy


def agree(configuration: Configuration, heads: object, strategy: str, seed: object = None) -> None:
    """The kernel and the definition, pruned and not, attain what the cubic algorithm attains."""
    reference, row = as_reference(heads), as_strategy(strategy)  # type: ignore[arg-type]
    expected = optimal_steps(configuration, reference, strategy, "cubic")
    for pruned in (True, False):
        for attainable in (attainable_when_projective, attainable_by_definition):
            found = attainable(configuration, reference, row, pruned)
            assert found == expected, (seed, attainable.__name__, pruned, configuration, heads)


@every_strategy
def test_all_small_configurations_attain_what_the_cubic_algorithm_says(strategy: str) -> None:
    for n in range(scaled(4, 3)):
        for heads in all_forests(n):
            if as_reference(heads).is_projective:
                for configuration in all_configurations(n):
                    agree(configuration, heads, strategy)


@every_strategy
@each("n", [5, 8, 13, 20, 30])
def test_random_configurations_attain_what_the_cubic_algorithm_says(n: int, strategy: str) -> None:
    for seed in range(scaled(60, 6)):
        rng = Random(seed)
        agree(random_configuration(rng, n), random_projective_forest(rng, n), strategy, seed)


@every_strategy
def test_linear_and_quadratic_agree_on_long_sentences(strategy: str) -> None:
    for seed in range(scaled(40, 3)):
        rng = Random(seed)
        n = rng.randrange(scaled(200, 40))
        heads, configuration = random_projective_forest(rng, n), random_configuration(rng, n)
        answers = {
            optimal_steps(configuration, heads, strategy, name) for name in ("linear", "quadratic", "auto")
        }
        assert len(answers) == 1, (seed, configuration, heads)


def test_a_memo_that_is_too_small_is_made_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(1)
    heads = as_reference(random_projective_forest(rng, 40))
    configuration = Configuration(tuple(range(21)), 21, 40)
    expected = {name: optimal_steps(configuration, heads, name, "quadratic") for name in STRATEGY_NAMES}
    monkeypatch.setattr(projective_steps, "memo_rows", lambda levels: 64)
    for name in STRATEGY_NAMES:
        assert optimal_steps(configuration, heads, name, "quadratic") == expected[name]
