"""Choice between compiled kernels and plain Python for the first parse of a command.

Kernels that were built are the fastest. Without them, plain Python is faster for a short text than loading
kernels; for a longer one, it is faster than compiling them once. For a user at a terminal, kernels are
compiled in the background afterwards.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Final

import click

from treewhile.oracles.prebuilt.library import is_built
from treewhile.server.process import compiling_process
from treewhile.server.process.compiling_process import Lines, is_parsing_compiled, progress_of
from treewhile.server.work.served_models import ServedModels

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


SHORT: Final = 20  # words: half a second, including imports
NOT_LONG: Final = 100  # words: two or three seconds
# Classes that are slow in plain Python: 3 and 6 s for crossing trees of 20 words, others at most 0.3 s.
SLOW: Final = frozenset(("1-inherit", "1-endpoint-crossing"))
PARSING: Final = ("L0", "L1")  # levels that a parse needs
COMPILING: Final = "compiling the parser, once"
KERNELS: Final = "treewhile.oracles.compilation"
NO_KERNELS: Final = "NUMBA_DISABLE_JIT"


def prepare(models: ServedModels, words: float = inf) -> None:
    """Decide how to parse so many words, unless the parser is imported already."""
    if KERNELS in sys.modules or is_built():
        return
    classes = models.classes
    if classes.intersection(SLOW):
        words = inf
    if words <= SHORT or (words <= NOT_LONG and not is_parsing_compiled(classes)):
        _go_without_kernels()
    elif not is_parsing_compiled(classes):
        _wait_until_compiled(models)


def _go_without_kernels() -> None:
    """Disable compilation in this process."""
    before = os.environ.get(NO_KERNELS)
    os.environ[NO_KERNELS] = "1"
    import_module(KERNELS)

    if before is None:
        del os.environ[NO_KERNELS]  # child processes may compile
    else:
        os.environ[NO_KERNELS] = before


def _wait_until_compiled(models: ServedModels) -> None:
    """Compile the kernels for parsing in several processes, with a progress bar."""
    from treewhile.server.terminal.progress_bars import progress_bar

    process, lines, done = compiling_process.begin(models, PARSING), Lines(), 0.0
    assert process.stdout
    try:
        with progress_bar(COMPILING, 100, _percent()) as advance:
            if not sys.stderr.isatty():
                click.echo(f"treewhile: {COMPILING}", err=True)
            while told := os.read(process.stdout.fileno(), 4096):
                for line in lines.added(told):
                    share = 100 * progress_of(line)[0]
                    advance(share - done)
                    done = share
    finally:
        compiling_process.kill(process)


def _percent() -> ProgressColumn:
    from rich.progress import TaskProgressColumn

    return TaskProgressColumn()


def compile_later(models: ServedModels) -> None:
    """Compile missing kernels in the background, if standard error is a terminal."""
    if sys.stderr.isatty() and not is_parsing_compiled(models.classes):
        compiling_process.begin_detached(models)
