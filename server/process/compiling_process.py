"""The process that compiles, from outside: begun at once, before anything is imported that takes long."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from treewhile.oracles.kernel_sources import is_kept
from treewhile.oracles.trees.class_names import MH4
from treewhile.server.work.served_models import ServedModels

# The last kernels that a parse of raw text takes, of each module: with them the others are there.
NEEDED: Final[Mapping[str, Sequence[str]]] = {
    "treewhile.incremental.texts.kernels": ("merge_white_space", "relabel", "write_labels"),
    "treewhile.incremental.parsers.kernels.arcs": ("arc_scores", "head_logs", "label_logs"),
    "treewhile.incremental.parsers.kernels.both_sides": ("look_around",),
    "treewhile.incremental.parsers.kernels.decoding": ("best_arcs",),
    "treewhile.incremental.parsers.kernels.products": ("outputs_of",),
    "treewhile.incremental.parsers.kernels.recurrent": ("run_recurrent", "take_and_tag_word"),
    "treewhile.incremental.parsers.kernels.steps": ("attach_word", "take_steps"),
    "treewhile.incremental.parsers.kernels.tagging": ("best_tags",),
    "treewhile.oracles.constituents.kernels.span_trees": ("fill_columns", "trace_spans"),
}

# Those that a class of trees takes beside the projective ones.
NEEDED_IN: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    MH4: {
        "treewhile.incremental.parsers.kernels.mh4_columns": ("fill_virtual_columns",),
        "treewhile.oracles.trees.kernels.four_heads": ("fill_columns",),
        "treewhile.oracles.trees.kernels.four_head_traces": ("trace_tree",),
        "treewhile.oracles.trees.kernels.shapes": ("examine_tree",),
        "treewhile.oracles.trees.kernels.spanning": ("spanning_heads",),
    }
}
Process: TypeAlias = "subprocess.Popen[bytes]"

Say = Callable[[str], None]

COMPILING: Final = "compiling, once: first analyses come in some seconds, all levels in half a minute"
MOST_TRIES: Final = 3  # to compile
LEVEL, TREES, DETACHED = "--level=", "--trees=", "--detached"  # arguments of it, beside the names of models


def begin(models: ServedModels, levels: Sequence[str] = ()) -> Process:
    """Begins to compile some levels, or all; it ends when its standard input does, and hears no Ctrl-C."""
    pipe = subprocess.PIPE
    return subprocess.Popen(_command(models, levels), stdin=pipe, stdout=pipe, start_new_session=True)


def begin_detached(models: ServedModels) -> None:
    """Begins to compile all where nobody waits for it: one process at a time does, and not for ever."""
    nowhere = subprocess.DEVNULL
    command = [*_command(models), DETACHED]
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _command(models: ServedModels, levels: Sequence[str] = ()) -> list[str]:
    return [
        sys.executable,
        "-m",
        "treewhile.server.process.compiling",
        *models.names,
        *([TREES + models.trees] if models.trees else []),
        *(LEVEL + level for level in levels),
    ]


class Compiler:
    """The process that compiles for a server, begun when that is asked for, and again where it dies.

    process   what runs; None before that, and when it is done or given up
    """

    def __init__(self, models: ServedModels, say: Say, process: Process | None = None) -> None:
        self._models, self._say = models, say
        self.process = process
        self._is_asked = False
        self._tries_left = MOST_TRIES

    def ask(self) -> None:
        """Begins, unless that was asked for before."""
        if not self._is_asked:
            self._is_asked = True
            self._say(COMPILING)
            self.process = self.process or begin(self._models)

    def take_end(self, code: int) -> bool:
        """The process has ended; whether nobody will compile what it left."""
        self.end()
        if code:
            self._tries_left -= 1
            self._say(_failed(code, self._tries_left))
            if self._tries_left:
                self.process = begin(self._models)
        return not self._tries_left

    def end(self) -> None:
        """Ends the process, if it runs."""
        process, self.process = self.process, None
        if process:
            kill(process)


def kill(process: Process) -> None:
    """Ends a process that compiles."""
    process.kill()
    process.wait()
    close_pipes(process)


def close_pipes(process: Process) -> None:
    """Closes this end of what goes to a process and comes from it."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def _failed(code: int, left: int) -> str:
    next_step = f"it is tried {left} times more" if left else "the server does it while serving, slowly"
    return f"the process that compiles has ended (exit code {code}): {next_step}"


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


def is_parsing_compiled(classes: Iterable[str] = ()) -> bool:
    """Whether what a parse of raw text runs on, in some classes of trees, seems to be in the cache.

    It is not looked into it.
    """
    needed = [NEEDED, *(NEEDED_IN[trees] for trees in classes if trees in NEEDED_IN)]
    return all(is_kept(module, name) for one in needed for module, names in one.items() for name in names)
