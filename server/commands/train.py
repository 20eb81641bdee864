"""`treewhile train`: a model from a treebank."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import read_sentences
from treewhile.incremental.model_files import write_model
from treewhile.incremental.training.settings import EXPLORE, TREES, Settings
from treewhile.oracles import InputError
from treewhile.server.commands.progress_bars import progress_bar

if TYPE_CHECKING:
    from treewhile.incremental.training.runs import Run
    from treewhile.incremental.training.trainer import Epoch

TAGS = ("predicted", "gold-upos", "gold")


@click.command()
@click.option("--train", "train", metavar="A", multiple=True, required=True, help="What to learn from.")
@click.option("--dev", metavar="B", required=True, help="What tells which state of the model is best.")
@click.option("--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file.")
@click.option(
    "--trees",
    type=click.Choice(TREES),
    default=Settings.trees,
    show_default=True,
    help="All trees, for the shift-reduce parser made projective; or only those that are.",
)
@click.option(
    "--explore",
    type=click.Choice(EXPLORE),
    default=Settings.explore,
    show_default=True,
    help="In the second half, follow the parser's own steps, with the best ones for these trees; or do not.",
)
@click.option(
    "--tags",
    type=click.Choice(TAGS),
    default=Settings.tags,
    show_default=True,
    help="Of gold: nothing, UPOS, or UPOS and FEATS are told with each word, also when parsing.",
)
@click.option("--epochs", type=click.IntRange(1, 1000), default=Settings.epochs, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=Settings.seed, show_default=True)
@click.option("--threads", type=click.IntRange(1, 256), help="How many to use; as many as there are cores.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint that stands beside M, if one does.")
@click.option("--language", metavar="CODE", help="Told in the model; what A's name begins with.")
@click.option(
    "--licence", metavar="TEXT", help="Told in the model, which most treebanks want under their own."
)
def command(
    train: tuple[str, ...],
    dev: str,
    out: Path,
    threads: int | None,
    resume: bool,
    language: str | None,
    licence: str | None,
    **options: Any,
) -> None:
    """Train a parser on the treebank A, and write the model that parses the treebank B best to M.

    A may be given several times. Both are files in CoNLL-U, compressed if their names end in .gz. The model
    learns to tag, to parse whole sentences and prefixes, and to find words and sentences in the text of A.
    After every epoch the scores on B are printed, in percent of its words: right tags (UPOS) and features
    (FEATS), right heads (UAS), and right heads with labels, subtypes aside (LAS). Training ends after
    --epochs, or when ten of them brought nothing better.

    What is known stands in M.checkpoint after every epoch, and goes when M is there. Whenever a run was
    stopped, the same command with --resume goes on and ends with the same model, on the same machine.

    \b
    Example:
      treewhile train --train en-train.conllu --dev en-dev.conllu --out en.safetensors
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait would keep others from their work
    try:
        from treewhile.incremental.training.runs import Run, use_threads
    except ModuleNotFoundError as error:
        raise InputError(f"training needs {error.name}: pip install 'treewhile[train]'") from error
    if threads:
        use_threads(threads)
    if not out.absolute().parent.is_dir():
        raise InputError(f"there is no folder {out.parent} to write the model to: make it, or name another")
    checkpoint = out.with_name(out.name + ".checkpoint")
    sentences = [sentence for source in train for sentence in read_sentences(source)]
    run = Run(sentences, [*read_sentences(dev)], Settings(**options), checkpoint)
    if resume and (done := run.resume()):
        click.echo(f"going on after {done} epochs")
    _run_epochs(run, sum(len(sentence.words) for sentence in sentences))
    click.echo("learning to find words and sentences")
    information = {
        "language": language or Path(train[0]).name.split("_")[0],
        "treebanks": [Path(source).name for source in train],
        "licence": licence or "not said",
        "command": shlex.join(["treewhile", *_told(sys.argv[1:])]),
    }
    write_model(out, run.model(information))
    with suppress(FileNotFoundError):
        checkpoint.unlink()
    click.echo(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


def _run_epochs(run: Run, words: int) -> None:
    total = run.trainer.settings.epochs
    while not run.trainer.is_done:
        task = f"epoch {run.trainer.epochs_done + 1} of {total}"
        with progress_bar(task, words, MofNCompleteColumn()) as advance:
            epoch = next(run.epochs(advance))
        click.echo(_line(epoch, total))


def _line(epoch: Epoch, total: int) -> str:
    scores = "  ".join(f"{name} {score:5.2f}" for name, score in epoch.scores.items())
    oracle = f"  {epoch.oracle_calls_a_second:,.0f} oracle calls/s" if epoch.oracle_calls_a_second else ""
    best = "  best" if epoch.is_best else ""
    return f"epoch {epoch.number:{len(str(total))}}/{total}  {scores}  {epoch.seconds:.0f} s{oracle}{best}"


def _told(arguments: list[str]) -> list[str]:
    """The arguments as they are told in the model: of files the names alone."""
    return [re.sub(r"(^|=)[^=]*/", r"\1", argument) for argument in arguments]
