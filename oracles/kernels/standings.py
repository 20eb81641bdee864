"""Configuration and rules of a parser: numbers beside the tables of kept values.

All numbers passed between kernels are 64-bit ones, none a literal, or numba compiles each kernel again for
each type.
"""

from __future__ import annotations

from typing import Final

STANDING_SIZE: Final = 10
(
    TOP,  # stack level of the top
    FRONT,  # first word that remains
    FACTS,  # number of facts in the memo
    NODES,  # number of numbered nodes
    FILLED,  # number of entries computed so far
    PRUNED,  # whether options without any gain are left out
    BARS_LEFT_AFTER_SHIFT,  # the strategy, as in `transitions`
    BARS_LEFT_BELOW_TOP,
    BARS_RIGHT,
    SINGLE_ROOT,
) = range(STANDING_SIZE)

# Numbers of steps.
SHIFT, REDUCE_LEFT, REDUCE_RIGHT = range(3)
