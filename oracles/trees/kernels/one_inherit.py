"""Chart of 1-Inherit trees, and the best tree in it.

Indices are as in `treewhile.oracles.trees.one_inherit_decoding`, whose reference computes the same slowly.
All heads of a span, or of a pair of spans, stand side by side in a row and are computed together: all heads,
or those from a given one on where the values of the others are known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import raise_by_rows, raise_row
from treewhile.oracles.kernels.values import Longs
from treewhile.oracles.trees.kernels.agendas import add, empty_agenda, take


class Chart(NamedTuple):
    """Best values of a head over one span, and over two spans with a gap between."""

    spans: Any  # [i, j, head]
    pairs: Any  # [row, head]
    first_row: Longs  # [i, j]: first row of the pairs from i to j, by the end of the first span


@kernel
def empty_chart(n, scores):
    """Return a chart for n words; its values have the type of the scores."""
    first_row, rows = np.zeros((n + 2, n + 2), np.int64), 0
    for j in range(1, n + 1):
        for i in range(1, j + 1):
            first_row[i, j] = rows
            rows += (j - i) * (j - i - 1) // 2
    return Chart(
        np.empty((n + 1, n + 1, n + 1), scores.dtype), np.empty((rows, n + 1), scores.dtype), first_row
    )


@helper
def row_of(first_row, i, k, m, j):
    """Return the row of a pair i..k and m..j: by k, then by m."""
    return first_row[i, j] + (k - i) * (j - i - 1) - (k - i) * (k - i - 1) // 2 + m - k - 2


@kernel
def widen_pairs(chart, row, i, k, m, j, begin, end):
    """Improve a pair by more children of the head at one of the pair's four ends."""
    spans, pairs, first_row = chart.spans, chart.pairs, chart.first_row
    for at in range(i + 1, k + 1):
        raise_by_rows(pairs, row, spans[i], at - 1, pairs, row_of(first_row, at, k, m, j), begin, end)
    for at in range(i, k):
        raise_by_rows(pairs, row, spans[at + 1], k, pairs, row_of(first_row, i, at, m, j), begin, end)
    for at in range(m + 1, j + 1):
        raise_by_rows(pairs, row, spans[m], at - 1, pairs, row_of(first_row, i, k, at, j), begin, end)
    for at in range(m, j):
        raise_by_rows(pairs, row, spans[at + 1], j, pairs, row_of(first_row, i, k, m, at), begin, end)


@helper
def whole_pair(chart, row, i, k, m, j, x):
    """Return the best value below x in the pair: by a child that has words in both spans, or by none."""
    apart = chart.pairs.dtype.type(chart.spans[i, k, x] + chart.spans[m, j, x])
    return max(chart.pairs[row, x], apart)


@kernel
def hang_pair(chart, scores, row, i, k, m, j, first, last, begin):
    """Improve the pair by one child, from first to last, of a head outside the pair."""
    end = scores.shape[0]
    for x in range(first, last + 1):
        value = whole_pair(chart, row, i, k, m, j, x)
        if value > -np.inf:
            raise_row(chart.pairs, row, scores, x, value, begin, i)
            raise_row(chart.pairs, row, scores, x, value, max(begin, k + 1), m)
            raise_row(chart.pairs, row, scores, x, value, max(begin, j + 1), end)


@kernel
def fill_pairs(chart, scores, i, j, begin, flag):
    """Fill all pairs from i to j, and their values with the gap filled; return False if interrupted."""
    pairs, spans, end = chart.pairs, chart.spans, scores.shape[0]
    for k in range(i, j - 1):
        for m in range(j, k + 1, -1):
            if flag[0]:
                return False
            row = row_of(chart.first_row, i, k, m, j)
            pairs[row, begin:end] = -np.inf
            widen_pairs(chart, row, i, k, m, j, begin, end)
            hang_pair(chart, scores, row, i, k, m, j, i, k, begin)
            hang_pair(chart, scores, row, i, k, m, j, m, j, begin)
            raise_by_rows(spans[i], j, pairs, row, spans[k + 1], m - 1, begin, end)
    return True


@kernel
def fill_span(chart, scores, i, j, begin):
    """Fill the span from i to j, whose pairs are filled."""
    spans, end = chart.spans, scores.shape[0]
    for k in range(i, j):
        raise_by_rows(spans[i], j, spans[i], k, spans[k + 1], j, begin, end)
    if i == j:
        spans[i, i, i] = 0
    else:
        spans[i, j, i], spans[i, j, j] = spans[i + 1, j, i], spans[i, j - 1, j]
    for x in range(i, j + 1):
        for head in range(begin, end):
            if head < i or head > j:
                value = spans.dtype.type(scores[x, head] + spans[i, j, x])
                spans[i, j, head] = max(spans[i, j, head], value)


