"""Training of a whole parser, from a treebank or from a finished model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from treewhile.incremental import Sentence
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.step_rules import ROOT_LABEL
from treewhile.incremental.training.settings import RATE_OF_FINISHED, Settings, usual_epochs
from treewhile.server.training.classes import tell_choice
from treewhile.server.training.given_options import as_called, refuse
from treewhile.server.training.orders import Order
from treewhile.server.training.parts import tags_of
from treewhile.server.training.places import told_how_to_go_on, unused_checkpoint
from treewhile.server.training.shown_runs import imported_training, run_epochs, size_of, write_with_segmenter


def train_parser(order: Order) -> None:
    """Train a parser on the treebanks, and write the model."""
    options = order.options
    if options["committed_only"]:
        refuse(("trees_of_model",), "--committed-only", "is about the best parse, and there is none")
    new_run = imported_training(order.threads)
    checkpoint = unused_checkpoint(order.out, order.resumes)
    beginning = None if options["beginning"] is None else _beginning(options["beginning"])
    sentences, gold = order.parts()
    settings, trees = _settings(order, beginning, sentences), options["trees_of_model"]
    run = new_run(sentences, gold, settings, checkpoint, beginning=beginning, trees=trees)
    _tell_labels(run.trainer.inventory, sentences)
    origin = _origin(order, beginning)
    with told_how_to_go_on(checkpoint):
        run_epochs(run, order.resumes)
        tell_choice(run.choice_of_trees)
        if options["no_segmenter"]:
            write_model(order.out, run.parser(origin))
            click.echo(size_of(order.out))
        else:
            write_with_segmenter(order.out, lambda progress: run.model(origin, progress))
    run.forget()


def _beginning(name: str) -> ModelFile:
    """Return the finished model to train further; refuse the option --tags, which the model decides."""
    refuse(("tags",), "--from", "is decided by the model that is trained on")
    return read_model(model_path(name))


def _settings(order: Order, beginning: ModelFile | None, sentences: Sequence[Sentence]) -> Settings:
    options = order.options
    epochs = options["epochs"] or usual_epochs(sum(len(sentence.words) for sentence in sentences))
    names = ("trees", "explore", "tags", "seed", "decoder", "committed_only")
    settings = Settings(**{name: options[name] for name in names}, epochs=epochs)
    if beginning is None:
        return settings
    return replace(settings, tags=tags_of(beginning), learning_rate=RATE_OF_FINISHED)


def _tell_labels(inventory: Inventory, sentences: Sequence[Sentence]) -> None:
    """Warn of labels that are not learnt, and of unusual labels of words under the root."""
    labels = {word.deprel for sentence in sentences for word in sentence.words} - {"_"}
    if unknown := sorted(labels.difference(inventory.labels)):
        click.echo(f"not learnt, since the model does not have these labels: {', '.join(unknown)}", err=True)
    if inventory.root_labels != (ROOT_LABEL,):
        called = " or ".join(inventory.root_labels) or "as other words are, too"
        click.echo(f"what hangs on the root is not called {ROOT_LABEL} here, but {called}", err=True)


def _origin(order: Order, beginning: ModelFile | None) -> dict[str, Any]:
    """Return the origin to record in the model; the treebanks of a finished model come first."""
    before = {} if beginning is None else beginning.information
    return {
        "language": order.options["language"] or before.get("language") or _language(order.train[0]),
        "treebanks": [*before.get("treebanks", []), *(Path(source).name for source in order.train)],
        "licence": order.options["licence"] or before.get("licence") or "not said",
        "command": as_called(),
    }


def _language(source: str) -> str:
    match = re.match("[A-Za-z]+", Path(source).name)
    return match[0] if match else "not said"
