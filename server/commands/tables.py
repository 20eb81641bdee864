"""`treewhile tables`: the tables and figures of papers, for any treebank."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from operator import add
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

import click
from rich.progress import MofNCompleteColumn
from rich.text import Text

from treewhile.incremental import Losses, Sentence, projectivize_sentence, read_sentences
from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.chart_constraints import OperatingPoints
from treewhile.incremental.constituents.chart_tagger_training import STEPS, learnt_taggers
from treewhile.incremental.constituents.constraint_tables import (
    PRINTED,
    Printed,
    Row,
    constraint_rows,
    row_name,
)
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.operating_points import LINEAR, USUAL
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.scores.decoder_comparison import DecoderScores, compared_decoders
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.incremental.scores.projectivization_choices import choices_by_length
from treewhile.server.commands.options import defaulted_option, json_option
from treewhile.server.terminal.consoles import console, shown
from treewhile.server.terminal.evaluation_tables import percent, table_of
from treewhile.server.terminal.progress_bars import progress_bar, read_with_progress
from treewhile.server.training.grammars import plain_phrases
from treewhile.server.training.shown_runs import imported_training

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

# UAS as printed, on the test parts of CoNLL-X.
PITLER_2: Final = {
    "projective": {"cs": 80.0, "da": 88.2, "nl": 79.8, "pt": 87.4, "sv": 86.9},
    "spanning trees": {"ar": 78.0, "cs": 80.4, "da": 88.1, "nl": 84.6, "pt": 86.7, "sv": 86.2},
    "gap-minding": {"ar": 77.6, "cs": 80.8, "da": 88.6, "nl": 83.9, "pt": 86.8, "sv": 86.0},
    "projective + siblings": {"ar": 78.2, "cs": 80.0, "da": 88.9, "nl": 81.1, "pt": 87.5, "sv": 88.1},
    "siblings + rearrangement": {"ar": 78.5, "cs": 81.3, "da": 89.3, "nl": 85.4, "pt": 88.2, "sv": 87.7},
    "gap-minding + grandparents": {"ar": 78.3, "cs": 82.1, "da": 89.1, "nl": 84.6, "pt": 87.7, "sv": 88.5},
}

as_json_option = json_option("Print one JSON object.")
files_argument = click.argument("sources", metavar="FILE...", nargs=-1, required=True)


@click.group()
def command() -> None:
    """Tables and figures of papers, with what the paper printed beside what comes out here.

    Each takes any treebank in CoNLL-U, compressed if its name ends in .gz. What the paper has for a language
    stands beside a file whose name begins with its code, such as hu_szeged. The treebanks of Nederhof are of
    UD 2.2, those of Pitler, Kannan & Marcus of CoNLL-X.

    Figures 4 to 6 of Köhn & Menzel 2013 are drawn by "treewhile evaluate MODEL FILE --stream --time-limits
    2,10,50,250 --plots DIR".

    \b
    Examples:
      treewhile tables nederhof-6 train.conllu
      treewhile tables nederhof-7 --train train.conllu --dev dev.conllu --test test.conllu
      treewhile tables pitler-2 dev.conllu mine.safetensors
      treewhile tables roark-4 --train train.ptb --dev dev.ptb
    """


@command.command("nederhof-6")
@files_argument
@as_json_option
def nederhof_6(sources: Sequence[str], as_json: bool) -> None:
    """Table 6 of Nederhof 2019: edges that survive when trees are made projective.

    They are told for lifting, the basis of pseudo-projective parsing (Nivre & Nilsson 2005), and for the best
    projective tree, in percent of the edges to words whose head is known.

    \b
    Example:
      treewhile tables nederhof-6 de_gsd-ud-train.conllu grc_proiel-ud-train.conllu
    """
    found = {source: _shares_kept(source) for source in sources}
    if as_json:
        told = {source: {"lifting": pair[0], "optimal": pair[1]} for source, pair in found.items()}
        click.echo(json.dumps({"table": "nederhof-6", "files": told, "paper": TABLE_6}))
        return
    table = table_of("edges kept (%)", "lifting", "optimal", "paper:\npseudo", "paper:\noptimal")
    for source, pair in found.items():
        paper = TABLE_6.get(_language(source), (None, None))
        cells = [*map(percent, pair), *(percent(share, 1) for share in paper)]
        table.add_row(shown(Path(source).name), *cells)
    console().print(table)


def _shares_kept(source: str) -> tuple[float | None, float | None]:
    """The shares of edges kept by lifting, and by the best projective trees."""
    losses = Losses()
    for sentence in _sentences(source):
        losses = Losses(*map(add, losses, projectivize_sentence(sentence)[1]))
    lost = (losses.edges_lost_by_lifting, losses.edges_lost)
    by_lifting, optimal = (1 - one / losses.edges if losses.edges else None for one in lost)
    return by_lifting, optimal


@command.command("nederhof-8")
@files_argument
@as_json_option
def nederhof_8(sources: Sequence[str], as_json: bool) -> None:
    """Figure 8 of Nederhof 2019: how many best projective trees a sentence has, by its length.

    That is the geometric mean over sentences. The paper draws it for grc, de and ja, and prints no numbers:
    "the degree of choice grows roughly exponentially in sentence length".

    \b
    Example:
      treewhile tables nederhof-8 de_gsd-ud-train.conllu grc_proiel-ud-train.conllu
    """
    found = {source: choices_by_length(_sentences(source)) for source in sources}
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


@command.command("nederhof-7")
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
    seeds; each run takes minutes to hours. "treewhile train" trains a column as a model: --tags gold-upos
    --committed-only with its --trees and --explore.

    \b
    Example:
      treewhile tables nederhof-7 --train hu-train.conllu --dev hu-dev.conllu --test hu-test.conllu
    """
    imported_training(threads)
    from treewhile.incremental.training.step_oracle_columns import (
        COLUMNS,
        Parts,
        column_settings,
        train_column,
    )

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
    paper = TABLE_7.get(_language(train))
    if as_json:
        click.echo(json.dumps({"table": "nederhof-7", "columns": runs, "paper": paper}))
    else:
        _show_columns(train, runs, paper)


