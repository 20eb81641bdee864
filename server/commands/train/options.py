"""Options that several commands of `treewhile train` share, and the command line for the record."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec

import click
from click.core import ParameterSource

from treewhile.incremental import Sentence
from treewhile.server.commands.options import FEW, Option, defaulted_option
from treewhile.server.commands.train.files import read_parts

Given = ParamSpec("Given")

FILE: Final = click.Path()  # of which the record has the name alone
SEEDS: Final = click.IntRange(0, 2**31 - 1)


@dataclass(frozen=True)
class Order:
    """Options of a training that can be resumed: treebanks, the file of the model, and settings."""

    train: tuple[str, ...]
    dev: str
    out: Path
    seed: int
    threads: int
    resume: bool
    skip_bad: bool

    def parts(self) -> tuple[list[Sentence], list[Sentence]]:
        """Return the sentences to learn from, and the sentences to score on."""
        return read_parts(self.train, self.dev, self.skip_bad)


def dev_option(about: str = "Treebank to score the model on.", multiple: bool = False) -> Option:
    """Return the option --dev."""
    return click.option("--dev", metavar="B", required=True, multiple=multiple, type=FILE, help=about)


train_option: Final = click.option(
    "--train",
    metavar="A",
    multiple=True,
    required=True,
    type=FILE,
    help="File to learn from; may be repeated.",
)
out_option: Final = click.option(
    "--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file."
)
model_option: Final = click.option(
    "--model",
    metavar="P",
    required=True,
    type=FILE,
    help="Model to change, a file or the name of an installed model; M is P with what is new.",
)
seed_option: Final = defaulted_option("--seed", SEEDS, 1, "Random seed; another one gives another model.")
threads_option: Final = defaulted_option(
    "--threads",
    FEW,
    1,
    "Threads to use, on which numbers depend; the matrices are small, and two take longer than one.",
)
resume_option: Final = click.option(
    "--resume", is_flag=True, help="Go on from the checkpoint beside M, if there is one."
)
skip_bad_option: Final = click.option(
    "--skip-bad", is_flag=True, help="Leave out sentences that cannot be used."
)
licence_option: Final = click.option(
    "--licence",
    metavar="TEXT",
    help="Recorded in the model; most treebanks want models to be under their own.",
)


def order_options(function: Callable[Concatenate[Order, Given], None]) -> Callable[..., None]:
    """Add the options of an order, which the function gets as its first argument."""

    @wraps(function)
    def ordered(*args: Given.args, **given: Given.kwargs) -> None:
        parts: dict[str, Any] = {field.name: given.pop(field.name) for field in fields(Order)}
        function(Order(**parts), *args, **given)

    options = (
        train_option,
        dev_option("Treebank that decides which state of the model is best."),
        out_option,
        seed_option,
        threads_option,
        resume_option,
        skip_bad_option,
    )
    command: Callable[..., None] = ordered
    for option in reversed(options):
        command = option(command)
    return command


def origin(train: Sequence[str], licence: str | None) -> dict[str, Any]:
    """Return what a model records of its training: the treebanks, their licence, the command."""
    return {
        "treebanks": [Path(source).name for source in train],
        "licence": licence or "not said",
        "command": as_called(),
    }


def as_called() -> str:
    """Return the command line, with the names of files without their folders."""
    context = click.get_current_context()
    words = context.command_path.split()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name != "resume" and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            words += _as_given(parameter, context.params[name])
    return shlex.join(words)


def _as_given(parameter: click.Parameter, value: Any) -> list[str]:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return [parameter.opts[0]]
    values = [str(one) for one in (value if isinstance(value, tuple) else [value])]
    if isinstance(parameter.type, click.Path):
        values = [Path(one).name for one in values]
    return [word for one in values for word in (parameter.opts[0], one)]
