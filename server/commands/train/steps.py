"""The command `treewhile train steps`: the step scorer of a model; the rest stays as it is."""

from __future__ import annotations

import click

from treewhile.incremental.parsers.model_files import write_model
from treewhile.incremental.training.settings import Settings
from treewhile.server.commands.options import defaulted_option
from treewhile.server.commands.train.files import model_named, tags_of, told_how_to_go_on, unused_checkpoint
from treewhile.server.commands.train.options import Order, as_called, model_option, order_options
from treewhile.server.commands.train.shown_runs import imported_training, run_epochs, size_of


@click.command()
@model_option
@order_options
@defaulted_option("--epochs", click.IntRange(1, 1000), 10, "Number of epochs at most.")
def command(order: Order, model: str, epochs: int) -> None:
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
