"""Whether closed cells pay for dependencies: how well flags are found, what they cost, and what they save.

A logistic regression finds, on the states that arcs are read off, whether a word begins or ends a projection
of several words; it learns on one treebank and is judged on another. A word is closed where the probability
that it is open is below a threshold. The time of a best parse is told apart: what the network takes, and what
decoders take with all cells open, with the flags, and where the best of all trees is tried first. Sentences
for that are cut from the running text at n words. Biased: the model has seen the treebank that flags are
learnt on, so its states are surer there.

python tests/benchmarks/bench_closed_cells.py --model nl --train A.conllu --source B.conllu --plot docs/x.png
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from definitions.closed_projective_decoding import ways as ways_to_combine
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import load_model, read_sentences
from treewhile.incremental.parsers.arc_decoding import sentence_weights
from treewhile.incremental.parsers.arc_layers import LabelParts
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.tree_decoding import decode_until
from treewhile.incremental.parsers.word_gates import FROM_RIGHT
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import four_heads, projective_decoding

Floats = npt.NDArray[np.floating[Any]]
DECODERS = {"projective": projective_decoding.decode, "mh4": four_heads.decode}
THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
LENGTHS = (20, 40, 60, 80)
TIMED = 0.05  # the threshold at which time is measured
LONGEST, MOST_WORDS, STEPS, RIDGE, REPEATS, TEXTS = 80, 90_000, 8, 10.0, 15, 6


class Known(NamedTuple):
    """A sentence as the network knows it, and its gold tree."""

    late: Floats  # [word, unit]
    scores: Floats  # [head, dependent]
    parts: LabelParts
    heads: npt.NDArray[np.int32]
    labels: list[str]


def main() -> None:
    parser = model_and_source(__doc__)
    parser.add_argument("--train", type=Path, required=True, help="the treebank that flags are learnt on")
    parser.add_argument("--plot", type=Path, help="where to draw how the time is made up")
    given = parser.parse_args()
    model, console = load_model(given.model), Console(width=130)
    console.print(", ".join(machine().values()))
    learnt = [(known.late, gold_flags(known.heads)) for known in known_sentences(model, given.train)]
    weights = fitted(*(np.concatenate(part) for part in zip(*learnt, strict=True)))
    dev = [*known_sentences(model, given.source)]
    console.print(accuracy(model, dev, weights))
    console.print(crossing(dev))
    points = [timed(model, texts_of(given.source, n), weights) for n in LENGTHS]
    console.print(times(points))
    if given.plot:
        draw(points, given.plot, f"{given.model}, one core")


def known_sentences(model: Model, path: Path) -> Iterator[Known]:
    words = 0
    for sentence in read_sentences(path):
        if None in sentence.heads or not 1 < len(sentence.words) <= LONGEST or words > MOST_WORDS:
            continue
        words += len(sentence.words)
        labels = [word.deprel.partition(":")[0] for word in sentence.words]
        late, scores, parts = looked_at(model, snapshot_of(model, [word.form for word in sentence.words]))
        yield Known(late, scores, parts, np.array(sentence.heads, np.int32), labels)


def looked_at(model: Model, snapshot: Snapshot) -> tuple[Floats, Floats, LabelParts]:
    """The states of words, scores of edges, and parts of labels of a whole sentence."""
    n, gates = len(snapshot.words), model.gates(snapshot.words, FROM_RIGHT)
    around = model.network.surroundings.around(snapshot.tops, gates, [n], [False])
    scores = sentence_weights(model.network.arcs.scores(around)[0][:-1, :-1]).weight[: n + 1, : n + 1]
    return around.late[1 : n + 1], np.ascontiguousarray(scores), model.network.arcs.label_parts(around)


def gold_flags(heads: Sequence[int]) -> npt.NDArray[np.bool_]:
    """[word - 1, begins or ends]: where projections of several words do."""
    n = len(heads)
    first, last, size = [*range(n + 1)], [*range(n + 1)], [1] * (n + 1)
    for word in range(1, n + 1):
        above = heads[word - 1]
        while above:
            first[above], last[above] = min(first[above], word), max(last[above], word)
            size[above] += 1
            above = heads[above - 1]
    flags = np.zeros((n, 2), np.bool_)
    for word in range(1, n + 1):
        if size[word] > 1:
            flags[first[word] - 1, 0] = flags[last[word] - 1, 1] = True
    return flags


def fitted(states: Floats, flags: npt.NDArray[np.bool_]) -> Floats:
    """[unit and bias, begins or ends]: by Newton's method."""
    x = np.concatenate([states, np.ones((len(states), 1), np.float32)], axis=1).astype(np.float32)
    weights = np.zeros((x.shape[1], 2), np.float32)
    for _ in range(STEPS):
        chances = chances_of(x @ weights)
        for side in range(2):
            slope = x.T @ (chances[:, side] - flags[:, side]) + RIDGE * weights[:, side]
            curve = (x.T * (chances[:, side] * (1 - chances[:, side]))) @ x
            curve.ravel()[:: len(curve) + 1] += RIDGE
            weights[:, side] -= np.linalg.solve(curve, slope)
    return weights


