"""`treewhile evaluate`: how good a model is on a treebank."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence
from treewhile.incremental.evaluation import (
    Evaluated,
    check_gold,
    evaluate_sentence,
    parse_raw_text,
    report,
    score_report,
)
from treewhile.incremental.shipped_models import load_model
from treewhile.incremental.treebank import source_name
from treewhile.oracles import InputError
from treewhile.server.commands.evaluation_plots import check_plots, draw_plots
from treewhile.server.commands.evaluation_tables import show_report
from treewhile.server.commands.progress_bars import progress_bar, read_with_progress
from treewhile.server.commands.worker_processes import in_order


@click.command()
@click.argument("name", metavar="MODEL")
@click.argument("source", metavar="FILE")
@click.option("--raw", is_flag=True, help="Score the words and trees found in the raw text of FILE too.")
@click.option("--stream", is_flag=True, help="Score every prefix too, as words come one by one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all scores.")
@click.option(
    "--plots",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Draw the scores of --stream into this folder.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="How many processes parse."
)
def command(
    name: str, source: str, raw: bool, stream: bool, as_json: bool, folder: Path | None, jobs: int
) -> None:
    """Score MODEL, a file or the name of an installed model, on the treebank FILE.

    The words are those of FILE; with --raw its text, put together again, is parsed as well, and the words and
    sentences found there are scored. Scores of whole sentences are those of the CoNLL 2018 shared task: LAS
    counts punctuation and leaves subtypes of labels out.

    With --stream each sentence also comes word by word, and after every word the parses are compared with the
    gold tree: the best one, which may change its mind, and the committed ones, which never do and look 0, 1
    or 2 words ahead. A word's decision is right if head and label are, or if its head is still to come and
    the parse says so; subtypes are left out. "initial" is the decision when the word comes, "delay 2" two
    words later, "final" at the end of the sentence. As long as a committed parse waits with a word, the head
    counts as still to come, the label as wrong, and the decision for which it waited as a change. Times are
    those of one word in one process.

    FILE is in CoNLL-U, compressed if its name ends in .gz; - is standard input.

    \b
    Examples:
      treewhile evaluate en dev.conllu
      treewhile evaluate mine.safetensors dev.conllu --stream --plots plots --jobs 4
    """
    if folder is not None and not stream:
        raise click.UsageError("--plots draws what --stream counts: use both.")
    if folder is not None:
        check_plots(folder)
    gold = _gold(source)
    evaluated = _evaluated(name, gold, stream, jobs)
    scores = {"model": name, "file": source, **_machine(jobs), **report(gold, evaluated)}
    if raw:
        scores["raw"] = score_report(gold, _parsed_raw_text(name, gold))
    if folder is not None:
        draw_plots(scores["stream"], folder)
    if as_json:
        click.echo(json.dumps(scores))
    else:
        show_report(scores)


def _gold(source: str) -> list[Sentence]:
    with closing(read_with_progress(source, "reading")) as sentences:
        gold = list(sentences)
    if not gold:
        raise InputError(f"there are no sentences in {source_name(source)}, and scores need some")
    check_gold(gold)
    return gold


def _evaluated(name: str, gold: Sequence[Sentence], stream: bool, jobs: int) -> list[Evaluated]:
    model = load_model(name)
    tool = partial(load_model, name) if jobs > 1 else lambda: model
    work = partial(evaluate_sentence, clock=time.perf_counter if stream else None)
    evaluated = []
    words = sum(len(sentence.words) for sentence in gold)
    with (
        progress_bar("parsing", words, MofNCompleteColumn()) as advance,
        closing(in_order(work, tool, gold, jobs)) as results,
    ):
        for result in results:
            evaluated.append(result)
            advance(len(result.system.words))
    return evaluated


def _parsed_raw_text(name: str, gold: Sequence[Sentence]) -> list[Sentence]:
    parsed = []
    with progress_bar("parsing raw text", len(gold), MofNCompleteColumn()) as advance:
        for sentence in parse_raw_text(load_model(name), gold):
            parsed.append(sentence)
            advance(1)
    return parsed


def _machine(jobs: int) -> dict[str, Any]:
    """What times depend on; None threads are as many as numpy takes."""
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS")
    return {"processes": jobs, "threads": int(threads) if threads and threads.isdigit() else None}
