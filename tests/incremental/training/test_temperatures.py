from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST
from treewhile.incremental.training.step_scores import Choices, fitted_temperature


def drawn(temperature: float, seed: int, choices: int = 4000) -> Choices:
    """Scores of which some are barred, and what is drawn by them at a temperature."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(choices, 7, generator=generator) * 3
    scores[:, 1:] = scores[:, 1:].masked_fill(torch.rand(choices, 6, generator=generator) < 0.3, -math.inf)
    chances = (scores / temperature).softmax(-1)
    return Choices(scores, chances.multinomial(1, generator=generator).squeeze(-1))


def loss(choices: Choices, temperature: float) -> float:
    return float(functional.cross_entropy(choices.scores.double() / temperature, choices.right))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_temperature_is_the_one_by_which_things_were_drawn(temperature: float) -> None:
    assert fitted_temperature([drawn(temperature, seed=1)]) == pytest.approx(temperature, rel=0.1)


def test_no_other_temperature_makes_what_is_right_likelier() -> None:
    for seed in range(5):
        choices = drawn(2.0, seed, choices=50)
        found = fitted_temperature([choices])
        least = loss(choices, found)
        assert all(least <= loss(choices, found * factor) for factor in (0.5, 0.9, 0.999, 1.001, 1.1, 2))


def test_batches_count_by_their_choices() -> None:
    one, other = drawn(1.0, seed=1), drawn(4.0, seed=2, choices=100)
    both = Choices(torch.cat([one.scores, other.scores]), torch.cat([one.right, other.right]))
    assert fitted_temperature([one, other]) == pytest.approx(fitted_temperature([both]))


def test_where_all_is_right_or_all_is_wrong_it_stays_within_its_bounds() -> None:
    scores = torch.tensor([[1.0, 0.0]])
    assert fitted_temperature([Choices(scores, torch.tensor([0]))]) == pytest.approx(COLDEST)
    assert fitted_temperature([Choices(scores, torch.tensor([1]))]) == pytest.approx(HOTTEST)


def test_without_choices_scores_stay_as_they_are() -> None:
    assert fitted_temperature([]) == 1.0
    assert fitted_temperature([Choices(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long))]) == 1.0
