"""Where people read: a terminal in its width and colours, or plain text for a file or a pipe."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

PLAIN_WIDTH = 160  # of text that goes to no terminal; nobody can ask a pipe how wide it is
LEAST_WIDTH = 72  # a narrower terminal breaks the lines itself, for a table would drop columns

# Unicode categories, and classes of its algorithm for two directions
UNSAFE = {"Cc", "Zl", "Zp"}
RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI"}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # not rich's own exit code: the command line decides


def console(stderr: bool = False) -> Console:
    """A console for the standard output, or for errors."""
    people = _Console(stderr=stderr, highlight=False)
    people.width = max(people.width, LEAST_WIDTH) if people.file.isatty() else PLAIN_WIDTH
    return people


def tell(figures: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    """Prints the figures as one JSON object, or shows them to people."""
    if as_json:
        click.echo(json.dumps(figures))
    else:
        show(figures)


def shown(form: str) -> str:
    """The form as it can stand in a line among others, whatever letters it has.

    Control characters could move the cursor or change colours. Letters that run from right to left would drag
    neighbours with them, so such a form is isolated.
    """
    clean = "".join("\ufffd" if unicodedata.category(letter) in UNSAFE else letter for letter in form)
    is_isolated = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in clean)
    return f"\N{FIRST STRONG ISOLATE}{clean}\N{POP DIRECTIONAL ISOLATE}" if is_isolated else clean
