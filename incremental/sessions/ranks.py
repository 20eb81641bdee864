"""Which job goes first, and all that follows from that: one row a rank, read by jobs, schedule and metrics.

    rank    label   level  slice  refines  in batches  what it does
    ATTACH  attach  L0       5 ms                 yes  attaches what is typed: first analyses
    STEPS   steps   steps    5 ms                      next steps
    PASTED  pasted  L0       5 ms                      attaches what is pasted, slice by slice
    L1      L1      L1      25 ms      yes        yes  the best parse
    L2      L2      L2      25 ms      yes             the search for a better analysis

A *rank* says how urgent a job is: the lower, the sooner. A *level* is what clients and metrics call the kind
of work; that of L0 has two ranks. A *slice* is how long a job may run while others of its rank wait.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Rank(IntEnum):
    """How urgent a job is."""

    ATTACH = 0, "attach", "L0", 0.005, False, True
    STEPS = 1, "steps", "steps", 0.005, False, False
    PASTED = 2, "pasted", "L0", 0.005, False, False
    L1 = 3, "L1", "L1", 0.025, True, True
    L2 = 4, "L2", "L2", 0.025, True, False

    label: str
    level: str
    slice_seconds: float
    refines: bool
    is_batched: bool

    def __new__(
        cls, value: int, label: str, level: str, slice_seconds: float, refines: bool, is_batched: bool
    ) -> Rank:
        rank = int.__new__(cls, value)
        rank._value_ = value
        rank.label, rank.level, rank.slice_seconds = label, level, slice_seconds
        rank.refines, rank.is_batched = refines, is_batched
        return rank


RANKS_OF: Final = {
    level: tuple(rank for rank in Rank if rank.level == level) for level in ("L0", "L1", "L2", "steps")
}
