"""Handle of the compiling process, which starts before slow imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from treewhile.oracles.kernel_sources import is_kept
from treewhile.oracles.prebuilt.library import is_built
from treewhile.oracles.trees.class_names import MH4
from treewhile.server.work.served_models import ServedModels

# Last kernels, by module, that a parse of raw text needs: if they are cached, the others are, too.
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

# Kernels that a class of trees needs in addition to those for projective trees.
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
LEVEL, TREES, DETACHED = "--level=", "--trees=", "--detached"  # arguments, besides names of models


def begin(models: ServedModels, levels: Sequence[str] = ()) -> Process:
    """Start to compile some levels, or all; the process ends with its standard input, and gets no Ctrl-C."""
    pipe = subprocess.PIPE
    return subprocess.Popen(_command(models, levels), stdin=pipe, stdout=pipe, start_new_session=True)


def begin_detached(models: ServedModels) -> None:
    """Start to compile everything in the background: one process at a time, with a time limit."""
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
    """Compiling process of a server, started on request, and restarted after its death.

    process   running process; None before the request, and after success or the last attempt
    """

    def __init__(self, models: ServedModels, say: Say, process: Process | None = None) -> None:
        self._models, self._say = models, say
        self.process = process
        self._is_asked = False
        self._tries_left = MOST_TRIES

    def ask(self) -> None:
        """Start the process at the first request."""
        if not self._is_asked:
            self._is_asked = True
            self._say(COMPILING)
            self.process = self.process or begin(self._models)

    def take_end(self, code: int) -> bool:
        """Handle the end of the process; return whether all attempts have failed."""
        self.end()
        if code:
            self._tries_left -= 1
            self._say(_failed(code, self._tries_left))
            if self._tries_left:
                self.process = begin(self._models)
        return not self._tries_left

    def end(self) -> None:
        """End the process if it runs."""
        process, self.process = self.process, None
        if process:
            kill(process)


def kill(process: Process) -> None:
    """Kill a compiling process."""
    process.kill()
    process.wait()
    close_pipes(process)


def close_pipes(process: Process) -> None:
    """Close the pipes of a process on this side."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def _failed(code: int, left: int) -> str:
    next_step = f"it is tried {left} times more" if left else "the server does it while serving, slowly"
    return f"the process that compiles has ended (exit code {code}): {next_step}"


def progress_of(line: bytes) -> tuple[float, list[str]]:
    """Return the share and the levels of a line of progress."""
    share, *levels = line.decode().split()
    return float(share), levels


class Lines:
    """Splitter of a stream of bytes into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def added(self, more: bytes) -> list[bytes]:
        """Add bytes, and return the lines that are complete now."""
        *lines, self._rest = (self._rest + more).split(b"\n")
        return lines


def is_parsing_compiled(classes: Iterable[str] = ()) -> bool:
    """Return whether the kernels for raw text in some classes of trees seem to be built or cached.

    Only the names of files are checked.
    """
    if is_built():
        return True
    needed = [NEEDED, *(NEEDED_IN[trees] for trees in classes if trees in NEEDED_IN)]
    return all(is_kept(module, name) for one in needed for module, names in one.items() for name in names)