@command.command("pitler-2")
@click.argument("source", metavar="FILE")
@click.argument("names", metavar="MODEL...", nargs=-1, required=True)
@as_json_option
def pitler_2(source: str, names: Sequence[str], as_json: bool) -> None:
    """Table 2 of Pitler, Kannan & Marcus 2012: what wider classes of trees are worth.

    The treebank FILE is parsed by each MODEL, a file or the name of an installed model, with each decoder.
    Beside UAS and LAS, punctuation and all, stand precision, recall and F1 of the edges that cross, right
    wherever the other tree has them, and the seconds that parsing took. Models that know siblings or
    grandparents have the decoders of these, too ("treewhile train --triples"). Of several models, such as
    those of other seeds, the means are given. Gap-minding trees are pruned as in the paper. What is too long
    for a class is parsed projectively: more than 60 words for gap-minding trees, 100 for 1-endpoint-crossing
    ones, and 120 for MH4.

    Here all decoders have the same scores of arcs, while the paper trains a model for each. Its numbers
    are those of the test parts of CoNLL-X.

    \b
    Example:
      treewhile tables pitler-2 nl_alpino-dev.conllu seed-1.safetensors seed-2.safetensors
    """
    gold = [*_sentences(source)]
    check_gold(gold)
    runs = {name: compared_decoders(load_model(name), gold) for name in names}
    language = _language(source)
    printed = {name: PITLER_2.get(name, {}) for name in _decoders([*runs.values()])}
    paper = {name: by_language[language] for name, by_language in printed.items() if language in by_language}
    if as_json:
        told = {name: _as_json(scores) for name, scores in runs.items()}
        click.echo(json.dumps({"table": "pitler-2", "file": source, "models": told, "paper": paper}))
    else:
        _show_decoders(source, [*runs.values()], paper)


@command.command("roark-4")
@click.option("--train", required=True, metavar="A", help="Bracketed trees to learn from.")
@click.option("--dev", required=True, metavar="B", help="Bracketed trees that are parsed.")
@defaulted_option(
    "--threshold", click.FloatRange(0, 1000), 40.0, "How sure GHP and Unary are; the paper's is 40."
)
@as_json_option
def roark_4(train: str, dev: str, threshold: float, as_json: bool) -> None:
    """Table 4 of Roark, Hollingshead & Bodenstab 2012: what closed cells of charts are worth.

    Grammars of Markov order 2 and taggers of order 1 are learnt from A, and B is parsed with each union of
    constraints, on one core, tagging and all. F1 counts as EVALB does; where B was made by a parser it is
    agreement with that. Seconds are the processor's. The numbers of the paper are those of Section 24 of the
    WSJ, on its machine of 2010.

    \b
    Example:
      treewhile tables roark-4 --train gum-train.ptb --dev gum-dev.ptb
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


def _as_json(scores: Mapping[str, DecoderScores]) -> dict[str, dict[str, float]]:
    return {name: one._asdict() for name, one in scores.items()}


def _decoders(runs: Sequence[Mapping[str, DecoderScores]]) -> list[str]:
    """The names of all decoders that some model was tried with."""
    return [*dict.fromkeys(chain(*runs))]


def _show_decoders(
    source: str, runs: Sequence[Mapping[str, DecoderScores]], paper: Mapping[str, float]
) -> None:
    crossing = (f"crossing:\n{name}" for name in ("precision", "recall", "F1"))
    table = table_of("decoder", "UAS", "sd", "LAS", *crossing, "seconds", "paper:\nUAS")
    for name in _decoders(runs):
        found = [scores[name] for scores in runs if name in scores]
        uas, *others = map(fmean, zip(*found, strict=True))
        spread = stdev(one.UAS for one in found) if len(found) > 1 else None
        table.add_row(name, *(percent(one, 1) for one in (uas, spread, *others, paper.get(name))))
    out = console()
    out.print(Text(shown(Path(source).name)))
    out.print(table)


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


def _sentences(source: str) -> Iterator[Sentence]:
    with closing(read_with_progress(source, "reading")) as sentences:
        yield from sentences


def _language(source: str) -> str:
    """The code that the name of a treebank begins with."""
    return Path(source).name.partition("_")[0].partition("-")[0]
