"""The command `treewhile grammar profile`: what each constraint costs a search, and brings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click
from rich.progress import MofNCompleteColumn
from rich.table import Table
from rich.text import Text

from treewhile.incremental.constraints import load_grammar
from treewhile.incremental.constraints.workbench.profiles import Profiler, SearchCosts
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.server.commands.grammar.inputs import (
    grammar_argument,
    needed_model_option,
    read_gold,
    treebank_argument,
)
from treewhile.server.commands.options import AT_LEAST_ONE, defaulted_option, json_option
from treewhile.server.terminal.consoles import console, plain_table, shown
from treewhile.server.terminal.progress_bars import progress_bar


@click.command()
@grammar_argument
@treebank_argument
@needed_model_option
@defaulted_option("--limit", AT_LEAST_ONE, 20, "Take at most this many sentences, the first ones.")
@json_option("Print one JSON object.")
def command(grammar_name: str, source: str, model_name: str, limit: int, as_json: bool) -> None:
    """Measure what each constraint of GRAMMAR costs the search for the trees of TREEBANK, and brings.

    The sentences are searched until nothing improves: under the whole grammar, and without each of its
    constraints that weigh. The time is that of the processor, for the search alone. A constraint whose
    absence saves time and loses no words is not worth its price; one whose absence costs time leads the
    search. Under the first line, "saved" is in per cent, "lost" the number of words that come out wrong
    without it, less those that come out right, and "sentences" how many get another tree.

    \b
    Examples:
      treewhile grammar profile mine.constraints dev.conllu --model af
      treewhile grammar profile english dev.conllu --model en --limit 100 --json
    """
    grammar, gold, model = load_grammar(grammar_name), read_gold(source, limit), load_model(model_name)
    profiler, without = Profiler(model, grammar, gold), dict[str, SearchCosts]()
    whole = profiler.costs()
    with progress_bar("profiling", len(grammar.weighing.constraints), MofNCompleteColumn()) as advance:
        for name, costs in profiler.without_each():
            without[name] = costs
            advance(1)
    figures = _figures(len(gold), whole, without)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False))
        return
    click.echo(
        f"{len(gold)} sentences settled: {1000 * whole.seconds / len(gold):.2f} ms and "
        f"{whole.tried / len(gold):,.0f} trees each; {whole.right:,} words right\n"
    )
    console().print(_table(figures))


def _figures(sentences: int, whole: SearchCosts, without: Mapping[str, SearchCosts]) -> dict[str, Any]:
    rows = [
        {
            "constraint": name,
            "seconds": costs.seconds,
            "tried": costs.tried,
            "time_saved": 1 - costs.seconds / whole.seconds if whole.seconds else 0.0,
            "trees_saved": 1 - costs.tried / whole.tried if whole.tried else 0.0,
            "lost": whole.right - costs.right,
            "sentences_changed": whole.changed(costs),
        }
        for name, costs in without.items()
    ]
    rows.sort(key=lambda row: (-float(str(row["trees_saved"])), str(row["constraint"])))
    return {
        "sentences": sentences,
        "seconds": whole.seconds,
        "tried": whole.tried,
        "right": whole.right,
        "without": rows,
    }


def _table(figures: dict[str, Any]) -> Table:
    table = plain_table()
    for name in ("without", "trees saved %", "time saved %", "lost", "sentences"):
        table.add_column(name, justify="left" if name == "without" else "right", overflow="fold")
    for row in figures["without"]:
        saved = [f"{100 * row[name]:.1f}" for name in ("trees_saved", "time_saved")]
        table.add_row(Text(shown(row["constraint"])), *saved, str(row["lost"]), str(row["sentences_changed"]))
    return table
