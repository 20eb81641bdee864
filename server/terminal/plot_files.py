"""Plot files in a folder; matplotlib is imported only for drawing."""

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
    """Make the folder, and raise early errors that would otherwise come after a long computation."""
    if find_spec("matplotlib") is None:
        raise InputError("plots are drawn with matplotlib, which is missing: pip install 'treewhile[bench]'")
    with system_errors_named(f"make the folder {folder}"):
        folder.mkdir(parents=True, exist_ok=True)


def write_plots(folder: Path, draws: Mapping[str, Callable[[Any, What], None]], what: What) -> None:
    """Write a plot with one panel for each name and drawing function."""
    for name, draw in draws.items():
        write_plot(folder / f"{name}.png", (7, 4.5), partial(_one_panel, draw, what))


def _one_panel(draw: Callable[[Any, What], None], what: What, figure: Any) -> None:
    draw(figure.subplots(), what)


def write_plot(path: Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Write a plot, drawn on a figure of a size in inches."""
    from matplotlib.figure import Figure

    figure, picture = Figure(figsize=size, layout="constrained"), BytesIO()
    draw(figure)
    figure.savefig(picture, format="png", dpi=150)
    with open_output(path) as output:
        output.write_bytes(picture.getvalue())
