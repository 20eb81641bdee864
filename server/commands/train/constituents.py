"""The command `treewhile train constituents`: span scores for a model; the rest stays as it is."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental.parsers.model_files import write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.server.commands.options import AT_LEAST_ONE, defaulted_option
from treewhile.server.commands.train.files import check_place, model_named
from treewhile.server.commands.train.options import (
    dev_option,
    licence_option,
    model_option,
    origin,
    out_option,
    seed_option,
    threads_option,
    train_option,
)
from treewhile.server.commands.train.shown_runs import imported_training, size_of
from treewhile.server.commands.train.treebanks import phrases_to_learn, phrases_to_score
from treewhile.server.terminal.progress_bars import progress_bar


@click.command()
@model_option
@train_option
@dev_option("Bracketed trees to score the model on.")
@out_option
@defaulted_option("--epochs", AT_LEAST_ONE, 16, "Number of epochs.")
@licence_option
@seed_option
@threads_option
def command(
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
    scores = "  ".join(f"{name} {score:5.2f}" for name, score in found.items())
    click.echo(f"{size_of(out)}  agreement on {Path(dev).name}: {scores}")
