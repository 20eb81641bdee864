"""The picture of how time and entries a step grow with the sentence."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from measuring import Spread

PANELS = (
    ("time a step, µs", "from scratch: the linear and the cubic algorithm, at every step"),
    ("entries filled a step", "from scratch: by a tracker that knows nothing yet, at every step"),
)
BLUE, ORANGE, GREY = "#2563a8", "#c2570c", "#555555"


class Point(NamedTuple):
    """For sentences of n words: the tracker, and what answers from scratch, a step."""

    n: int
    kept: Spread
    scratch: Spread
    kept_entries: float
    scratch_entries: float

    def as_json(self) -> dict[str, Any]:
        times = {"tracker_seconds": self.kept.median, "scratch_seconds": self.scratch.median}
        return {
            "n": self.n,
            **times,
            "tracker_entries": self.kept_entries,
            "scratch_entries": self.scratch_entries,
        }


class Line(NamedTuple):
    """A line of both panels: its points are n, microseconds, and entries."""

    name: str
    points: list[tuple[int, float, float]]
    color: str
    style: str


def draw(projective: list[Point], non_projective: list[Point], path: Path) -> bool:
    """Writes the picture; False where matplotlib is not installed."""
    try:
        import_module("matplotlib").use("Agg")
    except ImportError:
        return False
    pyplot = import_module("matplotlib.pyplot")
    lines = [
        Line("non-projective, from scratch", _scratch(non_projective), ORANGE, "--"),
        Line("non-projective, tracker", _kept(non_projective), ORANGE, "-"),
        Line("projective, from scratch", _scratch(projective), BLUE, "--"),
        Line("projective, tracker", _kept(projective), BLUE, "-"),
    ]
    figure, panels = pyplot.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    for column, (panel, texts) in enumerate(zip(panels, PANELS, strict=True), 1):
        _draw_panel(panel, *texts, lines, column)
    figure.savefig(path, dpi=150, facecolor="white")
    pyplot.close(figure)
    return True


def _kept(points: list[Point]) -> list[tuple[int, float, float]]:
    return [(point.n, 1e6 * point.kept.median, point.kept_entries) for point in points]


def _scratch(points: list[Point]) -> list[tuple[int, float, float]]:
    return [(point.n, 1e6 * point.scratch.median, point.scratch_entries) for point in points]


def _draw_panel(panel: Any, title: str, note: str, lines: list[Line], column: int) -> None:
    for line in lines:
        across, up = [point[0] for point in line.points], [point[column] for point in line.points]
        panel.plot(across, up, line.style, color=line.color, marker="o", markersize=4, linewidth=1.8)
        label = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "fontsize": 9}
        panel.annotate(line.name, (across[-1], up[-1]), color=line.color, **label)
    every_n = sorted({point[0] for line in lines for point in line.points})
    panel.set(xscale="log", yscale="log", xlabel="words in the sentence, n")
    panel.set_xlim(every_n[0] * 0.85, every_n[-1] * 12)
    panel.set_xticks(every_n, [f"{n:,}" for n in every_n])
    panel.yaxis.set_major_formatter("{x:,.0f}")
    panel.minorticks_off()
    panel.set_title(title, loc="left", fontsize=12, pad=24)
    panel.text(0, 1.03, note, transform=panel.transAxes, fontsize=9, color=GREY)
    panel.grid(color="#e5e5e5", linewidth=0.8)
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(colors=GREY)
