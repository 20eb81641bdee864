"""Options that several commands share, or that have the same form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, Final, Protocol, TypeVar

import click

from treewhile.oracles.trees.class_names import DECODERS, OF_PREFIXES

AT_LEAST_ONE: Final = click.IntRange(min=1)
A_CENTURY: Final = 100 * 365 * 86400.0  # seconds; clocks of event loops do not accept much more
FEW: Final = click.IntRange(1, 256)  # of what the machine has few

Function = TypeVar("Function", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """Type of numbers within bounds, neither nan nor inf.

    nan would pass every bound, and inf is no duration.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number that can be counted to: give one like 2.5.", param, ctx)
        return number


SECONDS: Final = FiniteRange(0, A_CENTURY)


class Option(Protocol):
    """Decorator that adds an option to a command."""

    def __call__(self, function: Function, /) -> Function: ...


def defaulted_option(
    name: str, kind: Any, default: Any, about: str, *called: str, metavar: str | None = None
) -> Option:
    """Return an option whose help shows its default; `called` is the name of its parameter, if different."""
    shown: dict[str, Any] = {"show_default": True, "help": about, "metavar": metavar}
    return click.option(name, *called, type=kind, default=default, **shown)


def chosen_option(name: str, choices: Iterable[str], default: str, about: str, *called: str) -> Option:
    """Return an option with some choices; its help shows the default."""
    return defaulted_option(name, click.Choice([*choices]), default, about, *called)


def repeated_option(name: str, called: str, metavar: str, about: str, **more: Any) -> Option:
    """Return an option that may be repeated; its values are passed in the parameter `called`."""
    return click.option(name, called, metavar=metavar, multiple=True, help=about, **more)


def json_option(about: str) -> Option:
    """Return the option --json, passed to the function as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=about)


def _trees_option(
    classes: Iterable[str], which: str = "to parse in.  [default: the one that M was made for]"
) -> Option:
    return click.option("--trees", type=click.Choice([*classes]), help=f"The class of trees {which}")


trees_option: Final = _trees_option(DECODERS)
live_trees_option: Final = _trees_option(OF_PREFIXES)  # for parsing while people type
chosen_trees_option: Final = _trees_option(
    OF_PREFIXES, "that M parses in.  [default: the one that pays on B]"
)
jobs_option: Final = defaulted_option("--jobs", AT_LEAST_ONE, 1, "How many processes parse.")


def corpus_options(function: Function) -> Function:
    """Add the options of a command that works on one file, or with --out on many."""
    where = "processes here, or a cluster of Ray, that of RAY_ADDRESS if it is set."
    jobs = "How many processes work.  [default: 1; with --out as many as there are cores]"
    report = "With --out, print a JSON object for each IN once it is done, on a line."
    function = click.option("--report", is_flag=True, help=report)(function)
    places = ("processes", "ray")
    function = chosen_option("--on", places, places[0], f"Where to work with --out: {where}")(function)
    return click.option("--jobs", type=AT_LEAST_ONE, help=jobs)(function)


out_option: Final = click.option(
    "--out",
    metavar="DIR",
    help="Make a file in DIR of each IN, which may be many files and folders; what is there stays.",
)


def only_target(others: Sequence[str]) -> str | None:
    """Return the argument OUT, or None if it is missing; raise UsageError for more arguments."""
    if len(others) > 1:
        more = " ".join(others[1:])
        raise click.UsageError(f"Got unexpected extra argument ({more}): many files take --out.")
    return others[0] if others else None
