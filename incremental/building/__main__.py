"""Command that builds the kernels of sessions for this machine, unless they are there.

    python -m treewhile.incremental.building

With a folder of kernels and a place, it is a process of the builder. With `--behind` or `--detached` it
builds at the lowest priority, or lets numba compile if there is no C compiler. It ends when its standard
input does, or, detached, after a quarter of an hour. With `--ahead` and a place, it builds libraries for
several kinds of processors there, which a wheel brings.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from treewhile.incremental.building.builder import FOLDERS, build, build_ahead, build_object, compile_all
from treewhile.incremental.building.c_compiler import has_compiler
from treewhile.oracles.prebuilt.background import BEHIND, DETACHED
from treewhile.oracles.prebuilt.library import is_sound

AHEAD: Final = "--ahead"  # argument, before a place
LOWEST: Final = 19  # priority
LONGEST: Final = 900  # seconds
BUILDING: Final = "treewhile: building kernels for this machine, once, in one to three minutes"
UNKNOWN: Final = f"treewhile: {{}} is unknown here: give nothing, or {AHEAD} and a folder"


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    first, place = (*arguments, "", "")[:2]
    if not first:
        if not is_sound():
            print(BUILDING, file=sys.stderr)
        return 0 if build() else 1
    if first == AHEAD and place:
        return 0 if build_ahead(Path(place)) else 1
    if first == DETACHED:
        if hasattr(signal, "alarm"):  # Windows has none
            signal.alarm(LONGEST)
        _build_behind()
    elif first == BEHIND:
        _end_with_input()
        _build_behind()
    elif first in FOLDERS and place:
        _end_with_input()
        build_object(first, Path(place))
    else:
        print(UNKNOWN.format(f"{' '.join(arguments):.80}"), file=sys.stderr)
        return 2
    return 0


def _build_behind() -> None:
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    if not (has_compiler() and build()):
        compile_all()


def _end_with_input() -> None:
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        os._exit(130)
