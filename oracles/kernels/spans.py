"""Attainable scores of the remaining input alone, for any reference: Eisner's items over its spans, kept.

`weight` is None if the reference is heads, which are among the words, and all values are small integers; else
it is weight[head, dependent], and all values are floats of its type.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.standings import FILLED
from treewhile.oracles.kernels.values import best_sum

# Rows of the words and levels.
WORD_ROWS = 5
(
    WORD_HEAD,  # [word]
    WORD_IDENTITY,  # [word]: a number that changes when the reference changes around it
    STALE_FROM,  # [word]: the first end of a span from the word on that has to be filled
    LEVEL_WORD,  # [level]
    LEVEL_NODE,  # [level]: the node of this word upon all those below
) = range(WORD_ROWS)

# Tables of the spans i..j of the input: complete items, by left end and by right end, and open ones with
# their edge to the left, by both, and to the right.
SPAN_TABLES = 7
LEFT, LEFT_AT, RIGHT, RIGHT_AT, OPEN_LEFT, OPEN_LEFT_AT, OPEN_RIGHT = range(SPAN_TABLES)
SPAN_ENTRIES = 4  # number of values of a span

SMALL_NEVER = -(1 << 29)


@helper
def edge(words, weight, head, dependent):
    if weight is None:
        return np.int32(words[WORD_HEAD, dependent] == head)
    return weight[head, dependent]


@helper
def never_of(weight):
    """Return minus infinity of the values."""
    if weight is None:
        return np.int32(SMALL_NEVER)
    return -np.inf


@kernel
def fill_spans(words, weight, spans, standing, down_to):
    """Fill the stale entries of the spans that begin at `down_to` or later (Eisner 1996)."""
    n, never = words.shape[1] - 2, never_of(weight)
    for i in range(n, down_to - 1, -1):
        begin = words[STALE_FROM, i]
        if begin > n:
            continue
        if begin <= i:
            for table in range(SPAN_TABLES):
                spans[table, i, i] = 0
        for j in range(max(begin, i + 1), n + 1):
            joined = best_sum(spans[RIGHT, i, i:j], spans[LEFT_AT, j, i + 1 : j + 1], never)
            to_left = joined + edge(words, weight, j, i)
            spans[OPEN_LEFT, i, j], spans[OPEN_LEFT_AT, j, i] = to_left, to_left
            spans[OPEN_RIGHT, i, j] = joined + edge(words, weight, i, j)
            best = best_sum(spans[LEFT, i, i:j], spans[OPEN_LEFT_AT, j, i:j], never)
            spans[LEFT, i, j], spans[LEFT_AT, j, i] = best, best
            best = best_sum(spans[OPEN_RIGHT, i, i + 1 : j + 1], spans[RIGHT_AT, j, i + 1 : j + 1], never)
            spans[RIGHT, i, j], spans[RIGHT_AT, j, i] = best, best
            standing[FILLED] += SPAN_ENTRIES
        words[STALE_FROM, i] = n + 1
