"""`treewhile projectivize`: every tree of a treebank made projective, and back."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from operator import add
from typing import TypeVar

import click
from rich.table import Table

from treewhile.incremental import (
    Losses,
    Restored,
    Sentence,
    open_output,
    projectivize_sentence,
    restore_sentence,
)
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import console
from treewhile.server.terminal.progress_bars import read_with_progress

Tally = TypeVar("Tally", Losses, Restored)


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--restore", is_flag=True, help="The way back: OUT is the file from before, byte for byte.")
@click.option("--count", is_flag=True, help="Tell every sentence's number of best trees in a comment.")
@json_option("Print the summary as one JSON object.")
def command(source: str, target: str, restore: bool, count: bool, as_json: bool) -> None:
    """Give every sentence of the treebank IN its best projective tree, and write the result to OUT.

    A tree is projective if no two of its edges cross and none passes over its root. The best one has exactly
    one root and keeps as many of the sentence's edges as any. A word that gets another HEAD keeps the old one
    in MISC, as OriginalHead=5, and with --restore all is put back. Words whose HEAD is unknown (_) keep that:
    the others' edges can then be completed to the best tree. DEPREL and DEPS stay as they are for all words.

    IN and OUT are files in CoNLL-U, compressed if their names end in .gz; - is standard input or output. OUT
    appears when it is complete. The summary goes to standard output, or to standard error if OUT goes there.
    It compares with lifting, another way to make trees projective (Nivre & Nilsson 2005), which leaves
    several roots as they are.

    \b
    Examples:
      treewhile projectivize train.conllu projective.conllu
      treewhile projectivize --restore projective.conllu train-again.conllu
    """
    if restore and count:
        raise click.UsageError("--count adds what --restore takes away: use one of them.")
    if restore:
        _show(_rewrite(source, target, restore_sentence, Restored()), as_json, stderr=target == "-")
    else:
        change = partial(projectivize_sentence, with_count=count)
        _show(_rewrite(source, target, change, Losses()), as_json, stderr=target == "-")


def _rewrite(
    source: str, target: str, change: Callable[[Sentence], tuple[Sentence, Tally]], tally: Tally
) -> Tally:
    """What the changes of all sentences come to, after the changed sentences are written."""
    shares_terminal = target == "-" and sys.stdout is not None and sys.stdout.isatty()
    with (
        open_output(target) as output,
        closing(read_with_progress(source, "rewriting", hidden=shares_terminal)) as sentences,
    ):
        for sentence in sentences:
            changed, part = change(sentence)
            output.write(str(changed))
            tally = type(tally)(*map(add, tally, part))
    return tally


# Of what it is a share, if of anything, and what people call it if not by its name
SHARE_OF = {"non_projective": "trees", "edges_lost": "edges", "edges_lost_by_lifting": "edges"}
LABELS = {"non_projective": "not projective", "edges_lost_by_lifting": "lifting would have lost"}


def _show(tally: Losses | Restored, as_json: bool, stderr: bool) -> None:
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
