from __future__ import annotations

import json
from math import isnan

import numpy as np
import pytest

from treewhile.incremental.scores.completeness_scores import ChanceScore, area, reliability

TRUTH = np.array([0, 0, 1, 1], np.float32)


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.4], 1),
        ([0.4, 0.3, 0.2, 0.1], 0),
        ([0.5, 0.5, 0.5, 0.5], 0.5),
        ([0.1, 0.3, 0.2, 0.4], 0.75),
        ([0.1, 0.2, 0.2, 0.4], 0.875),
    ],
)
def test_the_area_counts_pairs_in_order_and_halves_of_ties(chances: list[float], expected: float) -> None:
    assert area(np.array(chances, np.float32), TRUTH) == expected


def test_bins_tell_what_was_said_and_what_is_true() -> None:
    low, high = reliability(np.array([0.0, 0.05, 1.0, 0.95], np.float32), np.array([0, 1, 1, 1], np.float32))
    assert (low.cases, low.chance, low.share) == (2, pytest.approx(0.025), 0.5)
    assert (high.cases, high.chance, high.share) == (2, pytest.approx(0.975), 1)


def test_scores_are_those_of_the_definitions() -> None:
    score = ChanceScore.of(np.array([0.2, 0.2, 0.2, 0.8], np.float32), TRUTH)
    assert score.brier == pytest.approx((0.04 + 0.04 + 0.64 + 0.04) / 4)
    assert score.ece == pytest.approx((3 * abs(0.2 - 1 / 3) + abs(0.8 - 1)) / 4)
    assert score.as_json()["auc"] == score.auc == 0.75


def test_an_area_that_is_not_defined_is_null_in_json() -> None:
    score = ChanceScore.of(np.array([0.2], np.float32), np.array([1], np.float32))
    assert isnan(score.auc)
    assert json.loads(json.dumps(score.as_json(), allow_nan=False))["auc"] is None
