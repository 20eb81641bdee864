"""The command `treewhile score`: scores of the trees of any parser."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any, Final

import click

from treewhile.incremental.scores.conll_scores import WORD_MEASURES, ComparedTreebanks, Score
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.progress_bars import read_with_progress
from treewhile.server.terminal.score_tables import show_scores

CROSSING: Final = "crossing edges"
PUNCTUATION: Final = {"all_words": True, "without_punctuation": False}


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@json_option("Print one JSON object with all scores.")
def command(gold: str, system: str, as_json: bool) -> None:
    """Score the treebank SYSTEM, the output of a parser, against the right treebank GOLD.

    The scores are those of the CoNLL 2018 shared task, as its official scorer gives them; LAS leaves out the
    subtypes of labels, as that does. Both treebanks need the same text, but may cut it into sentences, tokens
    and words in different ways: then precision and recall differ, and "aligned" is the share that is right
    among the words that both have.

    Scores without punctuation leave out each word whose characters are all punctuation. "crossing edges" are
    those that cross another edge of their tree, in GOLD and in SYSTEM; labels do not count. With --json
    "crossing_heads" tells beside it how many of the edges that cross in one tree the other has at all. The
    last table has the labelled attachment of the words with each relation: a relation counts with all its
    subtypes, and each subtype, indented, on its own.

    GOLD and SYSTEM are files in CoNLL-U, compressed if their names end in .gz; one of them may be -, standard
    input. No head may be missing.

    \b
    Examples:
      treewhile score gold.conllu parsed.conllu
      treewhile parse gold.conllu - | treewhile score gold.conllu - --json
    """
    if gold == system == "-":
        raise click.UsageError("GOLD and SYSTEM cannot both be standard input: name a file for one of them.")
    compared = _compared(gold, system)
    scores, without = compared.scores(), compared.scores(punctuation=False)
    without = {name: without[name] for name in WORD_MEASURES}
    labels = compared.label_scores()
    crossing = {name: compared.crossing_score(punctuation=counts) for name, counts in PUNCTUATION.items()}
    if as_json:
        parts = {
            "scores": scores,
            "without_punctuation": without,
            "labels": labels,
            "crossing_edges": crossing,
        }
        told = {part: _as_json(named) for part, named in parts.items()}
        told["crossing_heads"] = compared.crossing_heads().as_json()
        click.echo(json.dumps({"gold": gold, "system": system, **told}, ensure_ascii=False))
    else:
        all_words, proper = crossing.values()
        show_scores(
            f"{system} on {gold}", scores | {CROSSING: all_words}, without | {CROSSING: proper}, labels
        )


def _compared(gold: str, system: str) -> ComparedTreebanks:
    with (
        closing(read_with_progress(gold, "reading gold trees")) as truth,
        closing(read_with_progress(system, "reading the system's")) as answer,
    ):
        return ComparedTreebanks(truth, answer)


def _as_json(scores: dict[str, Score]) -> dict[str, Any]:
    return {name: score.as_json() for name, score in scores.items()}
