"""Builder of kernels in the background: a process of the lowest rank, which ends with this one.

It has a session of its own, so that a terminal sends no Ctrl-C to it.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final

BUILDER: Final = "treewhile.incremental.building"
BEHIND: Final = "--behind"  # argument of the builder in the background
DETACHED: Final = "--detached"  # argument of one that goes on when this process ends
PAUSE: Final = 0.5  # seconds in which a process that needs kernels only once may end

_begun = threading.Lock()


def begin(replace: Callable[[], object]) -> None:
    """Build kernels in the background, once for this process, and call `replace` when they are there."""
    if _begun.acquire(blocking=False):
        threading.Thread(target=_build, args=[replace], name="building kernels", daemon=True).start()


def _build(replace: Callable[[], object]) -> None:
    time.sleep(PAUSE)
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", BUILDER, BEHIND]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=nowhere, start_new_session=True) as process:
        process.wait()
    replace()


def begin_detached() -> None:
    """Build kernels in the background, at most for some minutes, whatever becomes of this process."""
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", BUILDER, DETACHED]
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def compiled_kernels() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each kernel once numba has compiled or loaded it."""
    yield from import_module(f"{BUILDER}.compiled_kernels").compiled()


def forget() -> bool:
    """Forget, in a forked process, whether building was begun; return whether it was."""
    global _begun
    was_begun = _begun.locked()
    _begun = threading.Lock()
    return was_begun
