"""`treewhile classify`: which classes the trees of treebanks are in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from treewhile.incremental.treebanks.classified_treebank import ClassCounts, Examples, classify_sentence
from treewhile.server.commands.options import AT_LEAST_ONE, json_option
from treewhile.server.terminal.class_tables import show_counts, show_example
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.progress_bars import read_with_progress


@click.command()
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@json_option("Print one JSON object: for each file the number of trees, and how many have each attribute.")
@click.option(
    "--examples",
    "most",
    type=AT_LEAST_ONE,
    metavar="N",
    help="Draw the shortest sentences of each file outside each class, at most N for a class.",
)
def command(sources: Sequence[str], as_json: bool, most: int | None) -> None:
    """Count how many trees of each treebank FILE are in each class of trees.

    Some classes lie within each other: projective trees have no edges that cross; in gap-minding trees no
    child shares the gap of its head, in 1-Inherit trees one child at most, in mildly non-projective trees any
    number of them (Pitler, Kannan & Marcus 2012). In 1-endpoint-crossing trees all edges that cross one edge
    share an end; MH4 has all that items of four heads can derive. Beside a class stands how the time grows
    that it takes to find its best tree among all trees over n words.

    Below are the degrees above 0: the most gaps in the words under one word (gap degree), the most pieces of
    a sentence that stand under an edge and not below its head (edge degree), and the most children that share
    the gap of their head (inheritance degree).

    Edges from the root count, and there may be several. Each word needs a head. In a drawing ┼ stands where
    edges cross; where the lines are too short for it, the edges that cross are told instead.

    Each FILE is in CoNLL-U, compressed if its name ends in .gz; - is standard input.

    \b
    Examples:
      treewhile classify nl-dev.conllu hu-dev.conllu
      treewhile classify --examples 2 nl-dev.conllu
    """
    if sources.count("-") > 1:
        raise click.UsageError("- is standard input, which can be read once: give it once.")
    if as_json and most:
        raise click.UsageError("--examples draws for people, --json is for programs: use one of them.")
    examples = [Examples(most or 0) for _ in sources]
    counts = {source: _counts(source, found) for source, found in zip(sources, examples, strict=True)}
    if as_json:
        told = {source: found.as_json() for source, found in counts.items()}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    for example in (example for found in examples for example in found):
        show_example(example)
    show_counts({shown(Path(source).name): found for source, found in counts.items()})


def _counts(source: str, examples: Examples) -> ClassCounts:
    """The counts of a file, whose sentences may become examples."""
    counts = ClassCounts()
    with closing(read_with_progress(source, "classifying")) as sentences:
        for sentence in sentences:
            classes = classify_sentence(sentence)
            counts.add(classes)
            examples.add(sentence, classes)
    return counts
