"""Settings of a process: open files, thread switches and garbage collection."""

from __future__ import annotations

import gc
import os
import sys
from typing import Final


def allow_many_files() -> None:
    """Raise the limit as far as the system allows; the usual 1024 are too few for a server."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1 << 16 if hard == resource.RLIM_INFINITY else hard
    if os.name == "posix" and (soft == resource.RLIM_INFINITY or soft < wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


SWITCH_INTERVAL: Final = 0.0005  # seconds that a thread may hold the interpreter lock, a tenth of the usual
COLLECT_AFTER: Final = 3_000  # objects; the usual 700 are mostly still in use


def keep_waits_short() -> None:
    """Change the settings of this process."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])


def leave_out_of_collections() -> None:
    """Exclude all present objects from garbage collection, which would stop the loop for 0.1 s."""
    gc.collect()
    gc.freeze()
