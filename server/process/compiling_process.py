"""The process that compiles, from outside: begun at once, before anything is imported that takes long."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Final, TypeAlias

from treewhile.oracles.kernel_sources import is_kept

# The last kernels that a parse of raw text takes, of each module: with them the others are there.
NEEDED: Final = {
    "treewhile.incremental.texts.kernels": ("merge_white_space", "relabel", "write_labels"),
    "treewhile.incremental.parsers.kernels.arcs": ("arc_scores", "head_logs", "label_logs"),
    "treewhile.incremental.parsers.kernels.both_sides": ("look_around",),
    "treewhile.incremental.parsers.kernels.decoding": ("best_arcs",),
    "treewhile.incremental.parsers.kernels.products": ("outputs_of",),
    "treewhile.incremental.parsers.kernels.recurrent": ("run_recurrent", "take_and_tag_word"),
    "treewhile.incremental.parsers.kernels.steps": ("take_steps",),
    "treewhile.incremental.parsers.kernels.tagging": ("best_tags",),
}
Process: TypeAlias = "subprocess.Popen[bytes]"

LEVEL, DETACHED = "--level=", "--detached"  # arguments of it, beside the names of models


def begin(names: Sequence[str], levels: Sequence[str] = ()) -> Process:
    """Begins to compile some levels, or all; it ends when its standard input does, and hears no Ctrl-C."""
    pipe = subprocess.PIPE
    return subprocess.Popen(_command(names, levels), stdin=pipe, stdout=pipe, start_new_session=True)


def begin_detached(names: Sequence[str]) -> None:
    """Begins to compile all where nobody waits for it: one process at a time does, and not for ever."""
    nowhere = subprocess.DEVNULL
    command = [*_command(names), DETACHED]
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _command(names: Sequence[str], levels: Sequence[str] = ()) -> list[str]:
    return [
        sys.executable,
        "-m",
        "treewhile.server.process.compiling",
        *names,
        *(LEVEL + level for level in levels),
    ]


def kill(process: Process) -> None:
    """Ends a process that compiles."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def progress_of(line: bytes) -> tuple[float, list[str]]:
    """What a line of it says: the share that is done, and the levels that are."""
    share, *levels = line.decode().split()
    return float(share), levels


class Lines:
    """Bytes as they come, in whole lines."""

    def __init__(self) -> None:
        self._rest = b""

    def added(self, more: bytes) -> list[bytes]:
        """The lines that end with these bytes or in them."""
        *lines, self._rest = (self._rest + more).split(b"\n")
        return lines


def is_parsing_compiled() -> bool:
    """Whether what a parse of raw text runs on seems to be in the cache; it is not looked into it."""
    return all(is_kept(module, name) for module, names in NEEDED.items() for name in names)
