"""Which job goes first, and all that follows from that: one row a rank, read by jobs, schedule and metrics.

    rank    label   level   slice  urgent  refines  can wait  batch  goes on  what it does
    ATTACH  attach  L0       5 ms     yes                                yes  attaches what is typed
    STEPS   steps   steps    5 ms     yes                                yes  next steps
    PASTED  pasted  L0       5 ms                                        yes  attaches what is pasted
    L1      L1      L1     100 ms              yes              yes           the best parse
    L2      L2      L2      25 ms              yes       yes             yes  the search for a better analysis

A *rank* says how urgent a job is: the lower, the sooner. A *level* is what clients and metrics call the kind
of work; that of L0 has two ranks. A *slice* is how long a job may run while others of its rank wait.
*Urgent* jobs come before all others, since somebody types and waits for them; those that *refine* keep to a
budget while first analyses wait too long, and those that *can wait* are for when they do not; those in a
*batch* may go together where a job names the same batch. One that *goes on* keeps what it has done when it
is told to stop. The best parse does not: its slice is longer than it takes, so that it loses that to those
who type, but to nobody else.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Rank(IntEnum):
    """How urgent a job is."""

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


# By the levels that are got ready one after the other.
RANKS_OF: Final[dict[str, tuple[Rank, ...]]] = {
    "L0": (Rank.ATTACH, Rank.PASTED),
    "L1": (Rank.L1,),
    "L2": (Rank.L2,),
    "steps": (Rank.STEPS,),
}
