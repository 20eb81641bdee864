from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from cases import each
from judges import (
    STRATEGY_NAMES,
    all_configurations,
    crossed,
    every_strategy,
    random_forest,
    random_scores,
    scaled,
)

from treewhile.oracles import Configuration, optimal_steps
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.kernels import prefixes
from treewhile.oracles.kernels.prefix_values import NODE_VALUES
from treewhile.oracles.kernels.standings import NODES
from treewhile.oracles.references import as_heads, as_heads_or_scores, as_reference
from treewhile.oracles.tracker import STEP_NUMBERS
from treewhile.oracles.transitions import as_strategy


@pytest.mark.slow
@every_strategy
def test_nodes_that_fill_up_are_forgotten_and_found_again(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefixes, "node_room", lambda width: 18)
    n, forgotten = 7, 0
    for seed in range(scaled(6, 1)):
        rng = Random(seed)
        reference = as_reference(random_forest(rng, n))
        configuration = Configuration.initial(n)
        kept = KeptChart(reference, as_strategy(strategy), configuration)
        seen = set()
        for _ in range(scaled(600, 250)):
            nodes = kept.standing[NODES]
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
                forgotten += kept.standing[NODES] < nodes
        assert len(seen) > scaled(80, 40)  # of at most 128 stacks, whose prefixes are nodes
    assert forgotten


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


@pytest.mark.slow
@every_strategy
@each("draw", [random_forest, random_scores])
def test_references_of_other_lengths_leave_no_stale_entry(draw: Any, strategy: str) -> None:
    for seed in range(scaled(40, 8)):
        rng = Random(seed)
        reference = as_heads_or_scores(draw(rng, rng.randrange(1, 8)))
        configuration = rng.choice(list(all_configurations(reference.n)))
        kept = KeptChart(reference, as_strategy(strategy), configuration)
        for _ in range(scaled(12, 6)):
            if rng.random() < 0.7:
                expected = optimal_steps(configuration, reference, strategy, "cubic")
                assert kept.scores() == expected, (seed, configuration, reference)
            reference = as_heads_or_scores(resized(rng, draw, reference))
            configuration = rng.choice(list(all_configurations(reference.n)))
            assert kept.refer_to(reference, configuration)


def resized(rng: Random, draw: Any, before: Any) -> Any:
    """A reference of another length, in which a few edges, or all, are other ones."""
    n = min(max(1, before.n + rng.choice([-2, -1, 1, 3])), 8)
    after, shared = draw(rng, n), min(n, before.n) + 1
    if rng.random() < 0.2 or (draw is random_forest and rng.random() < 0.5):
        return after
    if draw is random_forest:
        kept = [None if head is None or head > n else head for head in as_heads(before.heads)]
        return crossed(rng, [*kept, *[None] * n][:n], 1)
    scores = np.array(after, np.float64)
    scores[:shared, :shared] = before.scores[:shared, :shared]
    scores[rng.randrange(n + 1), rng.randrange(n + 1)] = rng.randrange(4)
    return scores


def test_another_length_keeps_what_words_in_both_attain_by_themselves() -> None:
    n = scaled(60, 20)
    for first, longer in (
        ([3, 4, 0, *range(3, n)], [3, 4, 0, *range(3, n + 1)]),
        (np.ones((n + 1, n + 1)), np.ones((n + 2, n + 2))),
    ):
        reference = as_heads_or_scores(first)
        kept = KeptChart(reference, as_strategy(STRATEGY_NAMES[0]), Configuration.initial(n))
        kept.scores()
        filled = kept.entries_filled
        for other, size in ((longer, n + 1), (first, n)):
            assert kept.refer_to(as_heads_or_scores(other), Configuration.initial(size))
            before = kept.entries_filled
            kept.scores()
            assert kept.entries_filled - before < 0.2 * filled


def test_a_reference_of_the_other_kind_is_declined_and_changes_nothing() -> None:
    configuration = Configuration((0, 1), 2, 2)
    kinds = as_heads_or_scores([2, 0]), as_heads_or_scores([[0, 2, 1]] * 3)
    for own, other in (kinds, kinds[::-1]):
        kept = KeptChart(own, as_strategy(STRATEGY_NAMES[0]), configuration)
        scores = kept.scores()
        assert not kept.refer_to(other, configuration)
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
        assert kept.entries_filled - before <= 3 * (NODE_VALUES + 2) * n
