"""Training of a part of a model, its step scorer or its segmenter; the rest stays as it is."""

from __future__ import annotations

import click

from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.incremental.training.settings import Settings
from treewhile.server.training.given_options import OF_PARSERS, as_called, refuse
from treewhile.server.training.orders import Order
from treewhile.server.training.places import (
    check_place,
    check_unused,
    checkpoint_of,
    told_how_to_go_on,
    unused_checkpoint,
)
from treewhile.server.training.shown_runs import imported_training, run_epochs, size_of, write_with_segmenter

EPOCHS_OF_STEPS = 10


def tags_of(file: ModelFile) -> str:
    """Return the member of TAGS that a model was trained with."""
    return str(file.information.get("tags", TAGS[0]))


def train_steps(steps_of: str, order: Order) -> None:
    """Write the model `steps_of` with a new step scorer."""
    refuse(OF_PARSERS, "--steps-of")
    new_run, options = imported_training(order.threads), order.options
    checkpoint = unused_checkpoint(order.out, order.resumes)
    kept = read_model(model_path(steps_of))
    sentences, gold = order.parts()
    epochs = options["epochs"] or EPOCHS_OF_STEPS
    settings = Settings(tags=tags_of(kept), epochs=epochs, seed=options["seed"])
    run = new_run(sentences, gold, settings, checkpoint, parser=kept)
    with told_how_to_go_on(checkpoint):
        run_epochs(run, order.resumes)
        model = run.model({"steps_command": as_called()})
        write_model(order.out, model)
        click.echo(f"{size_of(order.out)}  temperature {model.information['temperature']:.2f}")
    run.forget()


def train_segmenter(parser: str, order: Order) -> None:
    """Write the model `parser` with a segmenter learnt from the treebanks."""
    refuse((*OF_PARSERS, "epochs", "steps_of"), "--segmenter-of")
    imported_training(order.threads)
    from treewhile.incremental.training.runs import (
        segmenter_checkpoint,
        with_new_segmenter,
        without_segmenter,
    )

    check_place(order.out)
    checkpoint = segmenter_checkpoint(checkpoint_of(order.out))
    check_unused(checkpoint, order.resumes)
    file = without_segmenter(read_model(model_path(parser)))
    Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = order.parts()
    check_gold(gold)
    told, seed = (
        ModelFile(file.arrays, {**file.information, "segmenter_command": as_called()}),
        order.options["seed"],
    )
    with told_how_to_go_on(checkpoint):
        write_with_segmenter(
            order.out,
            lambda progress: with_new_segmenter(told, sentences, gold, seed, progress, checkpoint=checkpoint),
        )
    checkpoint.unlink(missing_ok=True)
