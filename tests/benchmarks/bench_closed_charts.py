"""How well taggers know what to close, and how time grows with the sentence under each constraint.

    python tests/benchmarks/bench_closed_charts.py --model M --dev DEV [--network en] [--plots DIR]

Figures 3, 4 and 6 of Roark, Hollingshead & Bodenstab 2012. M is a grammar of `treewhile train grammar`.
F1 is agreement with the trees of DEV, which for GUM a parser made. Seconds are the processor's, tagging and
all. Fits are least squares of log seconds by log words, over
sentences of 10 words or more. PNGs need matplotlib, of the extra `bench`.
"""

from __future__ import annotations

import platform
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from plots import BLUE, GREY, ORANGE

from treewhile.incremental.constituents.chart_constraints import constraint_names
from treewhile.incremental.constituents.chart_taggers import Openness
from treewhile.incremental.constituents.grammar_models import GrammarModel, read_grammar_model
from treewhile.incremental.constituents.grammar_phrases import GrammarPhrases
from treewhile.incremental.constituents.network_phrases import NetworkPhrases
from treewhile.incremental.constituents.operating_points import USUAL, Trial, trials
from treewhile.incremental.constituents.plain_phrases import plain_trees, written_words
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles.constituents.openings import Openings, openings_of
from treewhile.oracles.constituents.phrase_trees import Phrase

CONSTRAINTS: Final = ("none", "unary", "ghp", "hp", "quad", "linear", "ghp+unary+quad")
THRESHOLDS: Final = (0.0, 5.0, 10.0, 20.0, 40.0, 80.0)
SHORTEST: Final = 10
SHARES: Final = (0.95, 0.97, 0.98, 0.99)  # precisions at which recall is told
COLORS: Final = {"begins": BLUE, "ends": ORANGE, "unaries": GREY}

Floats = npt.NDArray[np.float64]
Curves = Mapping[str, tuple[Floats, Floats]]  # precision and recall by kind


def closing_curves(found: Sequence[Openness], gold: Sequence[Openings]) -> Curves:
    """Precision and recall of what is closed, from the surest word on; what needs no tagging is left out."""
    curves = {}
    for kind in Openness._fields:
        scores = np.concatenate([getattr(one, kind) for one in found])
        closed = ~np.concatenate([getattr(one, kind) for one in gold])
        is_judged = np.isfinite(scores)
        right = np.cumsum(closed[is_judged][np.argsort(scores[is_judged], kind="stable")])
        curves[kind] = right / np.arange(1, len(right) + 1), right / max(1, right[-1])
    return curves


def show_curves(name: str, curves: Curves) -> None:
    for kind, (precision, recall) in curves.items():
        told = []
        for share in SHARES:
            enough = np.flatnonzero(precision >= share)
            told.append(f"{100 * share:.0f}% {100 * recall[enough[-1]] if len(enough) else 0:5.1f}")
        print(f"{name:10} {kind:8} recall of what is closed at a precision of {'   '.join(told)}")


def fit(trial: Trial) -> tuple[float, float]:
    """The exponent and the factor of the time by length."""
    lengths, seconds = np.array(trial.lengths), np.array(trial.seconds)
    is_long = lengths >= SHORTEST
    slope, offset = np.polyfit(np.log(lengths[is_long]), np.log(seconds[is_long]), 1)
    return float(slope), float(np.exp(offset))


def show_trials(found: Mapping[str, Trial]) -> None:
    whole = sum(next(iter(found.values())).seconds)
    for name, trial in found.items():
        shares = "  ".join(
            f"{kind} {100 * share:5.2f}" for kind, share in trial.scores.brackets.shares().items()
        )
        seconds, fewer = sum(trial.seconds), sum(map(bool, trial.outcomes))
        print(
            f"{name:18} {shares}  {seconds:6.2f} s  x{whole / seconds:5.1f}  "
            f"{trial.words_per_second:7,.0f} words/s  n^{fit(trial)[0]:.1f}  not as asked {fewer}"
        )


def by_threshold(model: GrammarModel, trees: Sequence[Phrase]) -> dict[str, Trial]:
    points = {one: replace(model.points, ghp=one, unary=one) for one in THRESHOLDS}
    parsers = {
        f"threshold {one:g}": GrammarPhrases(replace(model, points=some), USUAL)
        for one, some in points.items()
    }
    return trials(parsers, trees)


def draw_curves(all_curves: Mapping[str, Curves], path: Path) -> None:
    pyplot = plotting()
    figure, panel = pyplot.subplots(figsize=(6.5, 4.8), layout="constrained")
    for (name, curves), style in zip(all_curves.items(), ("-", "--"), strict=False):
        for kind, (precision, recall) in curves.items():
            panel.plot(100 * recall, 100 * precision, style, color=COLORS[kind], label=f"{kind}, {name}")
    panel.set(xlabel="recall of what is closed, %", ylabel="precision, %", xlim=(50, 100), ylim=(90, 100.2))
    finish(figure, panel, path)


def draw_times(found: Mapping[str, Trial], path: Path) -> None:
    pyplot = plotting()
    figure, panel = pyplot.subplots(figsize=(6.5, 4.8), layout="constrained")
    for number, name in enumerate(("none", "ghp", "quad", "linear", "ghp+unary+quad")):
        trial, color = found[name], f"C{number}"
        slope, factor = fit(trial)
        panel.plot(trial.lengths, 1e3 * np.array(trial.seconds), ".", color=color, markersize=3, alpha=0.5)
        lengths = np.arange(SHORTEST, max(trial.lengths) + 1)
        panel.plot(lengths, 1e3 * factor * lengths**slope, color=color, label=f"{name}: n^{slope:.1f}")
    panel.set(xlabel="words", ylabel="time, ms", xscale="log", yscale="log")
    finish(figure, panel, path)


def plotting() -> Any:
    import_module("matplotlib").use("Agg")
    return import_module("matplotlib.pyplot")


def finish(figure: Any, panel: Any, path: Path) -> None:
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    figure.savefig(path, dpi=110)
    print(f"drawn: {path}")


def openness_of(tagger: Callable[[Sequence[str]], Openness], trees: Sequence[Phrase]) -> list[Openness]:
    return [tagger([leaf.word for leaf in tree.leaves]) for tree in trees]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--dev", required=True)
    parser.add_argument("--network", help="a network whose three outputs are judged beside the taggers")
    parser.add_argument("--plots", type=Path)
    options = parser.parse_args()
    model = read_grammar_model(options.model)
    trees = [tree.phrase for tree in plain_trees(options.dev)]
    print(f"{platform.machine()}, {len(trees)} trees, binary on the {model.grammar.form.side}")
    gold = [openings_of(tree) for tree in trees]
    curves = {"perceptron": closing_curves(openness_of(model.taggers.openness, trees), gold)}
    if options.network:
        network = NetworkPhrases(load_model(options.network))
        found = [network.openness(written_words(tree.leaves)) for tree in trees]
        curves["network"] = closing_curves(found, gold)
    for name, some in curves.items():
        show_curves(name, some)
    show_trials(by_threshold(model, trees))
    parsers = {name: GrammarPhrases(model, constraint_names(name)) for name in CONSTRAINTS}
    timed = trials(parsers, trees)
    show_trials(timed)
    if options.plots:
        draw_curves(curves, options.plots / "closed-charts-taggers.png")
        draw_times(timed, options.plots / "closed-charts-times.png")


if __name__ == "__main__":
    main()
