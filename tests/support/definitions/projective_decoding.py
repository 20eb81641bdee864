"""Recurrence of projective trees (Eisner 1996), in plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf

import numpy as np
import numpy.typing as npt


def best_score_by_definition(scores: npt.NDArray[np.float64], single_root: bool) -> float:
    """What the recurrence says, as it stands above: the judge of the kernel, for a few dozen words."""
    n = len(scores) - 1

    @cache
    def between(i: int, j: int) -> float:
        return _best(right(i, k) + left(k + 1, j) for k in range(i, j))

    @cache
    def left(i: int, j: int) -> float:
        if i == j:
            return 0
        return _best(left(i, k) + between(k, j) + scores[j, k] for k in range(i, j))

    @cache
    def right(i: int, j: int) -> float:
        if i == j:
            return 0
        return _best(between(i, k) + scores[i, k] + right(k, j) for k in range(i + 1, j + 1))

    if single_root:
        return _best(float(scores[0, r]) + left(1, r) + right(r, n) for r in range(1, n + 1))
    return right(0, n)


def _best(ways: Iterable[float]) -> float:
    return max(ways, default=-inf)
