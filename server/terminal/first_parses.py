"""Choice between kernels and plain Python for the first parse of a command.

Kernels that were built are the fastest. Without them, plain Python is faster for a short text than compiling
what a class of trees needs. Kernels are built in the background: for files at once, and after the parse of a
text if a user sits at a terminal.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final

import click

from treewhile.oracles.prebuilt.background import begin_detached
from treewhile.oracles.prebuilt.library import is_built
from treewhile.server.work.engines import ServedModels

NOT_LONG: Final = 100  # words: two or three seconds
# Classes that are slow in plain Python: 3 and 6 s for crossing trees of 20 words, others at most 0.3 s.
SLOW: Final = frozenset(("1-inherit", "1-endpoint-crossing"))
KERNELS: Final = "treewhile.oracles.compilation"
NO_KERNELS: Final = "NUMBA_DISABLE_JIT"
BUILDING: Final = "the parser is compiled in the background, once, in some minutes, and is slower until then"


def prepare(models: ServedModels, words: int) -> None:
    """Go without kernels for so few words, unless they are built, or the parser is imported already."""
    if KERNELS in sys.modules or is_built() or words > NOT_LONG or models.classes & SLOW:
        return
    before = os.environ.get(NO_KERNELS)
    os.environ[NO_KERNELS] = "1"
    import_module(KERNELS)
    if before is None:
        del os.environ[NO_KERNELS]  # child processes may compile
    else:
        os.environ[NO_KERNELS] = before


def build_meanwhile() -> None:
    """Build missing kernels in the background, whatever becomes of this command, and say so."""
    if not is_built():
        click.echo(f"treewhile: {BUILDING}", err=True)
        begin_detached()


def build_later() -> None:
    """Build missing kernels in the background, if standard error is a terminal."""
    if sys.stderr.isatty() and not is_built():
        begin_detached()
