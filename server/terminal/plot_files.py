"""Plots in a folder, a file each; matplotlib is imported only where they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.oracles.errors import InputError

What = TypeVar("What")


def check_plots(folder: Path) -> None:
    """Makes the folder, and refuses early what would fail after a long computation."""
    if find_spec("matplotlib") is None:
        raise InputError("plots are drawn with matplotlib, which is missing: pip install 'treewhile[bench]'")
    with system_errors_named(f"make the folder {folder}"):
        folder.mkdir(parents=True, exist_ok=True)


def write_plots(folder: Path, draws: Mapping[str, Callable[[Any, What], None]], what: What) -> None:
    """Writes a plot of one panel, which is what each function draws on, under each name."""
    for name, draw in draws.items():
        write_plot(folder / f"{name}.png", (7, 4.5), partial(_one_panel, draw, what))


def _one_panel(draw: Callable[[Any, What], None], what: What, figure: Any) -> None:
    draw(figure.subplots(), what)


def write_plot(path: Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Writes what `draw` makes of a figure of this size, in inches."""
    from matplotlib.figure import Figure

    figure, picture = Figure(figsize=size, layout="constrained"), BytesIO()
    draw(figure)
    figure.savefig(picture, format="png", dpi=150)
    with open_output(path) as output:
        output.write_bytes(picture.getvalue())
