"""Where a parser stands and by which rules it goes: numbers beside the tables of what is kept.

All numbers that go from kernel to kernel are 64-bit ones, none a literal, or numba compiles for each type
anew.
"""

from __future__ import annotations

from typing import Final

STANDING_SIZE: Final = 10
(
    TOP,  # the stack level of the top
    FRONT,  # the first word that remains
    FACTS,  # in the memo
    NODES,  # words upon stacks that have a number
    FILLED,  # entries ever computed
    PRUNED,  # whether what cannot gain anything is left out
    BARS_LEFT_AFTER_SHIFT,  # the strategy, as `transitions` has it
    BARS_LEFT_BELOW_TOP,
    BARS_RIGHT,
    SINGLE_ROOT,
) = range(STANDING_SIZE)

# Steps by number.
SHIFT, REDUCE_LEFT, REDUCE_RIGHT = range(3)
