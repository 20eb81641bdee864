"""The command `treewhile train trees`: the class of trees that a model parses in; nothing is learnt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treewhile.incremental.parsers.model_files import ModelFile, write_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.server.commands.options import chosen_trees_option
from treewhile.server.commands.train.files import check_place, model_named
from treewhile.server.commands.train.options import (
    as_called,
    dev_option,
    model_option,
    out_option,
    skip_bad_option,
)
from treewhile.server.commands.train.shown_runs import show_choice, size_of
from treewhile.server.commands.train.treebanks import read_parts

if TYPE_CHECKING:
    from treewhile.incremental.training.class_choice import Choice


@click.command()
@model_option
@dev_option("Treebank that decides which class of trees pays.")
@out_option
@chosen_trees_option
@skip_bad_option
def command(model: str, dev: str, out: Path, trees: str | None, skip_bad: bool) -> None:
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


def _with_choice(file: ModelFile, choice: Choice) -> ModelFile:
    before = {name: value for name, value in file.information.items() if name != "trees_tried"}
    scores = {**before.get("scores", {}), **choice.scores}
    told = {**choice.information, "scores": scores, "trees_command": as_called()}
    return ModelFile(file.arrays, before | told)
