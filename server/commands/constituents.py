"""`treewhile constituents`: phrases, their grammars and their scores."""

from __future__ import annotations

import json
from contextlib import closing

import click

from treewhile.server.commands.options import json_option


@click.group()
def command() -> None:
    """Train parsers of phrases, parse with them, and score trees of phrases."""


@command.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@json_option("Print one JSON object with all scores, shares from 0 to 1.")
def score(gold: str, system: str, as_json: bool) -> None:
    """Score the trees of SYSTEM, what a parser gave, on those of GOLD.

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
    from treewhile.server.terminal.bracket_tables import show_bracket_scores
    from treewhile.server.terminal.progress_bars import read_phrases_with_progress

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
