"""The commands of `treewhile train` that learn or choose a part of a model; the rest stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental.parsers.lemma_layers import LEMMAS
from treewhile.incremental.parsers.model_files import ModelFile, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.completeness_scores import said, written
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.incremental.training.settings import Settings
from treewhile.server.commands.options import AT_LEAST_ONE, chosen_trees_option, defaulted_option
from treewhile.server.commands.train.files import (
    check_place,
    check_unused,
    checkpoint_of,
    model_named,
    phrases_to_learn,
    phrases_to_score,
    read_parts,
    read_training,
    tags_of,
    told_how_to_go_on,
    unused_checkpoint,
)
from treewhile.server.commands.train.options import (
    FILE,
    Order,
    as_called,
    dev_option,
    licence_option,
    model_option,
    order_options,
    origin,
    out_option,
    seed_option,
    skip_bad_option,
    threads_option,
    train_option,
)
from treewhile.server.commands.train.shown_runs import (
    imported_training,
    run_epochs,
    show_choice,
    size_of,
    write_with_segmenter,
)
from treewhile.server.terminal.completeness_scores import (
    PARSER,
    by_model,
    scores_by_text,
    sentences_of,
    show_completeness_scores,
)
from treewhile.server.terminal.progress_bars import progress_bar

if TYPE_CHECKING:
    from treewhile.incremental.training.class_choice import Choice


@click.command()
@model_option
@order_options
def segmenter(order: Order, model: str) -> None:
    """Train the segmenter of the model P anew, and write P with it to M.

    The segmenter finds words and sentences in text. Training takes minutes, and goes on with --resume if it
    was stopped.

    \b
    Examples:
      treewhile train segmenter --model en --train mine.conllu --dev dev.conllu --out mine.safetensors
    """
    imported_training(order.threads)
    from treewhile.incremental.training.runs import (
        segmenter_checkpoint,
        with_new_segmenter,
        without_segmenter,
    )

    check_place(order.out)
    checkpoint = segmenter_checkpoint(checkpoint_of(order.out))
    check_unused(checkpoint, order.resume)
    file = without_segmenter(model_named(model))
    Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = order.parts()
    check_gold(gold)
    told = ModelFile(file.arrays, {**file.information, "segmenter_command": as_called()})
    with told_how_to_go_on(checkpoint):
        write_with_segmenter(
            order.out,
            lambda progress: with_new_segmenter(
                told, sentences, gold, order.seed, progress, checkpoint=checkpoint
            ),
        )
    checkpoint.unlink(missing_ok=True)


@click.command()
@model_option
@order_options
@defaulted_option("--epochs", click.IntRange(1, 1000), 10, "Number of epochs at most.")
def steps(order: Order, model: str, epochs: int) -> None:
    """Train the step scorer of the model P anew, and write P with it to M.

    The step scorer tells which step is next, what it is worth to wait for the next word, and which word that
    will hang on. After every epoch the scores on B are printed: the right heads of committed parses, and how
    often the head of the next word is predicted rightly.

    A run that was stopped goes on with --resume, as of "treewhile train parser".

    \b
    Examples:
      treewhile train steps --model en --train mine.conllu --dev dev.conllu --out mine.safetensors
    """
    new_run = imported_training(order.threads)
    checkpoint = unused_checkpoint(order.out, order.resume)
    kept = model_named(model)
    sentences, gold = order.parts()
    settings = Settings(tags=tags_of(kept), epochs=epochs, seed=order.seed)
    run = new_run(sentences, gold, settings, checkpoint, parser=kept)
    with told_how_to_go_on(checkpoint):
        run_epochs(run, order.resume)
        file = run.model({"steps_command": as_called()})
        write_model(order.out, file)
        click.echo(f"{size_of(order.out)}  temperature {file.information['temperature']:.2f}")
    run.forget()


@click.command()
@model_option
@dev_option("Treebank that decides which class of trees pays.")
@out_option
@chosen_trees_option
@skip_bad_option
def trees(model: str, dev: str, out: Path, trees: str | None, skip_bad: bool) -> None:
    """Choose the class of trees that the model P parses in, and write P with that to M.

    Nothing is learnt. B is parsed in each class of trees that a model can have, and M remembers the one that
    pays: "mh4", whose edges may cross, if it is better than "projective" by more than chance, one standard
    error of the words with right heads and labels. With --trees you decide. Training a parser ends with the
    same choice.

    \b
    Examples:
      treewhile train trees --model old.safetensors --dev dev.conllu --out new.safetensors
    """
    check_place(out)
    file = model_named(model)
    _, gold = read_parts((), dev, skip_bad)
    check_gold(gold)
    from treewhile.incremental.training.class_choice import chosen_class

    choice = chosen_class(Model(file), gold, trees)
    show_choice(choice)
    write_model(out, _with_choice(file, choice))
    click.echo(f"{size_of(out)}  trees {choice.trees}")


@click.command()
@click.option(
    "--model",
    "models",
    metavar="P",
    required=True,
    multiple=True,
    type=FILE,
    help="File or name of a model that has gone on from the same one as the others; give two at least.",
)
@dev_option()
@out_option
@skip_bad_option
def mean(models: tuple[str, ...], dev: str, out: Path, skip_bad: bool) -> None:
    """Write the mean of the models P to M: it often parses better than each of them.

    The models have to have the same words, tags and labels, as those have that went on from one model with
    "treewhile train parser --from", with other seeds or treebanks, and that model itself. M has the segmenter
    of the first P. Phrases, predictions of ends, and lemmas fit no mean: add them anew.

    \b
    Examples:
      treewhile train mean --model en --model one.safetensors --model two.safetensors --dev dev.conllu \\
        --out mine.safetensors
    """
    check_place(out)
    imported_training(threads=1)
    from treewhile.incremental.training.dev_scores import best_scores
    from treewhile.incremental.training.mean_models import mean_model

    file = mean_model([*map(model_named, models)])
    _, gold = read_parts((), dev, skip_bad)
    check_gold(gold)
    found = best_scores(Model(file), gold)
    rounded = {name: round(score, 2) for name, score in found.items()}
    scores = {**file.information.get("scores", {}), **rounded}
    write_model(out, ModelFile(file.arrays, {**file.information, "scores": scores, "command": as_called()}))
    click.echo(f"{size_of(out)}  {_percentages(found)}")


def _with_choice(file: ModelFile, choice: Choice) -> ModelFile:
    before = {name: value for name, value in file.information.items() if name != "trees_tried"}
    scores = {**before.get("scores", {}), **choice.scores}
    told = {**choice.information, "scores": scores, "trees_command": as_called()}
    return ModelFile(file.arrays, before | told)


@click.command()
@model_option
@train_option
@dev_option("Bracketed trees to score the model on.")
@out_option
@defaulted_option("--epochs", AT_LEAST_ONE, 16, "Number of epochs.")
@licence_option
@seed_option
@threads_option
def constituents(
    model: str,
    train: tuple[str, ...],
    dev: str,
    out: Path,
    epochs: int,
    licence: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn phrases from the bracketed trees of A, and write the model P with them to M.

    M is the unchanged model P with additional scores of spans, which are learnt from the states of P, those
    of unfinished sentences included. Training takes some minutes and 2 GB, and needs the extra `train`.

    \b
    Examples:
      treewhile train constituents --model en --train gum-train.ptb --dev gum-dev.ptb --out en.safetensors
    """
    imported_training(threads)
    from treewhile.incremental.training.dev_scores import agreement
    from treewhile.incremental.training.span_learning import SpanLearner, SpanSettings, prepared

    check_place(out)
    file = model_named(model)
    network = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = phrases_to_learn(train), phrases_to_score(dev)
    settings = SpanSettings(seed=seed, epochs=epochs)
    with progress_bar("computing states", len(sentences), MofNCompleteColumn()) as advance:
        learner = SpanLearner(prepared(network, sentences, seed, advance), settings)
    for number in range(1, epochs + 1):
        task = f"epoch {number} of {epochs}"
        with progress_bar(task, learner.words_of_epoch, MofNCompleteColumn()) as advance:
            loss = learner.epoch(advance)
        click.echo(f"epoch {number}/{epochs}  loss of a word {loss:.4f}")
    found = agreement(Model(learner.added_to(file, {})), gold)
    write_model(out, learner.added_to(file, {**origin(train, licence), "agreement": found}))
    click.echo(f"{size_of(out)}  agreement on {Path(dev).name}: {_percentages(found)}")


