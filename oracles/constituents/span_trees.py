"""Best tree of scored spans: of all sets of spans that do not cross, one with the greatest sum of scores.

A span's score is that of its best label, minus that of no constituent: so trees are binarized without
additional symbols, and spans below 0 are left out. Over words i <= j, with + for the positive part:

    G(i, j) = s(i, j)+ + F(i, j)                                      F(i, i) = 0
    F(i, j) = best over k of G(i, k-1) + G(k, j)                      i < k <= j, where s(k, j) > 0 or k = j

G is the best sum of spans within i..j, the span itself included, and k is the begin of the last of the
outermost spans below: one that ends in j, or the single word j, be it a span or not. All sums that end in j
depend on scores of spans that end in j or before, so a new word adds a column. With p spans above 0 the chart
takes O(n^2 + np) time: only these spans are tried. Openings (Roark et al. 2012) close cells, and so reduce p.

A prefix is a sentence with one more word, which stands for all that is to come: spans that end in it are
open. Whole sentences and prefixes are treated alike here.

Ties: of sets with the same sum, the one whose last outermost span is shortest, from the top down; spans of
score 0 are in no set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.kernels.span_trees import fill_columns, trace_spans
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

SpanScores = npt.NDArray[Any]  # [first, last], float32 or float64; entries below the diagonal are ignored
Spans = npt.NDArray[np.int32]  # [span, (first, last)]

# Largest score; greater ones could overflow in sums, and infinity minus infinity is not a number.
LARGEST_SCORE = 1e30


def best_spans(
    scores: SpanScores, openings: Openings | None = None, interrupt: Interrupt | None = None
) -> Spans | None:
    """Return the spans of the best set over words from 0, outer before inner, left before right.

    Return None if interrupted. Openings, if given, exclude spans: a span of several words must begin and end
    at open words, and a span of a single word must be open itself; the span over all words is always allowed.
    """
    checked = _checked(scores)
    if openings is not None:
        checked = closed(checked, openings)
    words, flag = len(checked), (interrupt or Interrupt()).flag
    chart = np.empty_like(checked)
    if fill_columns(checked, chart, 0, words, flag) < words:
        return None
    if not words:
        return np.empty((0, 2), np.int32)
    spans: Spans = trace_spans(checked, chart, words)
    return spans


def closed(scores: SpanScores, openings: Openings) -> SpanScores:
    """Return the scores of spans that are open, and 0 for all others."""
    words = len(scores)
    if any(len(flags) != words for flags in openings):
        raise InputError(f"there are scores of {words} words, so the openings have to be flags of {words}")
    begins, ends = openings.begins.copy(), openings.ends.copy()
    begins[:1] = ends[-1:] = True
    are_open = np.outer(begins, ends)
    are_open[np.arange(words), np.arange(words)] = openings.unaries
    if words:
        are_open[0, -1] = True
    return np.where(are_open, scores, scores.dtype.type(0))


def _checked(scores: SpanScores) -> SpanScores:
    array = np.asarray(scores)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"scores of spans are [first, last] over the same words, not of shape {array.shape}")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if not ((array < LARGEST_SCORE).all() or (np.triu(array) < LARGEST_SCORE).all()):
        raise InputError(f"scores of spans have to be numbers below {LARGEST_SCORE:g}, or -inf")
    return np.ascontiguousarray(array)
