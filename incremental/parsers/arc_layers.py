"""Layers from bidirectional states to scores of arcs, labels of arcs, and heads of the next word to come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.kernels.arcs import arc_scores, label_logs, read_off
from treewhile.incremental.parsers.label_decoding import LabelRules, Tags
from treewhile.incremental.parsers.layers import Array, Products, Rows, linear
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits
from treewhile.incremental.parsers.shift_reduce import labels_of
from treewhile.incremental.parsers.surroundings import Around


class LabelParts(NamedTuple):
    """Contributions of nodes, as heads and as children, to the labels of arcs; both are [node, unit]."""

    as_head: Array
    as_child: Array

    def part(self, start: int, end: int) -> LabelParts:
        """Return a copy of the contributions of some nodes, which does not keep the other nodes in memory."""
        return LabelParts(self.as_head[start:end].copy(), self.as_child[start:end].copy())


def score_tables(scores: Array, bounds: Rows) -> list[Array]:
    """Return [head, child] of each sequence, given the bounds of their nodes."""
    sizes = [end - start for start, end in pairwise(bounds.tolist())]
    places = accumulate((size * size for size in sizes), initial=0)
    return [
        scores[place : place + size * size].reshape(size, size)
        for place, size in zip(places, sizes, strict=False)
    ]


class ArcLayers:
    """Layers for scores of arcs, which are divided by the temperature for calibration, and for their labels.

    `barred_labels[is the root's child, label]` is 0, or -inf for a forbidden label.
    """

    def __init__(self, arrays: Mapping[str, Array], inventory: Inventory, temperature: float) -> None:
        self.temperature = temperature
        self.label_numbers, self.rules = inventory.label_numbers, LabelRules.of(inventory)
        self.barred_labels = np.full((2, len(inventory.labels)), -np.inf, np.float32)
        for is_root in (False, True):
            allowed = labels_of(inventory.labels, is_root, inventory.root_labels)
            self.barred_labels[int(is_root), allowed] = 0
        arc = Products(*in_eight_bits(arrays["arc"]))
        self.layers = linear(arrays, "arc_head").layer, linear(arrays, "arc_child").layer, arc.layer
        self._label_head, self._label_child = linear(arrays, "label_head"), linear(arrays, "label_child")
        self.label_layers = self._label_head.layer, self._label_child.layer
        self._label = linear(arrays, "label")
        names = ("awaiting_node", "awaiting_last", "awaiting")
        self._awaiting = [linear(arrays, name) for name in names]

    def scores(self, around: Around) -> list[Array]:
        """Return [head, child] over the nodes of each sequence."""
        return score_tables(arc_scores(around.late, around.bounds, *self.layers), around.bounds)

    def label_parts(self, around: Around) -> LabelParts:
        """Return the contributions of all nodes to labels."""
        return LabelParts(self._label_head(around.late), self._label_child(around.late))

    def parts_of(self, as_head: Array, as_child: Array) -> LabelParts:
        """Return the contributions, cut from the padded outputs of both layers."""
        return LabelParts(self._label_head.counted(as_head), self._label_child.counted(as_child))

    def label_logs(self, parts: LabelParts, heads: Rows, children: Rows, barred: Array) -> Array:
        """Return [arc, label]: log probabilities; barred[arc, label] is 0, or -inf for a forbidden label."""
        one_layout = np.ascontiguousarray(heads)  # another one would be compiled for itself
        logs: Array = label_logs(*parts, one_layout, children, barred, self._label.layer)
        return logs

    def read_off(
        self,
        scores: Array,
        is_open: bool,
        tree: Numbers,
        parts: LabelParts,
        tags: Tags,
        wanted: Array,
        tag_logs: Callable[[], Array],
    ) -> tuple[Array, Rows, Array, Tags]:
        """Return for a tree: log probabilities of arcs [head, child]; best labels by the rules, and
        probabilities of heads with these by node; and the tags and features of words.

        `wanted` holds bonuses [node - 1, label] for labels, or has no rows; tags are chosen as in
        `LabelRules.labels`.
        """
        nodes, layers = (scores, len(tags[0]), is_open, tree), (self.barred_labels, wanted, self._label.layer)
        logs, of_labels, preferred, labels, may_break = read_off(
            *nodes, *parts, *layers, *tags, tuple(self.rules)
        )
        if may_break:
            labels, tags = self.rules.decode(preferred, tree, tags, tag_logs())
        children = np.arange(len(tree))
        return logs, labels, logs[tree, children + 1] + of_labels[children, labels], tags

    def awaiting(self, parts: LabelParts, words: int) -> Array:
        """Return [node]: log-odds that the next child of the root or of a word has this node as its head.

        The alternative, that it has none of these heads, scores 0.
        """
        of_node, of_last, score = self._awaiting
        units = of_node(parts.as_head[: words + 1]) + of_last(parts.as_child[words : words + 1])
        return score(np.maximum(units, units * np.float32(SLOPE)))[:, 0]
