"""Alternatives to arcs: other heads and labels of words, with their probabilities in the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.corrections import NO_CORRECTIONS, Correction, Corrections
from treewhile.incremental.parsers.layers import Array, Rows
from treewhile.incremental.parsers.nodes import Nodes

LEAST_PROBABILITY: Final = 0.01
OPEN: Final = Correction()

LabelLogs = Callable[[Rows, Rows], Array]  # [arc, label], of arcs by the numbers of their heads and children


class Alternative(NamedTuple):
    """Head and label of a word, with the probability that it has both."""

    arc: Decision
    probability: float


def alternatives_to(
    arcs: Mapping[int, Decision],
    scores: Array,
    nodes: Nodes,
    label_logs: LabelLogs,
    labels: Sequence[str],
    corrections: Corrections = NO_CORRECTIONS,
) -> dict[int, tuple[Alternative, ...]]:
    """Return by word the other arcs that have LEAST_PROBABILITY, the likeliest first.

    scores[head, child] have UNUSED as their last row. The probabilities of all heads and labels of a word add
    up to 1. A word whose head is decided has no alternative, and one whose label is decided has none with
    another label.
    """
    words = np.array([word for word in arcs if corrections.get(word, OPEN).head is None], np.intp)
    found: dict[int, list[Alternative]] = {word: [] for word in arcs}
    heads, children, of_heads = _likely_arcs(scores[:-1], words)
    logs = label_logs(heads, children) + of_heads[:, None] if len(heads) else np.empty((0, len(labels)))
    for place, label in np.argwhere(logs >= math.log(LEAST_PROBABILITY)):
        word, arc = int(children[place]), Decision(nodes.name(int(heads[place])), labels[label])
        if arc != arcs[word] and corrections.get(word, OPEN).holds(*arc):
            found[word].append(Alternative(arc, math.exp(logs[place, label])))
    return {word: tuple(sorted(some, key=lambda one: -one.probability)) for word, some in found.items()}


def _likely_arcs(scores: Array, words: Rows) -> tuple[Rows, Rows, Array]:
    """Return heads, children and log-probabilities of the arcs to words that have LEAST_PROBABILITY."""
    logs = scores[:, words].astype(np.float64)
    logs[words, np.arange(len(words))] = -np.inf
    logs -= np.logaddexp.reduce(logs, axis=0)
    heads, places = np.nonzero(logs >= math.log(LEAST_PROBABILITY))
    return heads, words[places], logs[heads, places].astype(np.float32)