def chances_of(sums: Floats) -> Floats:
    chances: Floats = 1 / (1 + np.exp(-np.clip(sums, -30, 30)))
    return chances


def open_chances(late: Floats, weights: Floats) -> Floats:
    return chances_of(late @ weights[:-1] + weights[-1])


def openings_of(chances: Floats, threshold: float) -> Openings:
    begins, ends = (chances >= threshold).T.copy()
    return Openings(begins, ends, begins)


# --- accuracy -----------------------------------------------------------------------------------------------


def accuracy(model: Model, dev: Sequence[Known], weights: Floats) -> Table:
    """Precision and recall of closing, the cells that are left, and attachment with what is closed."""
    title = "Flags by the network's states, and parses (UAS / LAS) with their closed cells"
    sides = ("P begins", "R begins", "P ends", "R ends")
    table = Table("closed below", *sides, "cells open", "ways left", *DECODERS, title=title)
    chances = [open_chances(known.late, weights) for known in dev]
    gold = [gold_flags(known.heads) for known in dev]
    table.add_row("nothing", *[""] * 6, *(attachment(model, dev, None, trees) for trees in DECODERS))
    for threshold in THRESHOLDS:
        openings = [openings_of(found, threshold) for found in chances]
        found = (attachment(model, dev, openings, trees) for trees in DECODERS)
        table.add_row(f"{threshold:g}", *closing(openings, gold), *cells(openings), *found)
    exact = [Openings(*flags.T.copy(), flags[:, 0]) for flags in gold]
    found = (attachment(model, dev, exact, trees) for trees in DECODERS)
    table.add_row("gold flags", *["100.0"] * 4, *cells(exact), *found)
    return table


def closing(openings: Sequence[Openings], gold: Sequence[npt.NDArray[np.bool_]]) -> Iterator[str]:
    """Precision and recall of closing words, but for the first and the last one, which are known."""
    for side in range(2):
        inner = slice(1, None) if side == 0 else slice(0, -1)
        closed = ~np.concatenate([one[side][inner] for one in openings])
        right = ~np.concatenate([flags[inner, side] for flags in gold])
        yield f"{100 * (closed & right).sum() / closed.sum():.1f}"
        yield f"{100 * (closed & right).sum() / right.sum():.1f}"


def cells(openings: Sequence[Openings]) -> tuple[str, str]:
    """The shares of cells, and of sums of two items, that are left."""
    left = sum(int(one.begins.sum() * one.ends.sum()) for one in openings)
    every = [Openings.all_open(len(one.begins)) for one in openings]
    ways = [sum(map(ways_to_combine, some)) for some in (openings, every)]
    return (
        f"{100 * left / sum(len(one.begins) ** 2 for one in openings):.1f}",
        f"{100 * ways[0] / ways[1]:.1f}",
    )


def attachment(model: Model, dev: Sequence[Known], openings: Sequence[Openings] | None, trees: str) -> str:
    arcs, right, labelled, words = model.network.arcs, 0, 0, 0
    numbers = {label: label.partition(":")[0] for label in model.inventory.labels}
    kinds = [numbers[label] for label in model.inventory.labels]
    for place, known in enumerate(dev):
        given = None if openings is None else openings[place]
        heads = DECODERS[trees](known.scores, True, Interrupt(), given)
        assert heads is not None
        tree, children = heads[1:].astype(np.intp), np.arange(1, len(heads))
        barred = arcs.barred_labels[(tree == 0).astype(np.intp)]
        chosen = arcs.label_logs(known.parts, tree, children, barred).argmax(1)
        is_right = tree == known.heads
        is_labelled = [
            kinds[label] == gold for label, gold in zip(chosen.tolist(), known.labels, strict=True)
        ]
        right, words = right + int(is_right.sum()), words + len(tree)
        labelled += int((is_right & is_labelled).sum())
    return f"{100 * right / words:.2f} / {100 * labelled / words:.2f}"


def crossing(dev: Sequence[Known]) -> Table:
    """How many gold trees a chart can build at all, with cells closed by the gold flags."""
    table = Table("class", "all open", "by gold flags", title="Share of gold trees that are built")
    for trees, decode in DECODERS.items():
        built = np.zeros(2)
        for known in dev:
            scores = np.zeros_like(known.scores)
            scores[known.heads, np.arange(1, len(scores))] = 1
            flags = gold_flags(known.heads)
            for place, given in enumerate((None, Openings(*flags.T.copy(), flags[:, 0]))):
                found = decode(scores, False, Interrupt(), given)
                built[place] += found is not None and bool((found[1:] == known.heads).all())
        table.add_row(trees, *(f"{share:.2f}" for share in 100 * built / len(dev)))
    return table


