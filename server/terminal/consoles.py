"""Consoles and tables: a terminal with its width and colours, or plain text for a file or a pipe."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

PLAIN_WIDTH = 160  # of text for files and pipes, which have no width
LEAST_WIDTH = 72  # narrower terminals wrap lines themselves, since a table would drop columns

# Unicode categories, and classes of the bidirectional algorithm.
UNSAFE = {"Cc", "Zl", "Zp"}
RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI"}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # instead of rich's own exit code: the command line decides


def console(stderr: bool = False) -> Console:
    """Return a console for standard output, or for standard error."""
    people = _Console(stderr=stderr, highlight=False)
    people.width = max(people.width, LEAST_WIDTH) if people.file.isatty() else PLAIN_WIDTH
    return people


def print_if_it_fits(out: Console, drawing: str) -> bool:
    """Print a drawing unless it is too wide, and return whether it fits."""
    if max(map(cell_len, drawing.split("\n"))) > out.width:
        return False
    out.print(Text(drawing))
    return True


def tell(figures: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    """Print figures as one JSON object, or with `show`."""
    if as_json:
        click.echo(json.dumps(figures))
    else:
        show(figures)


def shown(form: str) -> str:
    """Return a form that is safe in a line among others, whatever characters it has.

    Control characters could move the cursor or change colours, so they are replaced. Letters that run from
    right to left would reorder neighbouring text, so such a form is isolated.
    """
    clean = "".join("\ufffd" if unicodedata.category(letter) in UNSAFE else letter for letter in form)
    is_isolated = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in clean)
    return f"\N{FIRST STRONG ISOLATE}{clean}\N{POP DIRECTIONAL ISOLATE}" if is_isolated else clean


def plain_table() -> Table:
    """Return a table without columns, with a line below the headings."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def table_of(*names: str) -> Table:
    """Return a table with these columns, the first for names and the others for numbers."""
    table = plain_table()
    for number, name in enumerate(names):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    return table


def percent(number: float | None, factor: int = 100) -> str:
    """Return a share in per cent, or a number times another factor; a dash for None."""
    return "–" if number is None else f"{factor * number:.2f}"  # noqa: RUF001
