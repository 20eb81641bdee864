"""The command `treewhile projectivize`: trees of a treebank made projective, and restored."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from operator import add
from types import NoneType
from typing import TypeAlias

import click
from rich.table import Table

from treewhile.incremental import (
    Losses,
    Restored,
    Sentence,
    open_output,
    projectivize_sentence,
    read_sentences,
    restore_sentence,
)
from treewhile.incremental.parsers.text_sources import TREEBANK_NAMES
from treewhile.server.commands.options import (
    corpus_options,
    json_option,
    only_target,
    out_option,
)
from treewhile.server.corpora.runs import Counts, Making
from treewhile.server.terminal.consoles import console
from treewhile.server.terminal.corpus_runs import make_corpus, place_called
from treewhile.server.terminal.progress_bars import read_with_progress, shares_terminal

Tally: TypeAlias = Losses | Restored
Change: TypeAlias = Callable[[Sentence], tuple[Sentence, Tally]]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("others", metavar="[OUT]", nargs=-1)
@out_option
@click.option(
    "--restore", is_flag=True, help="Undo a projectivization: OUT is the original file, byte for byte."
)
@click.option("--count", is_flag=True, help="Tell every sentence's number of best trees in a comment.")
@json_option("Print the summary as one JSON object.")
@corpus_options
def command(
    source: str,
    others: Sequence[str],
    out: str | None,
    restore: bool,
    count: bool,
    as_json: bool,
    jobs: int | None,
    on: str,
    report: bool,
) -> None:
    """Give every sentence of the treebank IN its best projective tree, and write the result to OUT.

    A tree is projective if no two of its edges cross and none passes over its root. The best one has exactly
    one root and keeps as many of the sentence's edges as any. A word that gets another HEAD keeps the old one
    in MISC, as OriginalHead=5, and with --restore all is put back. Words whose HEAD is unknown (_) keep that:
    the others' edges can then be completed to the best tree. DEPREL and DEPS stay as they are for all words.

    IN and OUT are files in CoNLL-U, compressed if their names end in .gz; - is standard input or output. OUT
    appears when it is complete. The summary goes to standard output, or to standard error if OUT goes there.
    It compares with lifting, another way to make trees projective (Nivre & Nilsson 2005), which leaves
    several roots as they are.

    With --out there may be many INs, and folders of them; their files ending in .conllu or .conllu.gz are
    taken. Of each a file of its name is made in the folder DIR. A run that was stopped goes on with the files
    that are missing when it is started again, and counts these. An IN that is no treebank is told, and left
    out; the exit code is 1 then.

    \b
    Examples:
      treewhile projectivize train.conllu projective.conllu
      treewhile projectivize --restore projective.conllu train-again.conllu
      treewhile projectivize treebanks --out projective
    """
    if restore and count:
        raise click.UsageError("--count adds what --restore takes away: use one of them.")
    change: Change = restore_sentence if restore else partial(projectivize_sentence, with_count=count)
    nothing = Restored() if restore else Losses()
    if out is not None:
        settings = {"command": "projectivize", "restore": restore, "count": count}
        given, place = [source, *others], place_called(on, jobs)
        making = Making(partial(pieces_of, change, nothing), NoneType, settings, ".conllu")
        counts = make_corpus(given, out, TREEBANK_NAMES, str, making, place, report)
        _show(nothing._replace(**{name: counts[name] for name in nothing._fields}), as_json, stderr=False)
        return
    target = only_target(others)
    if target is None:
        raise click.UsageError("Missing argument 'OUT'.")
    if jobs or report:
        raise click.UsageError("--jobs and --report are for many files: use them with --out.")
    _show(_rewrite(source, target, change, nothing), as_json, stderr=target == "-")


def pieces_of(change: Change, nothing: Tally, _: None, source: str) -> Generator[tuple[str, Counts]]:
    """Yield the changed sentences of a treebank with their tallies."""
    yield "", {"sentences": 0, **nothing._asdict()}
    for changed, tally in map(change, read_sentences(source)):
        yield str(changed), {"sentences": 1, **tally._asdict()}


def _rewrite(source: str, target: str, change: Change, tally: Tally) -> Tally:
    """Write the changed sentences, and return the sum of their tallies."""
    with (
        open_output(target) as output,
        closing(read_with_progress(source, "rewriting", hidden=shares_terminal(target))) as sentences,
    ):
        for sentence in sentences:
            changed, part = change(sentence)
            output.write(str(changed))
            tally = _sum(tally, part)
    return tally


def _sum(one: Tally, other: Tally) -> Tally:
    return type(one)(*map(add, one, other))


# Denominators of shares, and labels that differ from names.
SHARE_OF = {"non_projective": "trees", "edges_lost": "edges", "edges_lost_by_lifting": "edges"}
LABELS = {"non_projective": "not projective", "edges_lost_by_lifting": "lifting would have lost"}


def _show(tally: Tally, as_json: bool, stderr: bool) -> None:
    if as_json:
        click.echo(json.dumps(tally._asdict()), err=stderr)
        return
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for justify in ("left", "right", "right"):
        table.add_column(justify=justify)
    numbers = tally._asdict()
    for name, number in numbers.items():
        whole = numbers.get(SHARE_OF.get(name, ""))
        label = LABELS.get(name, name.replace("_", " "))
        table.add_row(label, f"{number:,}", f"{number / whole:.2%}" if whole else "")
    console(stderr).print(table)