# --- time ---------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """Seconds at a length: of the network, and of decoders by class and by kind."""

    n: int
    network: float
    decoding: dict[tuple[str, str], float]
    best: dict[str, float]  # the whole best parse, by class


def texts_of(path: Path, n: int) -> list[list[str]]:
    """Sentences of so many words or more, cut there; where there are few, more of them joined."""
    sentences = [[word.form for word in sentence.words] for sentence in read_sentences(path)]
    long = [words[:n] for words in sentences if len(words) >= n][:TEXTS]
    joined = ([*chain.from_iterable(sentences[start:])][:n] for start in range(0, 20 * TEXTS, 20))
    return [*long, *islice(joined, TEXTS - len(long))]


def timed(model: Model, texts: list[list[str]], weights: Floats) -> Point:
    """The processor time of a text, the least of several runs: other work on the machine counts little."""
    found: dict[tuple[str, str], list[float]] = {}
    for words in texts:
        for name, work in works_on(model, words, weights):
            found.setdefault(name, []).append(least_seconds(work))
    least = {name: fmean(seconds) for name, seconds in found.items()}
    network, best = least.pop(("", "network")), {trees: least.pop((trees, "best")) for trees in DECODERS}
    return Point(len(texts[0]), network, least, best)


def least_seconds(work: Callable[[], object]) -> float:
    found = []
    for _ in range(REPEATS):
        begun = process_time()
        work()
        found.append(process_time() - begun)
    return min(found)


def works_on(
    model: Model, words: list[str], weights: Floats
) -> Iterator[tuple[tuple[str, str], Callable[[], object]]]:
    """What is timed of a text, by class of trees and kind."""
    snapshot = snapshot_of(model, words)
    late, scores, _ = looked_at(model, snapshot)
    yield ("", "network"), partial(looked_at, model, snapshot)
    for trees, decode in DECODERS.items():
        yield (trees, "open"), partial(decode, scores, True, Interrupt())
        yield (trees, "flags"), partial(with_flags, decode, weights, late, scores)
        yield (trees, "best"), partial(model.with_trees(trees).rescore, snapshot)
    weighed = sentence_weights(scores.astype(np.float32))
    yield ("mh4", "tried"), partial(decode_until, "mh4", weighed, Interrupt())


def with_flags(decode: Callable[..., object], weights: Floats, late: Floats, scores: Floats) -> object:
    """Decodes with what is closed by the flags, which are looked for first."""
    return decode(scores, True, Interrupt(), openings_of(open_chances(late, weights), TIMED))


def times(points: Sequence[Point]) -> Table:
    names = [*points[0].decoding]
    table = Table("words", "network", *(" ".join(name) for name in names), "best projective", "best mh4")
    for point in points:
        decoding = (f"{1e3 * point.decoding[name]:.3f}" for name in names)
        best = (f"{1e3 * point.best[trees]:.2f}" for trees in DECODERS)
        table.add_row(str(point.n), f"{1e3 * point.network:.2f}", *decoding, *best)
    table.title = (
        f"Milliseconds; flags at {TIMED:g}; `tried` is the best of all trees where it is of the class"
    )
    return table


def draw(points: Sequence[Point], path: Path, note: str) -> None:
    """Draws how much of a best parse decoders take, with all cells open, with flags, and tried first."""
    import_module("matplotlib").use("Agg")
    pyplot = import_module("matplotlib.pyplot")
    figure, panel = pyplot.subplots(figsize=(8, 4.6), layout="constrained")
    across = [point.n for point in points]
    panel.plot(across, [1e3 * point.network for point in points], "-o", color="#555555", label="network")
    styles = {
        "open": ("-", "all cells open"),
        "flags": ("--", "closed by flags"),
        "tried": (":", "tried first"),
    }
    for (trees, kind), _ in points[0].decoding.items():
        style, text = styles[kind]
        up = [1e3 * point.decoding[trees, kind] for point in points]
        color = "#c2570c" if trees == "mh4" else "#2563a8"
        panel.plot(across, up, style, marker="o", markersize=4, color=color, label=f"{trees}: {text}")
    panel.set(yscale="log", xlabel="words in the sentence, n", ylabel="milliseconds of a best parse")
    panel.set_xticks(across, [str(n) for n in across])
    panel.set_title(f"What a best parse takes ({note})", loc="left", fontsize=11)
    panel.grid(color="#e5e5e5", linewidth=0.8)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=150, facecolor="white")
    pyplot.close(figure)


if __name__ == "__main__":
    main()
