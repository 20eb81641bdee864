"""Table 4 of Roark, Hollingshead & Bodenstab 2012, for any bracketed treebanks.

PYTHONPATH=tests/benchmarks python -m roark_closed_cells --help
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click
from rich.progress import MofNCompleteColumn
from rich.text import Text

from roark_closed_cells.constraint_tables import (
    PRINTED,
    Printed,
    Row,
    constraint_rows,
    row_name,
)
from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.chart_tagger_training import STEPS, learnt_taggers
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.operating_points import LINEAR, USUAL
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.server.commands.options import defaulted_option, json_option
from treewhile.server.commands.train.files import plain_phrases
from treewhile.server.terminal.consoles import console, percent, shown, table_of
from treewhile.server.terminal.progress_bars import progress_bar

as_json_option = json_option("Print one JSON object.")


@click.command()
@click.option("--train", required=True, metavar="A", help="Bracketed trees to learn from.")
@click.option("--dev", required=True, metavar="B", help="Bracketed trees that are parsed.")
@defaulted_option(
    "--threshold", click.FloatRange(0, 1000), 40.0, "How sure GHP and Unary are; the paper's is 40."
)
@as_json_option
def command(train: str, dev: str, threshold: float, as_json: bool) -> None:
    """Table 4 of Roark, Hollingshead & Bodenstab 2012: what closed cells of charts are worth.

    Grammars of Markov order 2 and taggers of order 1 are learnt from A, and B is parsed with each union of
    constraints, on one core, tagging and all. F1 counts as EVALB does; where B was made by a parser it is
    agreement with that. Seconds are the processor's. The numbers of the paper are those of Section 24 of the
    WSJ, on its machine of 2010.

    \b
    Example:
      python -m roark_closed_cells --train gum-train.ptb --dev gum-dev.ptb
    """
    trees, gold = (plain_phrases(source, "reading") for source in (train, dev))
    with progress_bar("learning taggers", STEPS, MofNCompleteColumn()) as advance:
        taggers = learnt_taggers(trees, gold, 1, 1, advance).taggers
    rows, points = {}, {}
    for side in PRINTED:
        points[side] = OperatingPoints(ghp=threshold, unary=threshold, linear=LINEAR[side])
        model = GrammarModel(read_grammar(trees, Binarization(side)), taggers, points[side], USUAL)
        with progress_bar(
            f"binary on the {side}", len(gold) * len(PRINTED[side]), MofNCompleteColumn()
        ) as advance:
            rows[side] = constraint_rows(model, gold, advance)
    if as_json:
        told = {side: {name: row._asdict() for name, row in found.items()} for side, found in rows.items()}
        paper = {
            side: {name: one._asdict() for name, one in found.items()} for side, found in PRINTED.items()
        }
        click.echo(json.dumps({"table": "roark-4", "file": dev, "rows": told, "paper": paper}))
        return
    for side, found in rows.items():
        _show_constraints(f"{Path(dev).name}, binary on the {side}", found, PRINTED[side], points[side])


def _show_constraints(
    title: str, found: Mapping[str, Row], paper: Mapping[str, Printed], points: OperatingPoints
) -> None:
    columns = ("F1", "precision", "recall", "seconds", "times", "words/s", "loosened")
    table = table_of("constraints", *columns, *(f"paper:\n{name}" for name in ("F1", "seconds", "times")))
    for name, row in found.items():
        shares = (percent(number, 1) for number in row[:4])
        printed = paper[name]
        told = (f"{printed.f1}", f"{printed.seconds:g}", f"{paper['none'].seconds / printed.seconds:.1f}")
        others = (f"{row.speed_up:.1f}", f"{row.words_per_second:,.0f}", str(row.loosened))
        table.add_row(row_name(name, points), *shares, *others, *told)
    out = console()
    out.print(Text(shown(title)))
    out.print(table)


if __name__ == "__main__":
    command()
