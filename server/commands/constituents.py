"""The command `treewhile constituents`: use and scoring of phrase parsers."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import click

from treewhile.server.commands.options import json_option

if TYPE_CHECKING:  # slow to import
    pass


@click.group()
def command() -> None:
    """Run and score parsers of phrases.

    \b
    Examples:
      treewhile constituents score gold.ptb parsed.ptb
    """


@command.command()
@click.option("--model", "name", metavar="M", required=True, help="The name or the file of a model.")
@click.option(
    "--constraints",
    metavar="NAMES",
    help="What closes cells: none, ghp, hp, quad, linear, unary, or some with +.  [default: that of M]",
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
def parse(name: str, constraints: str | None, source: str, target: str) -> None:
    """Find the phrases of the sentences of IN, and write their trees to OUT.

    IN has plain words, one sentence a line, or bracketed trees, whose words and tags are kept; either is
    compressed if its name ends in .gz, and - is standard input. OUT, which appears when it is complete, has a
    tree on each line; - is standard output.

    M is the name of an installed model, or the file of a network or a grammar. Where a grammar has no tree
    that the constraints allow, those by thresholds are loosened; where none is left, all words stand under
    the root, and a line on standard error says so.

    \b
    Examples:
      treewhile constituents parse --model gum.grammar --constraints ghp+unary+quad sentences.txt parsed.ptb
      treewhile constituents parse --model en sentences.txt parsed.ptb
      treewhile constituents parse --model en gum-dev.ptb parsed.ptb
    """
    from treewhile.incremental.constituents.chart_constraints import constraint_names
    from treewhile.incremental.constituents.phrase_parsers import load_phrase_parser
    from treewhile.server.commands.phrase_files import parse_phrases

    names = None if constraints is None else constraint_names(constraints)
    parser = load_phrase_parser(name, names, lambda what: click.echo(what, err=True))
    click.echo(parse_phrases(parser, source, target), err=True)


@command.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@json_option("Print one JSON object with all scores, shares from 0 to 1.")
def score(gold: str, system: str, as_json: bool) -> None:
    """Score the trees SYSTEM, the output of a parser, against the trees GOLD.

    Brackets agree that have the same label over the same words. They are counted as EVALB counts them with
    its parameters COLLINS.prm: functions of labels (NP-SBJ) do not matter, brackets of the root (ROOT, TOP,
    S1 or none) and punctuation do not count, and ADVP and PRT are one label. "exact" is the share of trees
    all of whose brackets agree. The line "every bracket", in JSON "every_bracket", leaves nothing out: so
    counts PYEVALB, which finds a bracket that is repeated over the same words only once.

    Where GOLD was not made by people but by a parser, the scores say how far two parsers agree.

    GOLD and SYSTEM have bracketed trees over the same words, in the same order. They are compressed if their
    names end in .gz; one of them may be -, standard input.

    \b
    Examples:
      treewhile constituents score gold.ptb parsed.ptb
      treewhile constituents score gold.ptb parsed.ptb --json
    """
    from treewhile.incremental.constituents.bracket_scores import (
        EVALB,
        PYEVALB,
        TreebankScore,
        paired_phrases,
    )
    from treewhile.server.terminal.progress_bars import read_phrases_with_progress
    from treewhile.server.terminal.score_tables import show_bracket_scores

    if gold == system == "-":
        raise click.UsageError("GOLD and SYSTEM cannot both be standard input: name a file for one of them.")
    scores, every = TreebankScore(EVALB), TreebankScore(PYEVALB)
    with (
        closing(read_phrases_with_progress(gold, "reading gold trees")) as truth,
        closing(read_phrases_with_progress(system, "reading the system's")) as answer,
    ):
        for pair in paired_phrases(truth, answer):
            scores.add(*pair)
            every.add(*pair)
    if as_json:
        told = {
            "gold": gold,
            "system": system,
            "sentences": scores.sentences,
            **scores.as_json(),
            "every_bracket": every.as_json(),
            "by_label": {label: part.as_json() for label, part in scores.by_label.items()},
            "by_length": {group: part.as_json() for group, part in scores.by_length.items()},
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        show_bracket_scores(f"{system} on {gold}", scores, every)
