"""The command `treewhile train segmenter`: the segmenter of a model; the rest stays as it is."""

from __future__ import annotations

import click

from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.server.commands.train.files import (
    check_place,
    check_unused,
    checkpoint_of,
    model_named,
    told_how_to_go_on,
)
from treewhile.server.commands.train.options import Order, as_called, model_option, order_options
from treewhile.server.commands.train.shown_runs import imported_training, write_with_segmenter


@click.command()
@model_option
@order_options
def command(order: Order, model: str) -> None:
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
