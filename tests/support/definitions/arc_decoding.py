"""Recurrence of the best tree of a prefix, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Final

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Decoded, Weights, possible
from treewhile.incremental.parsers.nodes import to_signed

Way = tuple[float, tuple[tuple[int, int], ...]]  # its score, its arcs (dependent, head)


NOTHING: Final[Way] = (0.0, ())


IMPOSSIBLE: Final[Way] = (-math.inf, ())


def _best(ways: Iterable[Way]) -> Way:
    return max(ways, key=lambda way: way[0], default=IMPOSSIBLE)


def _join(*parts: Way) -> Way:
    return sum(score for score, _ in parts), tuple(arc for _, arcs in parts for arc in arcs)


def decode_by_definition(weights: Weights) -> Decoded:
    """What the recurrence says, as it stands above: the judge of the kernel, for a few dozen nodes."""
    later, t = weights.later, weights.t

    def arc(head: int, dependent: int) -> Way:
        return float(weights.weight[head, dependent]), ((dependent, head),)

    @cache
    def left(i: int, j: int) -> Way:
        if i == j:
            return IMPOSSIBLE if t < i < later else NOTHING
        return _best(_join(left(i, k), left_open(k, j)) for k in range(i, j))

    @cache
    def right(i: int, j: int) -> Way:
        if i == j:
            return NOTHING
        skipping = _join(right(i, j - 1), arc(weights.unused, j))
        return _best([skipping, *(_join(right_open(i, k), right(k, j)) for k in range(i + 1, j + 1))])

    @cache
    def between(i: int, j: int) -> Way:
        return _best(_join(right(i, k), left(k + 1, j)) for k in range(i, j))

    @cache
    def left_open(i: int, j: int) -> Way:
        return _join(_best([between(i, j), right(i, j - 1)]), arc(j, i))

    @cache
    def right_open(i: int, j: int) -> Way:
        return _join(between(i, j), arc(i, j))

    if t == 0:
        score, arcs = _join(*(arc(weights.unused, node) for node in range(1, later)))
    else:
        under_root = [_join(arc(0, r), left(1, r), between(r, later)) for r in range(1, later)]
        score, arcs = _best([left(1, later), *under_root])
    heads = np.array([head for _, head in sorted(arcs)], np.int32)
    possible(score)
    return Decoded(to_signed(heads), score)
