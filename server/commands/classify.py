"""The command `treewhile classify`: numbers of trees of treebanks in each class of trees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from types import NoneType
from typing import NamedTuple

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.parsers.text_sources import TREEBANK_NAMES
from treewhile.incremental.treebanks.classified_treebank import ClassCounts, Examples, classify_sentence
from treewhile.server.commands.options import AT_LEAST_ONE, jobs_option, json_option
from treewhile.server.corpora.sources import found_sources
from treewhile.server.corpora.worker_processes import in_order
from treewhile.server.terminal.class_tables import show_counts, show_example
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.progress_bars import progress_bar, read_with_progress


@click.command()
@click.argument("given", metavar="FILE...", nargs=-1, required=True)
@jobs_option
@json_option("Print one JSON object: for each file the number of trees, and how many have each attribute.")
@click.option(
    "--examples",
    "most",
    type=AT_LEAST_ONE,
    metavar="N",
    help="Draw the shortest sentences of each file outside each class, at most N for a class.",
)
def command(given: Sequence[str], jobs: int, as_json: bool, most: int | None) -> None:
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

    Each FILE is in CoNLL-U, compressed if its name ends in .gz; - is standard input. Of a folder, the files
    ending in .conllu or .conllu.gz are counted, each by itself.

    \b
    Examples:
      treewhile classify nl-dev.conllu hu-dev.conllu
      treewhile classify --examples 2 nl-dev.conllu
    """
    if given.count("-") > 1:
        raise click.UsageError("- is standard input, which can be read once: give it once.")
    if as_json and most:
        raise click.UsageError("--examples draws for people, --json is for programs: use one of them.")
    sources = found_sources(given, TREEBANK_NAMES)
    paths = [source.path for source in sources]
    if jobs > 1 and "-" not in paths:
        found = _found_by_processes(paths, most or 0, jobs)
    else:
        found = {path: _found_alone(path, most or 0) for path in paths}
    if as_json:
        told = {path: counts.as_json() for path, (counts, _) in found.items()}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    for example in (example for _, examples in found.values() for example in examples):
        show_example(example)
    show_counts({shown(source.name): found[source.path].counts for source in sources})


class Found(NamedTuple):
    """Counts of trees, and examples."""

    counts: ClassCounts
    examples: Examples


def found_among(sentences: Iterable[Sentence], most: int) -> Found:
    """Return the counts and examples of sentences."""
    counts, examples = ClassCounts(), Examples(most)
    for sentence in sentences:
        classes = classify_sentence(sentence)
        counts.add(classes)
        examples.add(sentence, classes)
    return Found(counts, examples)


def found_in_file(most: int, _: None, path: str) -> Found:
    """Return the counts and examples of a file."""
    return found_among(read_sentences(path), most)


def _found_alone(path: str, most: int) -> Found:
    with closing(read_with_progress(path, "classifying")) as sentences:
        return found_among(sentences, most)


def _found_by_processes(paths: Sequence[str], most: int, jobs: int) -> dict[str, Found]:
    """Return the counts and examples of each file, which are read by several processes."""
    found = {}
    with (
        progress_bar("classifying", len(paths), MofNCompleteColumn()) as advance,
        closing(in_order(partial(found_in_file, most), NoneType, paths, jobs)) as results,
    ):
        for path, one in zip(paths, results, strict=True):
            found[path] = one
            advance(1)
    return found
