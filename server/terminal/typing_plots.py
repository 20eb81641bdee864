"""Pictures of how long strokes and words waited."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from treewhile.server.load.typing_reports import first_analyses, settlings
from treewhile.server.load.typists import Replay
from treewhile.server.terminal.plot_files import write_plots

SHARES: Final = (0, 50, 90, 99, 99.9, 99.99)


def draw_typing(replay: Replay, folder: Path) -> None:
    """Writes the pictures into the folder."""
    write_plots(folder, PLOTS, replay)


def _by_share(axes: Any, replay: Replay) -> None:
    """As HdrHistogram draws it: each nine takes the same room."""
    for seconds, label in ((first_analyses(replay), "first analysis"), (settlings(replay), "settled")):
        if seconds:
            ordered = 1000 * np.sort(seconds)
            axes.plot(_nines(np.arange(len(ordered)) / len(ordered)), ordered, label=label)
    axes.set_xticks(_nines(np.array(SHARES) / 100), [f"{share:g}%" for share in SHARES])
    axes.set(
        xlabel="share of the strokes, or words", ylabel="milliseconds from when it was due", yscale="log"
    )
    axes.grid(alpha=0.3)
    axes.legend()


def _by_time(axes: Any, replay: Replay) -> None:
    strokes = [one for one in replay.typed if one.answered is not None]
    waited = [1000 * ((one.answered or 0.0) - one.due) for one in strokes]
    axes.plot([one.due - replay.begin for one in strokes], waited, ".", markersize=2)
    axes.set(xlabel="seconds from the start", ylabel="milliseconds to the first analysis", yscale="log")
    axes.grid(alpha=0.3)


def _nines(shares: Any) -> Sequence[float]:
    places: Sequence[float] = -np.log10(1 - np.asarray(shares))
    return places


PLOTS = {"waiting-by-share": _by_share, "waiting-by-time": _by_time}
