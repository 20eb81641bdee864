"""The command `treewhile bench`: measurements of the speed of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from treewhile.oracles.errors import InputError
from treewhile.server.commands.options import (
    A_CENTURY,
    AT_LEAST_ONE,
    FiniteRange,
    chosen_option,
    defaulted_option,
    json_option,
)
from treewhile.server.load.measurements import Load, measure
from treewhile.server.load.typing_schedules import STYLES
from treewhile.server.load.typists import Replay
from treewhile.server.terminal.consoles import console, plain_table, tell

LATENCIES: Final = {
    "stroke_to_first_analysis_ms": "stroke to first analysis",
    "word_to_improved_ms": "word to improved (L1)",
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
    STYLES,
    "letters",
    "How they type, see above.",
)
@click.option(
    "--text",
    type=click.Path(path_type=Path),
    help="File with the text to type; without it, sentences are invented.",
)
@defaulted_option("--seed", int, 1, "Seed of everything random.")
@json_option("Print one JSON object with all figures.")
def typing(
    url: str | None,
    token: str | None,
    typists: int,
    wpm: float,
    seconds: float,
    schedule: str,
    text: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Let many people type at a server, each over a socket of its own, and report how long they wait.

    Each typist has a document, and types on whether or not the server answers. While an edit is unanswered,
    typed text is gathered, as in treewhile's clients. Times are counted from when each key was due, gathered
    or not: a server that stalls has long waiting times, not fewer of them.

    \b
    letters  key by key, with uneven times, slips and backspaces, as studies of typists found them;
             people differ in their speeds, which are --wpm on average
    words    word by word, at --wpm, each when its last letter is typed

    A stroke is a letter, a backspace or a word. It has its first analysis when its version, or a later one,
    is answered; a deadline is missed when that comes after the next stroke was due. A word ends with its
    white space. It has improved when the best parse of its sentence (L1) came, and settled when nothing
    improves it any more; shares count what came before the next word ended. A sentence ends with a word that
    ends in a full stop, ! or ?. Strokes without an answer 10 seconds after the end are lost.

    \b
    Examples:
      treewhile bench typing --typists 500 --wpm 80 --seconds 60
      treewhile bench typing --url ws://127.0.0.1:8080 --schedule words --json
    """
    load = Load(typists, wpm, seconds, schedule, text, seed)
    replayed, figures = measure(load, url, token, _say)
    told = {"url": url, **_said(load), **figures}
    tell(told, as_json, _show)
    if not replayed.connected:
        raise InputError(f"no typist could connect ({_refusals(replayed)}): check that the server runs")


def _said(load: Load) -> dict[str, Any]:
    text = None if load.text is None else str(load.text)
    return {**load._asdict(), "text": text}


def _refusals(replayed: Replay) -> str:
    return ", ".join(f"{code}: {count}" for code, count in replayed.refused.items())


# --- output -------------------------------------------------------------------------------------------------


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
