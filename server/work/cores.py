"""Number of processor cores for this process."""

from __future__ import annotations

import os


def cores() -> int:
    """Return the number of cores that the system gives to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
