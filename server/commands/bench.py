"""`treewhile bench`: how fast a server is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from treewhile.oracles.errors import InputError
from treewhile.server.commands.options import (
    AT_LEAST_ONE,
    chosen_option,
    defaulted_option,
    json_option,
    plots_option,
)
from treewhile.server.load.measurements import Load, measure
from treewhile.server.load.typing_schedules import STYLES
from treewhile.server.load.typists import Replay
from treewhile.server.terminal.consoles import console, tell
from treewhile.server.terminal.finite_numbers import A_CENTURY, FiniteRange
from treewhile.server.terminal.plot_files import check_plots
from treewhile.server.terminal.tables import plain_table
from treewhile.server.terminal.typing_plots import draw_typing

LATENCIES: Final = {
    "word_to_first_analysis_ms": "word to first analysis",
    "word_to_settled_ms": "word to settled",
    "sent_late_ms": "load: sent late",
}


@click.group()
def command() -> None:
    """Measure how fast a server answers.

    \b
    Examples:
      treewhile bench typing
      treewhile bench typing --url ws://127.0.0.1:8080 --typists 500 --json
    """


@command.command()
@click.option("--url", help="Address of a server; without it, one is started on a core of its own.")
@click.option("--token", help="Token of that server.")
@defaulted_option("--typists", AT_LEAST_ONE, 100, "How many people type at once.")
@defaulted_option("--wpm", FiniteRange(1, 1000), 80, "Words per minute that each one types.")
@defaulted_option("--seconds", FiniteRange(0.1, A_CENTURY), 30, "How long they type.")
@chosen_option(
    "--schedule",
    [*STYLES, "mixed"],
    "typing",
    "How they type, see above; --wpm counts for typing, backspacing and edits.",
)
@click.option(
    "--text",
    type=click.Path(path_type=Path),
    help="File with the text to type; without it, sentences are invented.",
)
@defaulted_option("--seed", int, 1, "Seed of everything random.")
@click.option(
    "--echo",
    "is_echo",
    is_flag=True,
    help="Type at a bare echo server instead, for the floor of these figures.",
)
@json_option("Print one JSON object with all figures.")
@plots_option("Draw plots into this folder.")
def typing(
    url: str | None,
    token: str | None,
    typists: int,
    wpm: float,
    seconds: float,
    schedule: str,
    text: Path | None,
    seed: int,
    is_echo: bool,
    as_json: bool,
    folder: Path | None,
) -> None:
    """Let many people type at a server, each over a socket of its own, and report how long words wait.

    Everybody has a document of text, and sends an edit for each word when its last letter is typed. Edits go
    out when they are due, whether or not the server has answered the one before, and times are counted from
    then: a server that stalls has long waiting times, not fewer of them.

    \b
    typing       word by word, at --wpm
    12-key       a word every 6 seconds
    speech       0.18 seconds per syllable
    paste        60 words at once, every 10 seconds
    backspacing  every fifth word is deleted letter by letter, and typed again
    edits        after every eighth word, a word in mid-sentence is changed
    mixed        everybody has one of these at random

    A word has its first analysis when its version, or a later one, is answered. It has settled when nothing
    improves its sentence any more; words that are overtaken do not settle. A deadline is missed when the
    first analysis comes after the next edit was due. Words without an answer 10 seconds after the end are
    lost.

    \b
    Examples:
      treewhile bench typing --typists 500 --wpm 80 --seconds 60
      treewhile bench typing --url ws://127.0.0.1:8080 --schedule paste --json
    """
    if url is not None and is_echo:
        raise click.UsageError("--echo starts a server of its own: leave --url out.")
    if folder is not None:
        check_plots(folder)
    load = Load(typists, wpm, seconds, schedule, text, seed)
    replayed, figures = measure(load, url, token, is_echo, _say)
    told = {"server_kind": "echo" if is_echo else "treewhile", "url": url, **_said(load), **figures}
    if folder is not None:
        draw_typing(replayed, folder)
    tell(told, as_json, _show)
    if not replayed.connected:
        raise InputError(f"no typist could connect ({_refusals(replayed)}): check that the server runs")


def _said(load: Load) -> dict[str, Any]:
    text = None if load.text is None else str(load.text)
    return {**load._asdict(), "text": text}


def _refusals(replayed: Replay) -> str:
    return ", ".join(f"{code}: {count}" for code, count in replayed.refused.items())


# --- showing ------------------------------------------------------------------------------------------------


def _show(told: dict[str, Any]) -> None:
    table = plain_table()
    for name in ("milliseconds", "p50", "p90", "p99", "max"):
        table.add_column(name, justify="left" if name == "milliseconds" else "right")
    for key, name in LATENCIES.items():
        if told[key]:
            table.add_row(name, *(f"{value:.2f}" for value in told[key].values()))
    out = console()
    out.print(table)
    out.print()
    for name, value in told.items():
        if name not in LATENCIES and value not in (None, {}):
            out.print(f"{name.replace('_', ' ')}: {_plain(value)}", markup=False)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {one}" for name, one in value.items())
    return str(value)


def _say(line: str) -> None:
    click.echo(f"treewhile: {line}", err=True)
