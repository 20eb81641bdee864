from __future__ import annotations

from random import Random

import pytest
from judges import STRATEGY_NAMES, all_configurations, crossed, random_forest, scaled

from treewhile.oracles import Configuration, kernels, optimal_steps
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.references import as_reference
from treewhile.oracles.tracker import STEP_NUMBERS
from treewhile.oracles.transitions import as_strategy

every_strategy = pytest.mark.parametrize("strategy", STRATEGY_NAMES)


@every_strategy
def test_nodes_that_fill_up_are_forgotten_and_found_again(strategy: str) -> None:
    n = 7
    for seed in range(scaled(6, 1)):
        rng = Random(seed)
        reference = as_reference(random_forest(rng, n))
        configuration = Configuration.initial(n)
        kept = KeptChart(reference, as_strategy(strategy), configuration)
        seen = set()
        for _ in range(scaled(600, 250)):
            assert kept.scores() == optimal_steps(configuration, reference, strategy, "cubic"), (
                seed,
                configuration,
            )
            seen.add(configuration.stack)
            if configuration.is_final or rng.random() < 0.03:
                configuration = rng.choice(list(all_configurations(n)))
                kept.place(configuration)
            else:
                step = rng.choice(configuration.legal_steps())
                configuration = configuration.apply(step)
                kept.take(STEP_NUMBERS[step])
        assert len(seen) > scaled(80, 40)  # of at most 128 stacks; the chart has room for 82 prefixes


@every_strategy
def test_every_configuration_is_answered_for_from_any_other(strategy: str) -> None:
    for seed in range(scaled(4, 1)):
        rng = Random(seed)
        n = 5
        reference = as_reference(random_forest(rng, n))
        configurations = list(all_configurations(n))
        rng.shuffle(configurations)
        kept = KeptChart(reference, as_strategy(strategy), configurations[0])
        for configuration in configurations:
            kept.place(configuration)
            assert kept.scores() == optimal_steps(configuration, reference, strategy, "cubic"), (
                seed,
                configuration,
            )


@every_strategy
def test_edges_that_move_leave_no_stale_entry(strategy: str) -> None:
    for seed in range(scaled(25, 8)):
        rng = Random(seed)
        n = rng.randrange(2, 9)
        heads = random_forest(rng, n)
        configurations = list(all_configurations(n))
        kept = KeptChart(as_reference(heads), as_strategy(strategy), configurations[0])
        for _ in range(scaled(30, 12)):
            configuration = rng.choice(configurations)
            kept.place(configuration)
            if rng.random() < 0.7:
                expected = optimal_steps(configuration, heads, strategy, "cubic")
                assert kept.scores() == expected, (seed, configuration, heads)
            heads = crossed(rng, heads, rng.choice([1, 1, 2, 5]))
            if rng.random() < 0.3:
                heads[rng.randrange(n)] = None
            assert kept.refer_to(as_reference(heads), configuration)


def test_a_reference_of_another_length_is_declined() -> None:
    configuration = Configuration((0, 1), 2, 4)
    kept = KeptChart(as_reference([3, 4, 0, 3]), as_strategy(STRATEGY_NAMES[0]), configuration)
    scores = kept.scores()
    for heads in ([3, 4, 0, 3, 3], [0, 1, 2]):
        assert not kept.refer_to(as_reference(heads), configuration)
        assert kept.scores() == scores


def test_spans_of_the_input_survive_every_step() -> None:
    """Once the first answer is there, an answer fills what at most three new prefixes attain."""
    n = scaled(60, 20)
    heads = [3, 4, 0, *range(3, n)]
    kept = KeptChart(as_reference(heads), as_strategy(STRATEGY_NAMES[0]), Configuration.initial(n))
    kept.scores()
    first = kept.entries_filled
    assert first > n * n
    for _ in range(n):
        before = kept.entries_filled
        kept.take(STEP_NUMBERS["shift"])
        kept.scores()
        assert kept.entries_filled - before <= 3 * (kernels.NODE_VALUES + 2) * n
