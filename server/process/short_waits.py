"""Settings of the interpreter that keep an event loop beside threads from waiting long."""

from __future__ import annotations

import gc
import sys
from typing import Final

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
