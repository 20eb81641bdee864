from __future__ import annotations

from random import Random

import pytest
from cases import each
from judges import (
    STRATEGY_NAMES,
    crossed,
    every_strategy,
    random_configuration,
    random_projective_forest,
    scaled,
)

from treewhile.oracles import Configuration, kept_facts, optimal_steps
from treewhile.oracles.kept_facts import KeptFacts
from treewhile.oracles.references import as_reference
from treewhile.oracles.tracker import STEP_NUMBERS
from treewhile.oracles.transitions import as_strategy


@every_strategy
@pytest.mark.parametrize("rows", [32, 64, 1024])
def test_a_memo_that_fills_up_is_emptied_and_what_it_held_found_again(
    rows: int, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_facts, "memo_rows", lambda levels: rows)
    for seed in range(scaled(10, 2)):
        rng = Random(seed)
        reference = as_reference(random_projective_forest(rng, 14))
        configuration = Configuration.initial(14)
        kept = KeptFacts(reference, as_strategy(strategy), configuration)
        past: list[Configuration] = []
        for _ in range(scaled(120, 60)):
            expected = optimal_steps(configuration, reference, strategy, "linear")
            assert kept.scores() == expected, (seed, configuration, reference.heads)
            if past and (configuration.is_final or rng.random() < 0.45):
                configuration = past.pop()
                kept.place(configuration)
            else:
                step = rng.choice(configuration.legal_steps())
                past.append(configuration)
                configuration = configuration.apply(step)
                kept.take(STEP_NUMBERS[step])


@every_strategy
def test_a_memo_that_is_too_small_for_one_answer_grows(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_facts, "memo_rows", lambda levels: 64)
    reference = as_reference([*range(2, 31), 0, *range(30, 60)])
    configuration = Configuration(tuple(range(25)), 25, 60)
    kept = KeptFacts(reference, as_strategy(strategy), configuration)
    assert kept.scores() == optimal_steps(configuration, reference, strategy, "quadratic")
    assert len(kept.memo) > 64


def test_a_reference_that_is_not_projective_is_declined_and_changes_nothing() -> None:
    configuration = Configuration((0, 1), 2, 4)
    kept = KeptFacts(as_reference([2, 0, 2, 3]), as_strategy(STRATEGY_NAMES[0]), configuration)
    scores, filled = kept.scores(), kept.entries_filled
    assert not kept.refer_to(as_reference([3, 4, 0, 3]), configuration)
    assert (kept.scores(), kept.entries_filled) == (scores, filled)
    assert kept.refer_to(as_reference([2, 0, 2]), Configuration((0, 1), 2, 3))
    assert kept.scores() == optimal_steps(Configuration((0, 1), 2, 3), [2, 0, 2])


@every_strategy
def test_going_back_to_a_former_reference_gives_its_scores(strategy: str) -> None:
    for seed in range(scaled(30, 3)):
        rng = Random(seed)
        references = [as_reference(random_projective_forest(rng, rng.choice([5, 6]))) for _ in range(3)]
        configurations = [Configuration((0, 1, 3), 4, reference.n) for reference in references]
        kept = KeptFacts(references[0], as_strategy(strategy), configurations[0])
        for at in (0, 1, 0, 2, 1, 0, 0, 2):
            assert kept.refer_to(references[at], configurations[at])
            assert kept.scores() == optimal_steps(configurations[at], references[at], strategy), (seed, at)


@every_strategy
@each("n", [4, 7, 12])
def test_edges_that_move_leave_no_stale_fact(n: int, strategy: str) -> None:
    for seed in range(scaled(60, 8)):
        rng = Random(seed)
        heads, configuration = random_projective_forest(rng, n), random_configuration(rng, n)
        kept = KeptFacts(as_reference(heads), as_strategy(strategy), configuration)
        for _ in range(12):
            expected = optimal_steps(configuration, heads, strategy, "linear")
            assert kept.scores() == expected, (seed, configuration, heads)
            moved = crossed(rng, heads, rng.choice([1, 1, 2]))
            if rng.random() < 0.3:
                moved[rng.randrange(n)] = None
            if kept.refer_to(as_reference(moved), configuration):
                heads = moved


@every_strategy
def test_a_longer_reference_finds_room_for_all_its_words_on_the_stack(strategy: str) -> None:
    n = 200
    kept = KeptFacts(as_reference([0]), as_strategy(strategy), Configuration.initial(1))
    heads = as_reference([*range(2, n + 1), 0])
    assert kept.refer_to(heads, Configuration.initial(n))
    assert len(kept.memo) > n
    for _ in range(n):
        kept.take(STEP_NUMBERS["shift"])
    assert kept.scores() == optimal_steps(Configuration(tuple(range(n + 1)), n + 1, n), heads, strategy)
