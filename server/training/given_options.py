"""Options given to `treewhile train`: checks of combinations, and the command line for the record."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

FILES: Final = (
    "train",
    "dev",
    "out",
    "parser",
    "steps_of",
    "class_of",
    "beginning",
    "network",
    "sources",
)

# Options about what a parser keeps if only a part of it is trained.
OF_PARSERS: Final = (
    "trees",
    "explore",
    "tags",
    "language",
    "licence",
    "decoder",
    "committed_only",
    "no_segmenter",
    "beginning",
    "trees_of_model",
)

OF_TRAINING: Final = (
    *OF_PARSERS[:-1],
    "train",
    "parser",
    "steps_of",
    "epochs",
    "seed",
    "threads",
    "resume",
)


def refuse(names: Sequence[str], beside: str, why: str = "is about the parser, which stays as it is") -> None:
    """Raise UsageError if one of the options was given, since the option `beside` excludes it."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in names and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            what = f"{parameter.opts[0]} {why} with {beside}."
            raise click.UsageError(what)


def require_train() -> None:
    """Raise MissingParameter if there is no treebank to learn from."""
    context = click.get_current_context()
    if not context.params["train"]:
        parameter = next(one for one in context.command.params if one.name == "train")
        raise click.MissingParameter(ctx=context, param=parameter)


def as_called() -> str:
    """Return the command line, with the names of files without their folders."""
    context = click.get_current_context()
    words = ["treewhile", *_names(context)]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        if name == "resume" or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        for one in value if isinstance(value, tuple) else [value]:
            words += [parameter.opts[0], Path(str(one)).name if name in FILES else str(one)]
    return shlex.join(words)


def _names(context: click.Context) -> list[str]:
    """Return the names of the command and its groups, outermost first."""
    outer = context.parent
    group = _names(outer) if outer is not None and outer.parent is not None else []
    return [*group, str(context.info_name)]
