"""Plots of the scores of a stream, as files in a folder; matplotlib is imported only for drawing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import Any

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.oracles.errors import InputError

Stream = Mapping[str, Any]  # result of `evaluation.stream_report`
Curves = Mapping[str, Mapping[str, Any]]  # by time limits and parses, from `time_curves.curves_report`

DELAYS = {"initial": "initial", **{f"delay_{n}": str(n) for n in range(1, 6)}, "final": "final"}
COLOURS = {
    "best": "tab:blue",
    "committed_0": "tab:pink",
    "committed_1": "tab:purple",
    "committed_2": "tab:brown",
}
RISK_COLOURS = ("tab:orange", "tab:red", "tab:cyan", "tab:gray", "tab:olive", "tab:green")
TIMED_COLOURS = {
    "first": "tab:pink",
    "best": "tab:blue",
    "search": "tab:olive",
    "search_with": "tab:green",
}
CLASS_COLOURS = {
    "correct": "tab:green",
    "correct_predictions": "lightgreen",
    "wrong_predictions": "orange",
    "wrong": "tab:red",
}


def check_plots(folder: Path) -> None:
    """Make the folder, and raise early errors that would otherwise come after a long computation."""
    if find_spec("matplotlib") is None:
        raise InputError("plots are drawn with matplotlib, which is missing: pip install 'treewhile[bench]'")
    with system_errors_named(f"make the folder {folder}"):
        folder.mkdir(parents=True, exist_ok=True)


def draw_plots(scores: Mapping[str, Any], folder: Path) -> None:
    """Write the plots of a stream into a folder, and the curves if there were time limits."""
    for name, draw in PLOTS.items():
        _write_plot(folder / f"{name}.png", (7, 4.5), partial(_one_panel, draw, scores["stream"]))
    for name, curves in _all_curves(scores).items():
        _write_plot(folder / f"{name}.png", (9, 7), partial(_four_panels, curves))


def _write_plot(path: Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Write a plot that is drawn on a figure of a size in inches."""
    from matplotlib.figure import Figure

    figure, picture = Figure(figsize=size, layout="constrained"), BytesIO()
    draw(figure)
    figure.savefig(picture, format="png", dpi=150)
    with open_output(path) as output:
        output.write_bytes(picture.getvalue())


def _one_panel(draw: Callable[[Any, Stream], None], stream: Stream, figure: Any) -> None:
    draw(figure.subplots(), stream)


def _four_panels(curves: Curves, figure: Any) -> None:
    _accuracy_by_time(figure.subplots(2, 2, sharex=True), curves)


def _all_curves(scores: Mapping[str, Any]) -> dict[str, Curves]:
    """Return curves by name of their plots, without groups of no sentences."""
    if "time_limits" not in scores:
        return {}
    by_length = {
        f"accuracy-by-time-{length}-words": group["time_limits"]
        for length, group in scores["lengths"].items()
        if group["sentences"]
    }
    return {"accuracy-by-time": scores["time_limits"], **by_length}


def _accuracy_by_delay(axes: Any, stream: Stream) -> None:
    colours = _colours(stream)
    for name, shares in stream["labelled"].items():
        right = [_per_cent(shares[delay]) for delay in DELAYS]
        axes.plot([*DELAYS.values()], right, "o-", color=colours[name], label=_parse(name))
    axes.set(xlabel="words that have come since", ylabel="words right, head and label (%)", ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend()


def _classes_by_share(axes: Any, stream: Stream) -> None:
    tenths = stream["by_tenth"]
    bottom = [0.0] * len(tenths)
    for name, colour in CLASS_COLOURS.items():
        shares = [_per_cent(classes[name]) for classes in tenths.values()]
        axes.bar([10 * int(t) - 5 for t in tenths], shares, 9.5, bottom, color=colour, label=_parse(name))
        bottom = [below + share for below, share in zip(bottom, shares, strict=True)]
    axes.set(xlabel="share of the sentence that has come (%)", ylabel="words, best parse (%)", ylim=(0, 100))
    axes.legend(loc="lower right")


def _accuracy_by_length(axes: Any, stream: Stream) -> None:
    lengths, colours = stream["by_length"], _colours(stream)
    for name, moment in (("best", "initial"), *((name, "final") for name in stream["labelled"])):
        right = [_per_cent(parses[name][moment]) for parses in lengths.values()]
        line, label = "o-" if moment == "final" else "o:", f"{_parse(name)}, {moment}"
        axes.plot([*lengths], right, line, color=colours[name], label=label)
    axes.set(xlabel="words of the sentence", ylabel="words right, head and label (%)", ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend()


def _accuracy_by_waiting(axes: Any, stream: Stream) -> None:
    for start, style, colour in (("committed", "o", "tab:purple"), ("risk", "s", "tab:orange")):
        delays = {name: delay for name, delay in stream["mean_delay"].items() if name.startswith(start)}
        names = sorted((name for name, delay in delays.items() if delay is not None), key=delays.__getitem__)
        for kind, line, score in (("unlabelled", "-", "UAS"), ("labelled", ":", "LAS")):
            right = [_per_cent(stream[kind][name]["final"]) for name in names]
            label = f"{score}, {'by risk' if start == 'risk' else 'by delay'}"
            axes.plot([delays[name] for name in names], right, style + line, color=colour, label=label)
    axes.set(xlabel="words that an attachment waits for, on average", ylabel="committed words right (%)")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")


def _accuracy_by_time(panels: Any, curves: Curves) -> None:
    for row, kind in zip(panels, ("labelled", "unlabelled"), strict=True):
        for axes, moment in zip(row, ("initial", "final"), strict=True):
            for name, colour in TIMED_COLOURS.items():
                right = {
                    float(limit): _per_cent(systems[name][kind][moment]) for limit, systems in curves.items()
                }
                _draw_curve(axes, right, colour, name.replace("_", " "))
            axes.set(title=f"{moment}, {kind}", xscale="log", ylim=(0, 100))
            axes.grid(alpha=0.3)
        row[0].set_ylabel("words right (%)")
    for axes in panels[-1]:
        axes.set_xlabel("milliseconds a word")
    panels[0][0].legend(loc="best")


def _draw_curve(axes: Any, right: Mapping[float, float], colour: str, label: str) -> None:
    """Draw a line, and a dotted one for the value without a time limit."""
    limits = sorted(limit for limit in right if math.isfinite(limit))
    axes.plot(limits, [right[limit] for limit in limits], "o-", color=colour, label=label)
    if math.inf in right:
        axes.axhline(right[math.inf], linestyle=":", color=colour)


PLOTS = {
    "accuracy-by-delay": _accuracy_by_delay,
    "classes-by-share": _classes_by_share,
    "accuracy-by-length": _accuracy_by_length,
    "accuracy-by-waiting": _accuracy_by_waiting,
}


def _parse(name: str) -> str:
    by_delay = name.replace("committed_", "committed, delay ")
    return by_delay.replace("risk_", "committed, risk ").replace("_", " ")


def _colours(stream: Stream) -> dict[str, str]:
    """Return colours by name of parse."""
    risks = (name for name in stream["labelled"] if name not in COLOURS)
    return COLOURS | dict(zip(risks, cycle(RISK_COLOURS), strict=False))


def _per_cent(share: float | None) -> float:
    return float("nan") if share is None else 100 * share
