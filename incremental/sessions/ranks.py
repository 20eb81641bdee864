"""Ranks of jobs and their consequences: one row a rank, read by jobs, schedule and metrics.

    rank    label   level   slice  urgent  refines  can wait  batch  goes on  what it does
    ATTACH  attach  L0       5 ms     yes                                yes  attaches what is typed
    STEPS   steps   steps    5 ms     yes                                yes  next steps
    PASTED  pasted  L0       5 ms                                        yes  attaches what is pasted
    L1      L1      L1     100 ms              yes              yes           the best parse
    L2      L2      L2      25 ms              yes       yes             yes  the search for a better analysis

A *rank* is the urgency of a job: the lower, the sooner. A *level* is the kind of work for clients and
metrics; that of L0 has two ranks. A *slice* is the time that a job may run while others of its rank wait.
*Urgent* jobs come before all others, since somebody types and waits for them; those that *refine* keep to a
budget while first analyses wait too long, and those that *can wait* run only if none does; those in a *batch*
may run together if their batch keys are equal. A job that *goes on* keeps its progress when it is told to
stop. The best parse does not: its slice is longer than its running time, so only urgent jobs make it lose its
progress.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Rank(IntEnum):
    """Rank of a job: its urgency, and properties."""

    ATTACH = 0, "attach", "L0", 0.005, True, False, False, False, True
    STEPS = 1, "steps", "steps", 0.005, True, False, False, False, True
    PASTED = 2, "pasted", "L0", 0.005, False, False, False, False, True
    L1 = 3, "L1", "L1", 0.1, False, True, False, True, False
    L2 = 4, "L2", "L2", 0.025, False, True, True, False, True

    label: str
    level: str
    slice_seconds: float
    is_urgent: bool
    refines: bool
    can_wait: bool
    is_batched: bool
    goes_on: bool

    def __new__(
        cls,
        value: int,
        label: str,
        level: str,
        slice_seconds: float,
        is_urgent: bool,
        refines: bool,
        can_wait: bool,
        is_batched: bool,
        goes_on: bool,
    ) -> Rank:
        rank = int.__new__(cls, value)
        rank._value_ = value
        rank.label, rank.level, rank.slice_seconds = label, level, slice_seconds
        rank.is_urgent, rank.refines, rank.can_wait = is_urgent, refines, can_wait
        rank.is_batched, rank.goes_on = is_batched, goes_on
        return rank


# Ranks by level, in the order in which levels are computed.
RANKS_OF: Final[dict[str, tuple[Rank, ...]]] = {
    "L0": (Rank.ATTACH, Rank.PASTED),
    "L1": (Rank.L1,),
    "L2": (Rank.L2,),
    "steps": (Rank.STEPS,),
}
