"""Training of the span scores of a model on bracketed trees; the rest of the model stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental.constituents.plain_phrases import plain_tree
from treewhile.incremental.parsers.model_files import read_model, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError
from treewhile.server.terminal.progress_bars import progress_bar, read_phrases_with_progress
from treewhile.server.training.given_options import as_called
from treewhile.server.training.places import check_place
from treewhile.server.training.shown_runs import imported_training, size_of


@dataclass(frozen=True)
class SpanOrder:
    """Order to train span scores: the model, the treebanks, the file of the result, and settings."""

    network: str
    train: Sequence[str]
    dev: str
    out: Path
    licence: str | None
    epochs: int | None
    seed: int
    threads: int


def train_spans(order: SpanOrder) -> None:
    """Write the model `network` with scores of spans learnt from trees."""
    imported_training(order.threads)
    from treewhile.incremental.training.span_learning import SpanLearner, SpanSettings, prepared
    from treewhile.incremental.training.span_scores import agreement

    check_place(order.out)
    file = read_model(model_path(order.network))
    model = Model(file)  # which refuses what is none, before minutes are spent on it
    sentences = [tree for source in order.train for tree in _trees(source, "reading what to learn from")]
    gold = _trees(order.dev, "reading what to score on")
    settings = SpanSettings(seed=order.seed, epochs=order.epochs or SpanSettings.epochs)
    with progress_bar("computing states", len(sentences), MofNCompleteColumn()) as advance:
        learner = SpanLearner(prepared(model, sentences, settings.seed, advance), settings)
    for number in range(1, settings.epochs + 1):
        task = f"epoch {number} of {settings.epochs}"
        with progress_bar(task, learner.words_of_epoch, MofNCompleteColumn()) as advance:
            loss = learner.epoch(advance)
        click.echo(f"epoch {number}/{settings.epochs}  loss of a word {loss:.4f}")
    found = agreement(Model(learner.added_to(file, {})), gold)
    told = {
        "treebanks": [Path(source).name for source in order.train],
        "licence": order.licence or "not said",
    }
    write_model(order.out, learner.added_to(file, {**told, "command": as_called(), "agreement": found}))
    scores = "  ".join(f"{name} {score:5.2f}" for name, score in found.items())
    click.echo(f"{size_of(order.out)}  agreement on {Path(order.dev).name}: {scores}")


def _trees(source: str, task: str) -> list[Phrase]:
    """Return the plain trees of a treebank; raise InputError if there are none."""
    trees = [plain_tree(tree).phrase for tree in read_phrases_with_progress(source, task)]
    if not trees:
        raise InputError(f"{source} has no trees: give another file")
    return trees
