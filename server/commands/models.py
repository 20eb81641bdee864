"""The command `treewhile models`: a list of installed models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from treewhile.incremental.parsers.completeness_layers import COMPLETENESS
from treewhile.incremental.parsers.model_files import read_information
from treewhile.incremental.parsers.network_shapes import SPANS
from treewhile.incremental.parsers.shipped_models import installed_models
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import console, plain_table, shown

# Entries of model files, of which the table has the first ones.
SHOWN = ("language", "treebanks", "licence", "tags")
KEYS = (*SHOWN, "scores", "seed", "command")

# Further abilities of a model: the part of the file, its name here, and its entries.
MORE = {
    SPANS: ("constituents", ("treebanks", "licence", "agreement", "command")),
    COMPLETENESS: ("completeness", ("treebanks", "licence", "areas", "command")),
}


@click.command()
@json_option("Print one JSON object, with more details.")
def command(as_json: bool) -> None:
    """List the models that are installed: what they were trained on, their sizes and scores.

    Every command takes a model by its name, and so does treewhile.incremental.load_model. A model has the
    licence of its treebanks.

    \b
    Examples:
      treewhile models
      treewhile models --json
    """
    models = {name: _description(path) for name, path in installed_models().items()}
    if as_json:
        click.echo(json.dumps(models, ensure_ascii=False))
    elif models:
        console().print(_table(models))
    else:
        click.echo("no models are installed")


def _description(path: Path) -> dict[str, Any]:
    information = read_information(path)
    said = {key: information.get(key) for key in KEYS}
    for part, (name, keys) in MORE.items():
        if part in information:
            said[name] = {key: information[part].get(key) for key in keys}
    return {**said, "file": str(path), "bytes": path.stat().st_size}


def _table(models: Mapping[str, Mapping[str, Any]]) -> Table:
    table = plain_table()
    for name in ("name", *SHOWN, "MB", "scores", "also tells"):
        table.add_column(name, justify="right" if name == "MB" else "left", overflow="fold")
    for name, said in models.items():
        values = [_text(said[key]) for key in SHOWN]
        more = [what for what, _ in MORE.values() if what in said]
        last = [f"{said['bytes'] / 1e6:.1f}", _text(said["scores"]), _text(more)]
        table.add_row(*map(Text, [name, *values, *last]))
    return table


def _text(value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, Mapping):
        return ", ".join(f"{shown(str(name))} {_text(one)}" for name, one in value.items()) or _text(None)
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or _text(None)
    if isinstance(value, float):
        return f"{value:.2f}"
    return "–" if value is None else shown(str(value))  # noqa: RUF001
