"""Figures that were measured several times over, and the tables that show them beside their peers."""

from __future__ import annotations

import gc
import os
import platform
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from textwrap import fill
from time import perf_counter
from typing import Any, NamedTuple

import numba
import numpy


@dataclass(frozen=True)
class Spread:
    """The same figure from several repeats: seconds, or a number of times ("x")."""

    values: tuple[float, ...]
    unit: str = "s"

    @property
    def median(self) -> float:
        return median(self.values)

    def __str__(self) -> str:
        low, high = min(self.values), max(self.values)
        return f"{quantity(self.median, self.unit)} ({number(low, self)} - {number(high, self)})"

    def __truediv__(self, other: Spread) -> Spread:
        """How many times as much, repeat by repeat: both saw the same load."""
        return Spread(tuple(a / b for a, b in zip(self.values, other.values, strict=True)), "x")


def quantity(value: float, unit: str) -> str:
    name, scale = _scale(value, unit)
    return f"{value * scale:.3g} {name}" if value * scale < 1000 else f"{value * scale:.0f} {name}"


def number(value: float, like: Spread) -> str:
    """The value without its unit, which is that of the median."""
    return f"{value * _scale(like.median, like.unit)[1]:.3g}"


def _scale(value: float, unit: str) -> tuple[str, float]:
    if unit != "s":
        return unit, 1
    return next(((name, scale) for name, scale in (("s", 1), ("ms", 1e3)) if value * scale >= 1), ("µs", 1e6))


def model_and_source(about: str | None, default: str | None = None) -> ArgumentParser:
    """A parser of arguments that begin with a model, which may have a default, and a treebank."""
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    is_needed = default is None
    parser.add_argument("--model", default=default, required=is_needed, help="a model's name or file")
    parser.add_argument("--source", type=Path, required=True, help="a treebank")
    return parser


class Work(NamedTuple):
    """What is timed: `run` takes what `prepare` made, untimed, and returns how many units it did."""

    run: Callable[[Any], int]
    prepare: Callable[[], Any] = lambda: None


def calls(function: Callable[..., object], arguments: Iterable[tuple[Any, ...]]) -> Work:
    """A function called from Python with each of the arguments."""
    listed = list(arguments)

    def run(_: object) -> int:
        for given in listed:
            function(*given)
        return len(listed)

    return Work(run)


def measure(repeats: int, *works: Work) -> list[Spread]:
    """Seconds a unit of each work; all take turns and see the same load, the first time to warm up."""
    seconds: list[list[float]] = [[] for _ in works]
    gc.collect()
    gc.disable()
    for _ in range(repeats + 1):
        for work, found in zip(works, seconds, strict=True):
            prepared = work.prepare()
            begin = perf_counter()
            units = work.run(prepared)
            found.append((perf_counter() - begin) / units)
    gc.enable()
    return [Spread(tuple(found[1:])) for found in seconds]


class Target(NamedTuple):
    """What is to be reached: at most a number, or so many times less than the peer beside it."""

    limit: float
    times_less: bool = False


@dataclass(frozen=True)
class Row:
    """A figure, what it has to reach, and its peer: measured here, or a text that quotes one."""

    what: str
    measured: Spread
    target: Target | None = None
    peer: str = ""
    beside: Spread | None = None

    @property
    def ratio(self) -> float | None:
        return self.beside.median / self.measured.median if self.beside else None

    @property
    def reached(self) -> bool | None:
        if self.target is None:
            return None
        if self.target.times_less:
            return self.ratio is not None and self.ratio >= self.target.limit
        return self.measured.median <= self.target.limit

    def cells(self) -> tuple[str, ...]:
        target = ""
        if self.target is not None:
            limit = quantity(self.target.limit, "x less" if self.target.times_less else self.measured.unit)
            target = f"{limit}: {'reached' if self.reached else 'MISSED'}"
        peer = f"{self.peer} {self.beside}" if self.beside else self.peer
        return self.what, str(self.measured), target, peer, quantity(self.ratio, "x") if self.ratio else "-"

    def as_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "measured": self.measured.values,
            "unit": self.measured.unit,
            "median": self.measured.median,
            "target": self.target and self.target._asdict(),
            "reached": self.reached,
            "peer": self.peer,
            "peer_measured": self.beside and self.beside.values,
            "ratio": self.ratio,
        }


@dataclass
class Section:
    """Rows about one thing, and what their figures include and leave out."""

    title: str
    bias: str
    rows: list[Row] = field(default_factory=list)

    def add(
        self, what: str, measured: Spread, *peers: tuple[str, Spread | None], target: Target | None = None
    ) -> None:
        """A row for each peer; the target stands in the first."""
        for peer, beside in peers or [("", None)]:
            self.rows.append(Row(what, measured, target, peer, beside))
            target = None

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "bias": self.bias, "rows": [row.as_json() for row in self.rows]}


COLUMNS = "what", "measured: median (min - max)", "to reach", "peer / reference measured here", "ratio"


def table(section: Section) -> str:
    """The section in aligned columns; what has several peers is named once."""
    lines: list[tuple[str, ...]] = [COLUMNS]
    for before, row in zip([None, *section.rows], section.rows, strict=False):
        is_same = before is not None and (before.what, before.measured) == (row.what, row.measured)
        lines.append(("", "", "", *row.cells()[3:]) if is_same else row.cells())
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    aligned = (" | ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    bias = fill(section.bias, 110, initial_indent="   ", subsequent_indent="   ")
    return "\n".join([section.title, bias, "", *aligned])


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "cpu": _cpu_model(),
        "cpus": str(os.cpu_count()),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _cpu_model() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    return next(
        (line.split(": ", 1)[1] for line in lines if line.startswith("model name")), platform.processor()
    )
