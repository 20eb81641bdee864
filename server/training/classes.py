"""Choice of the class of trees that a model parses in; nothing is learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.oracles import InputError
from treewhile.server.training.given_options import OF_TRAINING, as_called, refuse
from treewhile.server.training.orders import Order
from treewhile.server.training.places import check_place
from treewhile.server.training.shown_runs import size_of

if TYPE_CHECKING:
    from treewhile.incremental.training.class_choice import Choice


def choose_class(class_of: str, order: Order) -> None:
    """Write the model `class_of` with the class of trees that pays for the model, or that the user gave."""
    refuse(OF_TRAINING, "--class-of", "is about training, and nothing is trained")
    check_place(order.out)
    file = read_model(model_path(class_of))
    _, gold = order.parts()
    check_gold(gold)
    if file.information.get("settings", {}).get("committed_only"):
        raise InputError(f"{class_of} has learnt the committed parse alone: give a model with a best parse")
    from treewhile.incremental.training.class_choice import chosen_class

    choice = chosen_class(Model(file), gold, order.options["trees_of_model"])
    tell_choice(choice)
    write_model(order.out, _with_choice(file, choice))
    click.echo(f"{size_of(order.out)}  trees {choice.trees}")


def _with_choice(file: ModelFile, choice: Choice) -> ModelFile:
    before = {name: value for name, value in file.information.items() if name != "trees_tried"}
    scores = {**before.get("scores", {}), **choice.scores}
    told = {**choice.information, "scores": scores, "trees_command": as_called()}
    return ModelFile(file.arrays, before | told)


def tell_choice(choice: Choice | None) -> None:
    """Print the score and the time of each class of trees, if more than one was tried."""
    if choice is None or not choice.tried:
        return
    each = (
        f"{name} LAS {tried.scores['LAS']:.2f}, {tried.milliseconds:.1f} ms a sentence"
        for name, tried in choice.tried.items()
    )
    click.echo(f"trees: {'; '.join(each)}: {choice.trees}")
