"""Penalties as costs: whole numbers, so that their sums are exact in any order."""

from __future__ import annotations

import math
from typing import Final

IMPOSSIBLE: Final = 1 << 57  # what an edge costs that may not be; no tree that may be costs as much
HARD: Final = 1 << 40  # the cost of a penalty 0, beyond any sum of others
COST_OF_E: Final = 1 << 20  # the cost of a conflict whose penalty is 1/e
LEAST_TOLD: Final = 1  # the cost of what has no penalty: kernels take what costs nothing for no conflict
WEAKEST: Final = 1e-12  # no penalty counts as less, unless it is a constant 0


def cost_of(penalty: float) -> int:
    """The cost of a penalty."""
    if penalty == 0:
        return HARD
    return math.floor(-math.log(max(penalty, WEAKEST)) * COST_OF_E + 0.5)


def constant_cost(penalty: float | None) -> int:
    """The cost of a constraint whose penalty is not computed; where it has none, the least that is told."""
    return LEAST_TOLD if penalty is None else cost_of(penalty)


def penalty_of(cost: int) -> float:
    """The penalty that has this cost, or the product of those that have it together."""
    return 0.0 if cost >= HARD else math.exp(-cost / COST_OF_E)
