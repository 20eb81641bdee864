"""Command that builds the kernels of sessions for this machine, unless they are there.

    python -m treewhile.incremental.building

With a folder of kernels and a place, it is a process of the builder, and ends when its standard input does.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from treewhile.incremental.building.builder import build, build_object
from treewhile.oracles.prebuilt.library import is_built

BUILDING: Final = "treewhile: building kernels for this machine, once, in a minute or so"


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    if arguments:
        folder, place = arguments
        threading.Thread(target=_end_with_input, daemon=True).start()
        build_object(folder, Path(place))
        return 0
    if not is_built():
        print(BUILDING, file=sys.stderr)
    return 0 if build() else 1


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        os._exit(130)
