"""Recurrence of projective trees with siblings, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf

import numpy as np
import numpy.typing as npt


def best_score_by_definition(
    scores: npt.NDArray[np.float64], siblings: npt.NDArray[np.float64], single_root: bool
) -> float:
    """What the recurrence says, as it stands above: the judge of the kernel, for a few dozen words."""
    n = len(scores) - 1

    @cache
    def between(i: int, j: int) -> float:
        return _best(right(i, k) + left(k + 1, j) for k in range(i, j))

    @cache
    def left_open(i: int, j: int) -> float:
        first = right(i, j - 1) + siblings[j, j, i]
        more = (between(i, k) + left_open(k, j) + siblings[j, k, i] for k in range(i + 1, j))
        return float(scores[j, i]) + _best([first, *more])

    @cache
    def right_open(i: int, j: int) -> float:
        first = left(i + 1, j) + siblings[i, i, j]
        more = (right_open(i, k) + between(k, j) + siblings[i, k, j] for k in range(i + 1, j))
        return float(scores[i, j]) + _best([first, *more])

    @cache
    def left(i: int, j: int) -> float:
        return 0 if i == j else _best(left(i, k) + left_open(k, j) for k in range(i, j))

    @cache
    def right(i: int, j: int) -> float:
        return 0 if i == j else _best(right_open(i, k) + right(k, j) for k in range(i + 1, j + 1))

    if single_root:
        return _best(
            float(scores[0, r] + siblings[0, 0, r]) + left(1, r) + right(r, n) for r in range(1, n + 1)
        )
    return right(0, n)


def _best(ways: Iterable[float]) -> float:
    return max(ways, default=-inf)
