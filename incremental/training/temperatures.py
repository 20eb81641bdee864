"""Temperature of a model: the divisor of arc scores over open prefixes before the softmax.

The likelihood of the right choices has a single maximum over 1 / temperature, since its logarithm is concave
there: the slope, the mean score of the right choice less the expected score, falls through 0 once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import torch
from torch import Tensor

from treewhile.incremental.parsers.model_contents import COLDEST, HOTTEST

HALVINGS: Final = 40


class Choices(NamedTuple):
    """Choices among places, one for every row, and the right ones."""

    scores: Tensor  # [choice, place], -inf for impossible places
    right: Tensor  # [choice]


def fitted_temperature(choices: Sequence[Choices]) -> float:
    """Return the temperature under which the right choices are likeliest; 1 where there are none."""
    if not any(len(right) for _, right in choices):
        return 1.0
    low, high = 1 / HOTTEST, 1 / COLDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(choices, middle) > 0 else (low, middle)
    return 2 / (low + high)


def _slope(choices: Sequence[Choices], inverse: float) -> float:
    """Return the slope of the log-likelihood over the inverse of the temperature."""
    return sum(_slope_of(scores.double(), right, inverse) for scores, right in choices)


def _slope_of(scores: Tensor, right: Tensor, inverse: float) -> float:
    chances = (scores * inverse).softmax(-1)
    expected = (chances * scores.masked_fill(scores == -torch.inf, 0)).sum(-1)
    return float((scores.gather(-1, right[:, None]).squeeze(-1) - expected).sum())
