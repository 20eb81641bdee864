"""The temperature of a model: what scores of arcs over open prefixes are divided by to become probabilities.

The likelihood of what is right has one greatest value over 1 / temperature, since its logarithm is concave
there: its slope, the mean score of what is right less the one that is expected, falls through 0 once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import torch
from torch import Tensor

from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST

HALVINGS: Final = 40


class Choices(NamedTuple):
    """Places to choose from, once for every row, and the right ones."""

    scores: Tensor  # [choice, place], -inf for what cannot be
    right: Tensor  # [choice]


def fitted_temperature(choices: Sequence[Choices]) -> float:
    """The one under which the right choices are likeliest; 1 where there are none."""
    if not any(len(right) for _, right in choices):
        return 1.0
    low, high = 1 / HOTTEST, 1 / COLDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(choices, middle) > 0 else (low, middle)
    return 2 / (low + high)


def _slope(choices: Sequence[Choices], inverse: float) -> float:
    """Of the logarithm of the likelihood over the inverse of the temperature."""
    return sum(_slope_of(scores.double(), right, inverse) for scores, right in choices)


def _slope_of(scores: Tensor, right: Tensor, inverse: float) -> float:
    chances = (scores * inverse).softmax(-1)
    expected = (chances * scores.masked_fill(scores == -torch.inf, 0)).sum(-1)
    return float((scores.gather(-1, right[:, None]).squeeze(-1) - expected).sum())
