"""What keeps an event loop from waiting long for the interpreter, where threads work beside it."""

from __future__ import annotations

import gc
import sys
from typing import Final

SWITCH_INTERVAL: Final = 0.0005  # seconds that a thread may keep the loop waiting, a tenth of the usual
COLLECT_AFTER: Final = 3_000  # objects; usual are 700, most of which are still in use


def keep_waits_short() -> None:
    """For all of this process."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])


def leave_out_of_collections() -> None:
    """All that is there: looking at code and models again would stop the loop for a tenth of a second."""
    gc.collect()
    gc.freeze()
