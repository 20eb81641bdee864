"""The command `treewhile train parser`: a whole model, from a treebank or from a finished model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewhile.incremental import Model, Sentence
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import write_model
from treewhile.incremental.parsers.shift_reduce import ROOT_LABEL
from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.training.parts import learnt_too
from treewhile.incremental.training.settings import (
    DECODERS_TO_LEARN,
    EXPLORE,
    LEARN_FROM,
    RATE_OF_FINISHED,
    Explore,
    LearnFrom,
    Settings,
    usual_epochs,
)
from treewhile.oracles.errors import InputError
from treewhile.server.commands.options import chosen_option, chosen_trees_option
from treewhile.server.commands.train.files import (
    model_named,
    read_training,
    sentences_of_file,
    tags_of,
    told_how_to_go_on,
    unused_checkpoint,
)
from treewhile.server.commands.train.options import FILE, Order, licence_option, order_options, origin
from treewhile.server.commands.train.shown_runs import (
    imported_training,
    run_epochs,
    show_choice,
    size_of,
    write_with_segmenter,
)
from treewhile.server.terminal.progress_bars import steps_bar

if TYPE_CHECKING:
    from treewhile.incremental.training.reading import Reading
    from treewhile.incremental.training.teaching import Teaching


@click.command()
@order_options
@click.option(
    "--from",
    "beginning",
    metavar="P",
    type=FILE,
    help="Go on with the model P, a file or the name of an installed model, and write the better one to M.",
)
@click.option(
    "--treebank",
    "others",
    metavar="T",
    type=FILE,
    multiple=True,
    help="Treebank that may annotate otherwise than A, to learn from, too; may be repeated.",
)
@click.option(
    "--teach",
    "teachers",
    metavar="P",
    type=FILE,
    multiple=True,
    help="Learn what this model believes about each word, too; may be repeated, for the mean of several.",
)
@click.option(
    "--raw",
    metavar="FILE",
    type=FILE,
    multiple=True,
    help="Raw text, a paragraph a line, whose words are learnt before trees; may be repeated.",
)
@chosen_trees_option
@chosen_option(
    "--learn-from",
    LEARN_FROM,
    Settings.learn_from,
    "Trees to learn from: all, made projective for the shift-reduce parser; or the projective ones alone.",
)
@chosen_option(
    "--explore",
    EXPLORE,
    Settings.explore,
    "In the second half, follow the parser's own steps, with the best ones for these trees; or do not.",
)
@click.option(
    "--tags",
    type=click.Choice(TAGS),
    help="Gold tags that the parser is given, also in use: none, UPOS, or UPOS and FEATS.  "
    f"[default: {Settings.tags}, or those of P]",
)
@chosen_option(
    "--decoder",
    DECODERS_TO_LEARN,
    Settings.decoder,
    "Let arcs learn from whole trees, too: their likelihood among all, or the margin to the best of a class.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 1000),
    help="Number of epochs at most.  [default: by the size of A]",
)
@click.option("--no-segmenter", is_flag=True, help="Do not learn to find words and sentences in text.")
@click.option(
    "--segmenter",
    metavar="P",
    type=FILE,
    help="Take over from the model P how words and sentences are found, instead of learning it from A.",
)
@click.option(
    "--language", metavar="CODE", help="Recorded in the model.  [default: what the name of A begins with]"
)
@licence_option
def command(
    order: Order,
    beginning: str | None,
    others: tuple[str, ...],
    teachers: tuple[str, ...],
    raw: tuple[str, ...],
    trees: str | None,
    learn_from: LearnFrom,
    explore: Explore,
    tags: str | None,
    decoder: str,
    epochs: int | None,
    no_segmenter: bool,
    segmenter: str | None,
    language: str | None,
    licence: str | None,
) -> None:
    """Train a parser on the treebank A, and write the model that parses the treebank B best to M.

    Both are files in CoNLL-U, compressed if their names end in .gz. The model learns to tag, to parse whole
    sentences and prefixes, and to find words and sentences in the text of A. After every epoch the scores on
    B are printed, in percent of its words: right tags (UPOS) and features (FEATS), right heads (UAS), and
    right heads and labels, subtypes ignored (LAS). Trees are then projective, or in the class "mh4" if
    --decoder says so, or the model of --from has it. Training ends when nothing has improved for a quarter of
    the epochs, ten at least, or after --epochs: by default 30, or up to 300 where A is so small that an epoch
    has few steps.

    Every word of B needs a head; in A, _ is an unknown head, from which nothing is learnt. Training
    does not begin if a sentence is not in CoNLL-U, if its heads form a circle, or if it cannot be
    parsed at all; with --skip-bad such sentences are left out, with a line that counts them and names the
    place of the first.

    Sentences are also learnt as speech recognizers write them, in lower case and without punctuation, and in
    ways between that and print. With each --treebank T a vector is learnt that tells what is particular in
    its annotation, so that the model annotates as A does.

    With --raw M learns words before trees: to guess hidden and next words, in raw text and in the treebanks,
    two million in all, or each eight times. What is learnt so is kept beside the checkpoint.

    With --teach M learns from finished models: the mean of their beliefs about heads and labels, in whole
    sentences and in prefixes, and with --raw also the trees that they agree on, of as many words an epoch as
    A has. What they believe is asked for before the first epoch, and kept beside the checkpoint.

    With --from a finished model is trained further; it keeps its words, tags and labels, and learns no
    others. If no epoch makes it better on B, M is the same as P.

    Where trees of B have edges that cross, B is parsed in the end in each class of trees that a model can
    have, and M remembers the one that pays: "mh4", whose edges may cross, if it is better than "projective"
    by more than chance, one standard error of the words with right heads and labels. With --trees you decide.

    After every epoch everything that is known is written to M.checkpoint, which takes eleven times the room
    of M and is deleted once M is written. If a run is stopped, the same command with --resume goes on and
    ends with the same model, on the same machine with the same number of threads; --epochs may be raised
    then, or lowered to end sooner.

    \b
    Examples:
      treewhile train parser --train en-train.conllu --dev en-dev.conllu --out en.safetensors
      treewhile train parser --train mine.conllu --dev dev.conllu --out small.safetensors \
        --teach one.safetensors --teach two.safetensors --raw sentences.txt
      treewhile train parser --from en --train mine.conllu --dev dev.conllu --out mine.safetensors
    """
    if beginning is not None and tags is not None:
        raise click.UsageError("--tags is decided by the model that is trained on with --from.")
    if no_segmenter and segmenter:
        raise click.UsageError("--no-segmenter wants none, --segmenter that of a model: use one of them.")
    finder = segmenter or next(iter(teachers), None)
    if raw and finder is None:
        raise click.UsageError("--raw has words to be found: name a model that finds them with --segmenter.")
    if raw and beginning is not None and not teachers:
        raise click.UsageError("--raw is for a new model, or for teachers: leave --from out, or use --teach.")
    new_run = imported_training(order.threads)
    checkpoint = unused_checkpoint(order.out, order.resume)
    before = None if beginning is None else model_named(beginning)
    words = _words(finder, raw)
    sentences, gold = order.parts()
    more = [read_training([source], order.skip_bad) for source in others]
    _tell_learnt_too(gold, [sentences, *more])
    settings = Settings(
        learn_from=learn_from,
        explore=explore,
        tags=tags or Settings.tags,
        epochs=epochs or usual_epochs(sum(len(sentence.words) for sentence in chain(sentences, *more))),
        seed=order.seed,
        decoder=decoder,
    )
    if before is not None:
        settings = replace(settings, tags=tags_of(before), learning_rate=RATE_OF_FINISHED)
    with steps_bar("asking the teachers") as show, steps_bar("reading words") as show_words:
        teaching = _teaching(teachers, words, checkpoint, show) if teachers else None
        reading = _reading(words, checkpoint, show_words) if words and before is None else None
        run = new_run(
            sentences,
            gold,
            settings,
            checkpoint,
            beginning=before,
            trees=trees,
            others=more,
            teaching=teaching,
            reading=reading,
        )
    _tell_labels(run.trainer.inventory, [*chain(sentences, *more)])
    told = _origin([*order.train, *others], language, licence, {} if before is None else before.information)
    from treewhile.incremental.training.runs import with_segmenter_of

    with told_how_to_go_on(checkpoint):
        run_epochs(run, order.resume)
        show_choice(run.choice_of_trees)
        if no_segmenter or segmenter:
            file = run.parser(told)
            write_model(order.out, with_segmenter_of(file, model_named(segmenter)) if segmenter else file)
            click.echo(size_of(order.out))
        else:
            write_with_segmenter(order.out, lambda progress: run.model(told, progress))
    run.forget()


def _words(finder: str | None, raw: Sequence[str]) -> list[list[str]]:
    """Return the sentences of raw text as words, as a model finds them."""
    if finder is None or not raw:
        return []
    model = Model(model_named(finder))
    return [one for source in raw for one in sentences_of_file(model, source)]


def _reading(words: Sequence[Sequence[str]], checkpoint: Path, show: Callable[[int, int], None]) -> Reading:
    from treewhile.incremental.training.reading import Reading
    from treewhile.incremental.training.runs import words_beside

    return Reading(words, words_beside(checkpoint), show)


def _teaching(
    teachers: Sequence[str],
    words: Sequence[Sequence[str]],
    checkpoint: Path,
    show: Callable[[int, int], None],
) -> Teaching:
    """Return the teaching by some models, with the sentences of raw text."""
    from treewhile.incremental.training.runs import beliefs_beside
    from treewhile.incremental.training.teaching import Teaching

    files = [model_named(teacher) for teacher in teachers]
    for name, file in zip(teachers, files, strict=True):
        if tags_of(file) != TAGS[0]:
            what = f"{Path(name).name} was trained on gold tags, which it would have to be told"
            raise InputError(f"{what}: teach with models that predict tags")
    return Teaching(files, words, beliefs_beside(checkpoint), show)


def _tell_learnt_too(dev: Sequence[Sentence], treebanks: Sequence[Sequence[Sentence]]) -> None:
    if known := learnt_too(dev, treebanks):
        what = f"{known} of the {len(dev)} sentences of the dev part are learnt from, too"
        click.echo(f"{what}: scores on it will be too high", err=True)


def _tell_labels(inventory: Inventory, sentences: Sequence[Sentence]) -> None:
    """Warn of labels that are not learnt, and of unusual labels of words under the root."""
    labels = {word.deprel for sentence in sentences for word in sentence.words} - {"_"}
    if unknown := sorted(labels.difference(inventory.labels)):
        click.echo(f"not learnt, since the model does not have these labels: {', '.join(unknown)}", err=True)
    if inventory.root_labels != (ROOT_LABEL,):
        called = " or ".join(inventory.root_labels) or "as other words are, too"
        click.echo(f"what hangs on the root is not called {ROOT_LABEL} here, but {called}", err=True)


def _origin(
    train: Sequence[str], language: str | None, licence: str | None, before: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the origin to record in the model; the treebanks of a finished model come first."""
    told = origin(train, licence or before.get("licence"))
    return {
        **told,
        "language": language or before.get("language") or _language(train[0]),
        "treebanks": [*dict.fromkeys([*before.get("treebanks", []), *told["treebanks"]])],
    }


def _language(source: str) -> str:
    match = re.match("[A-Za-z]+", Path(source).name)
    return match[0] if match else "not said"
