"""Scores and labels of spans, from bidirectional states: the constituents of a sentence.

Between two adjacent nodes there is a *fence*: fence k is behind node k, so the words i to j stand between the
fences i-1 and j. A fence has the states of both nodes. Spans of an open prefix that will go on end at one
more fence, between the node behind the words and LATER. The score of a span is above 0 if the span is more
likely a constituent than not, and is computed from units of its two fences, like that of an arc from those of
its two nodes (as in Zhang, Zhou & Li 2020). A label is a whole chain: all labels over the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.kernels.arcs import arc_scores, span_label_scores
from treewhile.incremental.parsers.layers import Array, Products, Rows, linear
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits
from treewhile.incremental.parsers.surroundings import Around
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.oracles.constituents.span_trees import Spans, best_spans

Chain = tuple[str, ...]  # labels over the same words, outer first

OPENINGS: Final = ("begins", "ends", "unaries")


class SpanShape(NamedTuple):
    """Number of units of a span's fences, for its score and for its label."""

    units: int = 112
    label_units: int = 64


def span_shapes(state: int, shape: SpanShape, labels: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array by its name, for states with so many units."""
    shapes: dict[str, tuple[int, ...]] = {"spans.pair": (shape.units + 1, shape.units)}
    for name, inputs, outputs in (
        ("begin", 2 * state, shape.units),
        ("end", 2 * state, shape.units),
        ("label_begin", 2 * state, shape.label_units),
        ("label_end", 2 * state, shape.label_units),
        ("label", shape.label_units, labels),
        ("openings", shape.label_units, len(OPENINGS)),
    ):
        shapes[f"spans.{name}.weight"], shapes[f"spans.{name}.bias"] = (outputs, inputs), (outputs,)
    return shapes


class Fences(NamedTuple):
    """States of the fences of some sequences, one after the other."""

    states: Array  # [fence, 2 * state]
    bounds: Rows  # bounds of the sequences among the fences
    words: Sequence[int]  # number of words of each sequence

    def places(self) -> Iterator[tuple[int, int, int]]:
        """Yield for each sequence its first fence, number of fences, and number of words."""
        for (start, end), words in zip(pairwise(self.bounds.tolist()), self.words, strict=True):
            yield start, end - start, words


def fences_of(around: Around, numbers: Sequence[int]) -> Fences:
    """Return the fences of some of the sequences, by their numbers."""
    left: list[Array] = []
    right: list[Array] = []
    sizes, lengths = [], []
    for number in numbers:
        start, end = around.bounds[number : number + 2].tolist()
        words = int(around.lengths[number])
        nodes, is_open = around.late[start : start + words + 2], end > start + words + 2
        left.append(nodes if is_open else nodes[:-1])
        right += [nodes[1:], around.late[end - 2 : end - 1]] if is_open else [nodes[1:]]
        sizes.append(words + 1 + is_open)
        lengths.append(words)
    states = np.concatenate([np.concatenate(left), np.concatenate(right)], axis=1)
    return Fences(states, np.array([*accumulate(sizes, initial=0)], np.intp), lengths)


class SpanLayers:
    """Layers that score and label spans; `labels` are chains, by their numbers."""

    def __init__(self, arrays: Mapping[str, Array], labels: Sequence[Chain]) -> None:
        self.labels = tuple(labels)
        pair = Products(*in_eight_bits(arrays["spans.pair"]))
        self._pairs = linear(arrays, "spans.begin").layer, linear(arrays, "spans.end").layer, pair.layer
        self._begin, self._end = linear(arrays, "spans.label_begin"), linear(arrays, "spans.label_end")
        label = linear(arrays, "spans.label")
        self._of_labels = self._begin.layer, self._end.layer, label.layer
        self._openings = linear(arrays, "spans.openings")

    def constituents(self, around: Around, numbers: Sequence[int]) -> list[tuple[Constituent, ...]]:
        """Return the constituents of the best trees of some sequences, outer first, then left to right."""
        if not numbers:
            return []
        fences = fences_of(around, numbers)
        return self.constituents_between(fences, [None] * len(numbers))

    def constituents_between(
        self, fences: Fences, openings: Sequence[Openings | None]
    ) -> list[tuple[Constituent, ...]]:
        """Return the constituents of the best trees that openings allow; open sequences have none."""
        trees = [best_spans(*one) for one in zip(self.scores(fences), openings, strict=True)]
        spans = [tree for tree in trees if tree is not None]  # an Interrupt that is never set
        labels = self._best_labels(fences, spans)
        return [
            tuple(self._named(tree, labels, words)) for tree, words in zip(spans, fences.words, strict=True)
        ]

    def scores(self, fences: Fences) -> list[Array]:
        """Return [first, last] of each sequence, words from 0; the rest of an open one counts as a word."""
        scores = arc_scores(fences.states, fences.bounds, *self._pairs)
        tables, place = [], 0
        for _, size, words in fences.places():
            table = scores[place : place + size * size].reshape(size, size)[:-1, 1:]
            table[words:, words:] = 0  # spans of the rest alone
            tables.append(table)
            place += size * size
        return tables

    def label_scores(self, fences: Fences, begins: Rows, ends: Rows) -> Array:
        """Return [span, label], given the fences before spans and behind them: the higher, the likelier."""
        scores: Array = span_label_scores(*self._of_labels, fences.states, begins, ends)
        return scores[:, : len(self.labels)]

    def openings_logs(self, fences: Fences) -> list[Array]:
        """Return [word, flag] of each sequence: log-odds that words begin, end, or are constituents.

        The flags are those of `Openings`.
        """
        begins, ends = self._begin(fences.states), self._end(fences.states)
        sums = begins[:-1] + ends[1:] + begins[:-1] * ends[1:]
        logs = self._openings(np.maximum(sums, np.float32(SLOPE) * sums))
        return [logs[start : start + words] for start, _, words in fences.places()]

    def _best_labels(self, fences: Fences, trees: Sequence[Spans]) -> Iterator[int]:
        """Yield the best labels of all spans of all sequences, one after the other."""
        starts = fences.bounds[:-1]
        spans = [tree.astype(np.intp) + start for tree, start in zip(trees, starts, strict=True)]
        firsts, lasts = np.concatenate(spans).T.copy()
        yield from self.label_scores(fences, firsts, lasts + 1).argmax(1).tolist()

    def _named(self, tree: Spans, labels: Iterator[int], words: int) -> Iterator[Constituent]:
        for first, last in tree.tolist():
            for label in self.labels[next(labels)]:
                yield Constituent(label, first + 1, last + 1 if last < words else None)
