"""The command `treewhile grammar list`: the installed grammars."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from treewhile.incremental.constraints import Grammar, installed_grammars, load_grammar
from treewhile.incremental.constraints.workbench.resolved_texts import includes, introduction
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import console, plain_table, shown


@click.command()
@json_option("Print one JSON object, with the sections of each grammar.")
def command(as_json: bool) -> None:
    """List the grammars that are installed: what they include and say, and their numbers of constraints.

    Every command takes a grammar by its name, and so does an include in a grammar of your own.

    \b
    Examples:
      treewhile grammar list
      treewhile grammar list --json
    """
    grammars = {name: _description(path, load_grammar(name)) for name, path in installed_grammars().items()}
    if as_json:
        click.echo(json.dumps(grammars, ensure_ascii=False))
    else:
        console().print(_table(grammars))


def _description(path: Path, grammar: Grammar) -> dict[str, Any]:
    text = path.read_text("utf-8")
    return {
        "about": introduction(text),
        "includes": [include.name for include in includes(text)],
        "constraints": len(grammar.constraints),
        "told": len(grammar.telling.constraints),
        "sections": Counter(constraint.section for constraint in grammar.constraints),
        "predictors": grammar.predictors,
        "file": str(path),
    }


def _table(grammars: dict[str, dict[str, Any]]) -> Table:
    table = plain_table()
    for name in ("name", "includes", "constraints", "told", "about"):
        is_number = name in ("constraints", "told")
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for name, said in grammars.items():
        counts = (str(said["constraints"]), str(said["told"]))
        table.add_row(name, ", ".join(said["includes"]), *counts, Text(shown(said["about"])))
    return table