@kernel
def fill_chart(chart, scores, kept, flag):
    """Fill the chart by scores[dependent, head] but for values that concern the first `kept` words alone.

    Return False if interrupted.
    """
    for j in range(1, scores.shape[0]):
        begin = kept + 1 if j <= kept else 0
        for i in range(j, 0, -1):
            if flag[0]:
                return False
            chart.spans[i, j, begin : scores.shape[0]] = -np.inf
            if not fill_pairs(chart, scores, i, j, begin, flag):
                return False
            fill_span(chart, scores, i, j, begin)
    return True


@kernel
def copy_words(chart, larger, n, flag):
    """Copy the values that concern the first n words; return False if interrupted."""
    for j in range(1, n + 1):
        for i in range(1, j + 1):
            if flag[0]:
                return False
            larger.spans[i, j, : n + 1] = chart.spans[i, j, : n + 1]
            for row in range(chart.first_row[i, j], chart.first_row[i, j] + (j - i) * (j - i - 1) // 2):
                larger.pairs[row, : n + 1] = chart.pairs[row, : n + 1]
    return True


# --- the tree -----------------------------------------------------------------------------------------------


@kernel
def divide_span(chart, scores, todo, heads, p, i, j, flag):
    """Take a span apart."""
    spans, pairs = chart.spans, chart.pairs
    value = spans[i, j, p]
    for k in range(i, j):
        if spans[i, k, p] + spans[k + 1, j, p] == value:
            add(todo, p, i, 0, 0, k)
            add(todo, p, k + 1, 0, 0, j)
            return
    for x in range(i, j + 1):
        if (p < i or p > j) and scores[x, p] + spans[i, j, x] == value:
            heads[x] = p
            add(todo, x, i, 0, 0, j)
            return
    for k in range(i, j - 1):
        if flag[0]:
            return
        for m in range(k + 2, j + 1):
            if pairs[row_of(chart.first_row, i, k, m, j), p] + spans[k + 1, m - 1, p] == value:
                add(todo, p, i, k, m, j)
                add(todo, p, k + 1, 0, 0, m - 1)
                return


@kernel
def narrow_pair(chart, todo, p, i, k, m, j):
    """Take children off one of the ends of a pair; return whether there are any."""
    spans, pairs, first_row = chart.spans, chart.pairs, chart.first_row
    value = pairs[row_of(first_row, i, k, m, j), p]
    for at in range(i + 1, k + 1):
        if spans[i, at - 1, p] + pairs[row_of(first_row, at, k, m, j), p] == value:
            add(todo, p, i, 0, 0, at - 1)
            add(todo, p, at, k, m, j)
            return True
    for at in range(m, j):
        if spans[at + 1, j, p] + pairs[row_of(first_row, i, k, m, at), p] == value:
            add(todo, p, at + 1, 0, 0, j)
            add(todo, p, i, k, m, at)
            return True
    for at in range(i, k):
        if spans[at + 1, k, p] + pairs[row_of(first_row, i, at, m, j), p] == value:
            add(todo, p, at + 1, 0, 0, k)
            add(todo, p, i, at, m, j)
            return True
    for at in range(m + 1, j + 1):
        if spans[m, at - 1, p] + pairs[row_of(first_row, i, k, at, j), p] == value:
            add(todo, p, m, 0, 0, at - 1)
            add(todo, p, i, k, at, j)
            return True
    return False


@kernel
def divide_pair(chart, scores, todo, heads, p, i, k, m, j):
    """Take a pair apart that is one child of its head."""
    row = row_of(chart.first_row, i, k, m, j)
    for x in range(i, j + 1):
        if k < x < m or scores[x, p] + whole_pair(chart, row, i, k, m, j, x) != chart.pairs[row, p]:
            continue
        heads[x] = p
        if chart.spans[i, k, x] + chart.spans[m, j, x] >= chart.pairs[row, x]:
            add(todo, x, i, 0, 0, k)
            add(todo, x, m, 0, 0, j)
        else:
            add(todo, x, i, k, m, j)
        return


@kernel
def only_root(chart, scores):
    """Return the word that is best as the single root, or 0."""
    n = scores.shape[0] - 1
    best, found = scores.dtype.type(-np.inf), 0
    for x in range(1, n + 1):
        value = scores.dtype.type(scores[x, 0] + chart.spans[1, n, x])
        if value > best:
            best, found = value, x
    return found


@kernel
def write_heads(chart, scores, single_root, heads, flag):
    """Write the heads of the best tree: none without a tree, and only some if interrupted."""
    n = heads.size - 1
    todo = empty_agenda(2 * n + 1)  # head, i, k, m and j; spans have no k and m
    if single_root:
        root = only_root(chart, scores)
        if root:
            heads[root] = 0
            add(todo, root, 1, 0, 0, n)
    elif chart.spans[1, n, 0] > -np.inf:
        add(todo, 0, 1, 0, 0, n)
    while todo[0, 0] and not flag[0]:
        p, i, k, m, j = take(todo)
        if k == 0:
            i, j = (i + 1 if p == i else i), (j - 1 if p == j else j)
            if i <= j:
                divide_span(chart, scores, todo, heads, p, i, j, flag)
        elif not narrow_pair(chart, todo, p, i, k, m, j):
            divide_pair(chart, scores, todo, heads, p, i, k, m, j)
