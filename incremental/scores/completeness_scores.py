"""Scores of probabilities: ranking of true cases above others, and calibration."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.layers import Array

BINS: Final = 10


class Reliability(NamedTuple):
    """Cases of one bin: their number, mean probability, and share of true ones."""

    cases: int
    chance: float
    share: float


class ChanceScore(NamedTuple):
    """Area under the ROC curve, mean squared error (Brier), expected calibration error, and its bins.

    The area is NaN if all cases are true, or none is.
    """

    auc: float
    brier: float
    ece: float
    reliability: tuple[Reliability, ...]

    @classmethod
    def of(cls, chances: Array, truth: Array) -> ChanceScore:
        """Return the score of some probabilities, given for each whether it was true: 0 or 1."""
        bins = reliability(chances, truth)
        off = sum(one.cases * abs(one.chance - one.share) for one in bins) / len(truth)
        return cls(area(chances, truth), float(np.mean((chances - truth) ** 2)), off, bins)

    def as_json(self) -> dict[str, Any]:
        """Return the score for JSON, where an undefined area is null."""
        told = {**self._asdict(), "reliability": [one._asdict() for one in self.reliability]}
        return told if self.auc == self.auc else {**told, "auc": None}


def area(chances: Array, truth: Array) -> float:
    """Return the probability that a true case ranks above a false one; ties count half."""
    _, place, times = np.unique(chances, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    true = truth > 0
    n, others = int(true.sum()), int((~true).sum())
    return float((ranks[true].sum() - n * (n + 1) / 2) / (n * others)) if n and others else float("nan")


def reliability(chances: Array, truth: Array) -> tuple[Reliability, ...]:
    """Return the nonempty bins, from the smallest probabilities to the greatest."""
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    within = [bins == number for number in range(BINS)]
    return tuple(
        Reliability(
            int(one.sum()), float(chances[one].mean(dtype=float)), float(truth[one].mean(dtype=float))
        )
        for one in within
        if one.any()
    )