def _percentages(scores: Mapping[str, float]) -> str:
    return "  ".join(f"{name} {score:5.2f}" for name, score in scores.items())


@click.command()
@model_option
@train_option
@dev_option("Treebank to score the new layers on; may be repeated.", multiple=True)
@out_option
@licence_option
@seed_option
@threads_option
def completeness(
    model: str,
    train: tuple[str, ...],
    dev: tuple[str, ...],
    out: Path,
    licence: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn from the treebanks A when sentences end, and write the model P with that to M.

    M is the unchanged model P with two more layers, which read the states of P after the last word. They
    learn from all prefixes of all sentences, as written and as said: in small letters and without
    punctuation. Training takes some minutes and 4 GB, and needs the extra `train`.

    \b
    Examples:
      treewhile train completeness --model en --out en.safetensors --train ewt-train.conllu \\
        --dev ewt-dev.conllu
    """
    imported_training(threads)
    from treewhile.incremental.training.completeness_learning import learnt, with_completeness

    check_place(out)
    file = model_named(model)
    network = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = (
        sentences_of(train, "reading what to learn from"),
        sentences_of(dev, "reading what to score on"),
    )
    arrays = learnt(network, [*said(sentences), *written(sentences)], seed)
    told = origin(train, licence)
    found = scores_by_text({PARSER: by_model(Model(with_completeness(file, arrays, told)))}, gold)
    areas = {
        f"{what}, {text}": round(100 * score.auc, 2)
        for text, raters in found.items()
        for what, score in raters[PARSER].items()
    }
    write_model(out, with_completeness(file, arrays, {**told, "areas": areas}))
    show_completeness_scores(", ".join(Path(source).name for source in dev), found)
    click.echo(size_of(out))


@click.command()
@model_option
@order_options
@click.option(
    "--treebank",
    "others",
    metavar="T",
    type=FILE,
    multiple=True,
    help="Treebank with XPOS of another kind than A, to learn its lemmas, too; may be repeated.",
)
@defaulted_option("--epochs", AT_LEAST_ONE, 10, "Number of epochs.")
@licence_option
def lemmas(order: Order, model: str, others: tuple[str, ...], epochs: int, licence: str | None) -> None:
    """Learn lemmas and XPOS from the treebanks A, and write the model P with them to M.

    M is the unchanged model P with two more layers, which read the states of P and the letters of words.
    Training takes minutes, and goes on with --resume if it was stopped. It needs the extra `train`.

    \b
    Examples:
      treewhile train lemmas --model en --out en.safetensors --train ewt-train.conllu --dev ewt-dev.conllu
    """
    imported_training(order.threads)
    from treewhile.incremental.training.checkpoints import (
        digest_of,
        fingerprint,
        read_checkpoint,
        write_checkpoint,
    )
    from treewhile.incremental.training.lemma_learning import LemmaLearner, tagged_words

    check_place(order.out)
    checkpoint = checkpoint_of(order.out)
    check_unused(checkpoint, order.resume)
    file = model_named(model)
    network = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = order.parts()
    more = read_training(others, order.skip_bad) if others else []
    total = len(sentences) + len(more) + len(gold)
    with progress_bar("computing states", total, MofNCompleteColumn()) as advance:
        words, dev = (tagged_words(network, part, advance) for part in (sentences, gold))
        if more:
            words = words.with_lemmas_of(tagged_words(network, more, advance))
    run = fingerprint(order.seed, epochs, digest_of(file), *sentences, *more)
    learner = LemmaLearner(network, words, epochs, order.seed, run)
    if checkpoint.exists():
        learner.go_on_from(read_checkpoint(checkpoint))
        click.echo(f"going on after {learner.epochs_done} epochs")
    with told_how_to_go_on(checkpoint):
        while not learner.is_done:
            task = f"epoch {learner.epochs_done + 1} of {epochs}"
            with progress_bar(task, len(words.forms), MofNCompleteColumn()) as advance:
                loss = learner.epoch(advance)
            write_checkpoint(checkpoint, learner.state())
            shown = _percentages(learner.scores(dev))
            click.echo(f"epoch {learner.epochs_done}/{epochs}  {shown}  loss of a word {loss:.4f}")
    added = learner.added_to(file, dev, origin([*order.train, *others], licence))
    write_model(order.out, added)
    checkpoint.unlink(missing_ok=True)
    click.echo(f"{size_of(order.out)}  {_percentages(added.information[LEMMAS]['scores'])}")
