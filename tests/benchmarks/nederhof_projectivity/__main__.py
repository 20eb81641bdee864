"""Tables 6 and 7 and Figure 8 of Nederhof 2019, for any treebank.

PYTHONPATH=tests/benchmarks python -m nederhof_projectivity --help
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from operator import add
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

import click
from paper_sources import language_of, sentences_of

from nederhof_projectivity.projectivization_choices import choices_by_length
from treewhile.incremental import Losses, projectivize_sentence, read_sentences
from treewhile.server.commands.options import defaulted_option, json_option
from treewhile.server.commands.train.shown_runs import imported_training
from treewhile.server.terminal.consoles import console, percent, shown, table_of

# As printed, by the languages that the names of treebanks begin with.
TABLE_6: Final = {"grc": (91.41, 92.50), "de": (98.89, 98.97), "ja": (99.99, 99.99)}
TABLE_7: Final = {  # LAS and UAS of the columns
    "de": [(71.15, 78.09), (71.33, 78.14), (71.69, 78.96), (72.57, 79.78), (72.55, 79.77)],
    "da": [(69.11, 75.13), (71.42, 76.98), (69.95, 76.30), (72.18, 78.00), (72.25, 78.21)],
    "eu": [(54.69, 67.49), (58.27, 70.07), (54.11, 67.71), (57.49, 70.07), (57.81, 70.13)],
    "el": [(71.62, 77.45), (72.78, 78.34), (70.49, 77.14), (72.66, 78.91), (72.34, 78.36)],
    "cu": [(56.25, 68.08), (59.09, 69.95), (56.31, 69.07), (58.78, 70.10), (59.52, 70.94)],
    "got": [(51.96, 65.08), (55.00, 66.58), (53.44, 65.85), (55.94, 67.85), (56.20, 68.09)],
    "hu": [(52.70, 65.72), (56.20, 68.96), (54.09, 67.55), (57.37, 70.20), (57.62, 70.30)],
}

as_json_option = json_option("Print one JSON object.")
files_argument = click.argument("sources", metavar="FILE...", nargs=-1, required=True)


@click.group()
def command() -> None:
    """Tables 6 and 7 and Figure 8 of Nederhof 2019, with what the paper printed beside what comes out here.

    What the paper has for a language stands beside a file whose name begins with its code, such as hu_szeged.
    The treebanks of the paper are those of UD 2.2.
    """


@command.command("table-6")
@files_argument
@as_json_option
def nederhof_6(sources: Sequence[str], as_json: bool) -> None:
    """Table 6 of Nederhof 2019: edges that survive when trees are made projective.

    They are told for lifting, the basis of pseudo-projective parsing (Nivre & Nilsson 2005), and for the best
    projective tree, in percent of the edges to words whose head is known.

    \b
    Example:
      python -m nederhof_projectivity table-6 de_gsd-ud-train.conllu grc_proiel-ud-train.conllu
    """
    found = {source: _shares_kept(source) for source in sources}
    if as_json:
        told = {source: {"lifting": pair[0], "optimal": pair[1]} for source, pair in found.items()}
        click.echo(json.dumps({"table": "nederhof-6", "files": told, "paper": TABLE_6}))
        return
    table = table_of("edges kept (%)", "lifting", "optimal", "paper:\npseudo", "paper:\noptimal")
    for source, pair in found.items():
        paper = TABLE_6.get(language_of(source), (None, None))
        cells = [*map(percent, pair), *(percent(share, 1) for share in paper)]
        table.add_row(shown(Path(source).name), *cells)
    console().print(table)


def _shares_kept(source: str) -> tuple[float | None, float | None]:
    """The shares of edges kept by lifting, and by the best projective trees."""
    losses = Losses()
    for sentence in sentences_of(source):
        losses = Losses(*map(add, losses, projectivize_sentence(sentence)[1]))
    lost = (losses.edges_lost_by_lifting, losses.edges_lost)
    by_lifting, optimal = (1 - one / losses.edges if losses.edges else None for one in lost)
    return by_lifting, optimal


@command.command("figure-8")
@files_argument
@as_json_option
def nederhof_8(sources: Sequence[str], as_json: bool) -> None:
    """Figure 8 of Nederhof 2019: how many best projective trees a sentence has, by its length.

    That is the geometric mean over sentences. The paper draws it for grc, de and ja, and prints no numbers:
    "the degree of choice grows roughly exponentially in sentence length".

    \b
    Example:
      python -m nederhof_projectivity figure-8 de_gsd-ud-train.conllu grc_proiel-ud-train.conllu
    """
    found = {source: choices_by_length(sentences_of(source)) for source in sources}
    if as_json:
        told = {
            source: {length: choices._asdict() for length, choices in by_length.items()}
            for source, by_length in found.items()
        }
        click.echo(json.dumps({"figure": "nederhof-8", "files": told}))
        return
    table = table_of("words", *(shown(Path(source).name) for source in found))
    lengths = {length for by_length in found.values() for length in by_length}
    for length in sorted(lengths, key=lambda name: int(name.partition("-")[0])):
        choices = (by_length.get(length) for by_length in found.values())
        table.add_row(length, *(percent(one and one.trees, 1) for one in choices))
    console().print(table)


@command.command("table-7")
@click.option("--train", required=True, metavar="A", help="What to learn from.")
@click.option("--dev", required=True, metavar="B", help="What tells which weights are best.")
@click.option("--test", required=True, metavar="C", help="What is scored.")
@click.option(
    "--column",
    "columns",
    type=click.IntRange(1, 5),
    multiple=True,
    help="Which column, 1 to 5; may be given again.  [default: all]",
)
@defaulted_option("--seeds", click.IntRange(1, 100), 3, "Runs of each.")
@click.option("--epochs", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file of JSON lines to which each run is added, and in which finished ones are looked up.",
)
@as_json_option
def nederhof_7(
    train: str,
    dev: str,
    test: str,
    columns: Sequence[int],
    seeds: int,
    epochs: int,
    threads: int,
    results: Path | None,
    as_json: bool,
) -> None:
    """Table 7 of Nederhof 2019: what all trees, and the parser's own path, are worth in training.

    Columns: (1) gold computations, projective trees alone; (2) all trees, made projective; (3) and (4) the
    same with a second half that follows the parser's own steps, with the linear oracle; (5) as (4) with trees
    as they are, and the cubic oracle. Only the committed parse is trained, on words and gold UPOS. Means over
    seeds; each run takes minutes to hours.

    \b
    Example:
      python -m nederhof_projectivity table-7 --train A.conllu --dev B.conllu --test C.conllu
    """
    imported_training(threads)
    from nederhof_projectivity.step_oracle_columns import COLUMNS, Parts, column_settings, train_column

    chosen, names = sorted(set(columns)) or [*COLUMNS], [Path(name).name for name in (train, dev, test)]
    parts = Parts(*([*read_sentences(name)] for name in (train, dev, test)))
    runs: dict[int, list[dict[str, Any]]] = {column: [] for column in chosen}
    for seed in range(1, seeds + 1):
        for column in chosen:
            told = {"files": names, "column": column, "seed": seed, "epochs": epochs}
            run = _known(results, told)
            if run is None:
                run = told | train_column(parts, column_settings(column, seed, epochs))._asdict()
                _keep(results, run)
            runs[column].append(run)
            click.echo(f"column {column}, seed {seed}: LAS {run['LAS']:.2f}  UAS {run['UAS']:.2f}", err=True)
    paper = TABLE_7.get(language_of(train))
    if as_json:
        click.echo(json.dumps({"table": "nederhof-7", "columns": runs, "paper": paper}))
    else:
        _show_columns(train, runs, paper)


def _known(results: Path | None, told: Mapping[str, Any]) -> dict[str, Any] | None:
    """A run that is done already."""
    lines = results.read_text().splitlines() if results and results.exists() else []
    runs: Iterator[dict[str, Any]] = map(json.loads, lines)
    return next((run for run in runs if told.items() <= run.items()), None)


def _keep(results: Path | None, run: Mapping[str, Any]) -> None:
    if results:
        with results.open("a") as file:
            file.write(json.dumps(run) + "\n")


def _show_columns(
    train: str, runs: Mapping[int, Sequence[Mapping[str, Any]]], paper: Sequence[tuple[float, float]] | None
) -> None:
    table = table_of("column", "LAS", "sd", "UAS", "paper:\nLAS", "paper:\nUAS")
    for column, found in runs.items():
        las, uas = ([run[name] for run in found] for name in ("LAS", "UAS"))
        printed = paper[column - 1] if paper else (None, None)
        spread = stdev(las) if len(las) > 1 else None
        numbers = (fmean(las), spread, fmean(uas), *printed)
        table.add_row(f"({column})", *(percent(number, 1) for number in numbers))
    out = console()
    out.print(train)
    out.print(table)


if __name__ == "__main__":
    command()
