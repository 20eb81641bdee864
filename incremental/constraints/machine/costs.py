"""Penalties as costs: integers, so their sums are exact in any order."""

from __future__ import annotations

import math
from typing import Final

IMPOSSIBLE: Final = 1 << 57  # cost of a forbidden edge; no allowed tree costs as much
HARD: Final = 1 << 40  # cost of a penalty 0, beyond any sum of others
COST_OF_E: Final = 1 << 20  # cost of a conflict whose penalty is 1/e
LEAST_TOLD: Final = 1  # cost of a constraint without a penalty: kernels take a cost of 0 for no conflict
WEAKEST: Final = 1e-12  # lower bound of penalties, except for a constant 0


def cost_of(penalty: float) -> int:
    """Return the cost of a penalty."""
    if penalty == 0:
        return HARD
    return math.floor(-math.log(max(penalty, WEAKEST)) * COST_OF_E + 0.5)


def constant_cost(penalty: float | None) -> int:
    """Return the cost of a constraint with a constant penalty, or without one."""
    return LEAST_TOLD if penalty is None else cost_of(penalty)


def penalty_of(cost: int) -> float:
    """Return the penalty with this cost, or the product of penalties with this total."""
    return 0.0 if cost >= HARD else math.exp(-cost / COST_OF_E)
