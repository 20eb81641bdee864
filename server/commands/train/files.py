"""Files of a training: models and checkpoints, checked before hours of work, and treebanks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from treewhile.incremental import Model, Sentence, read_sentences
from treewhile.incremental.constituents.plain_phrases import plain_tree
from treewhile.incremental.output_files import system_errors_named
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.text_sources import decoded, segmenter_of, sentences_of_text
from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError
from treewhile.server.terminal.progress_bars import read_phrases_with_progress


def model_named(name: str) -> ModelFile:
    """Return the content of a model, given its file or the name of an installed model."""
    return read_model(model_path(name))


def tags_of(file: ModelFile) -> str:
    """Return the member of TAGS that a model was trained with."""
    return str(file.information.get("tags", TAGS[0]))


def checkpoint_of(out: Path) -> Path:
    """Return the file beside a model that keeps its unfinished training."""
    return out.with_name(f"{out.name}.checkpoint")


def unused_checkpoint(out: Path, resume: bool) -> Path:
    """Return the checkpoint file of a model; raise InputError if a file is in use or cannot be made."""
    check_place(out)
    checkpoint = checkpoint_of(out)
    check_unused(checkpoint, resume)
    if resume and out.exists() and not checkpoint.exists():
        raise InputError(
            f"{out} is finished, and there is no checkpoint to go on from: give another --out, "
            "leave --resume out to train it anew, or train it further with --from"
        )
    return checkpoint


def check_place(out: Path) -> None:
    """Raise InputError if the model cannot be written to the file `out`."""
    folder = out.absolute().parent
    if out.name in ("", "-", "..") or out.suffix == ".gz" or (out.exists() and not out.is_file()):
        raise InputError(
            f"the model cannot be written to {str(out)!r}: give the name of a file, not compressed"
        )
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError(f"the model cannot be written to the folder {folder}: make it, or give another one")


def check_unused(checkpoint: Path, resume: bool) -> None:
    """Raise InputError if another run has left a checkpoint that would be lost."""
    if checkpoint.exists() and not resume:
        raise InputError(
            f"{checkpoint} is there, from a run that was stopped: go on with --resume, "
            "or delete it to begin anew"
        )


LONGEST_RAW_SENTENCE: Final = 80  # words; longer ones are lists more often than sentences


@contextmanager
def told_how_to_go_on(checkpoint: Path) -> Iterator[None]:
    """Print the way to resume if somebody stops the block."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if checkpoint.exists():
            what = f"what is done stands in {checkpoint}: the same command with --resume goes on from there"
        else:
            what = "nothing is kept, since no epoch was done"
        click.echo(f"treewhile: stopped; {what}", err=True)
        raise


def read_parts(train: Sequence[str], dev: str, skip_bad: bool) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences to learn from and to score on; with `skip_bad`, unusable ones are left out."""
    return read_training(train, skip_bad), _read([dev], "dev", check_scorable, skip_bad)


def read_training(sources: Sequence[str], skip_bad: bool) -> list[Sentence]:
    """Return the sentences to learn from; with `skip_bad`, unusable ones are left out."""
    return _read(sources, "training", check_trainable, skip_bad)


def _read(
    sources: Sequence[str], part: str, check: Callable[[Sentence], None], skip_bad: bool
) -> list[Sentence]:
    if not skip_bad:
        return [one for source in sources for one in read_sentences(source)]
    skipped = SkippedSentences()
    sentences = [*skipped.read(sources, check)]
    for kind, problems in skipped.by_kind().items():
        amount = f"{len(problems)} sentence{'s' * (len(problems) > 1)}"
        click.echo(f"skipped {amount} of the {part} part, {kind}; the first: {problems[0]}", err=True)
    return sentences


def sentences_of_file(model: Model, source: str) -> list[list[str]]:
    """Return the words of each sentence that a model finds in raw text, in which a line is a paragraph."""
    segmenter = segmenter_of(model, source)
    with system_errors_named(f"read {source}"), open(source, "rb") as file:
        paragraphs = (f"{line.rstrip()}\n\n" for line in decoded(file, source))
        found = sentences_of_text(segmenter, paragraphs, source)
        return [
            words for one in found if len(words := [word.form for word in one.words]) <= LONGEST_RAW_SENTENCE
        ]


def phrases_to_learn(sources: Sequence[str]) -> list[Phrase]:
    """Return the plain trees of treebanks to learn from."""
    return [tree for source in sources for tree in plain_phrases(source, "reading what to learn from")]


def phrases_to_score(source: str) -> list[Phrase]:
    """Return the plain trees of a treebank to score on."""
    return plain_phrases(source, "reading what to score on")


def plain_phrases(source: str, task: str) -> list[Phrase]:
    """Return the plain trees of a treebank; raise InputError if there are none."""
    trees = [plain_tree(tree).phrase for tree in read_phrases_with_progress(source, task)]
    if not trees:
        raise InputError(f"{source} has no trees: give another file")
    return trees
