"""Best sets of scored spans by right ends; the recurrence stands in `span_trees`."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.rows import improve


@kernel
def fill_columns(scores, chart, begin, end, interrupt):
    """Fill the columns of right ends from `begin` to before `end`; return the first column left.

    chart[last, first] is the best sum of spans within a span. A last span with a score of 0 or less never
    pays, so that only spans with higher scores are tried.
    """
    none = chart.dtype.type(0)
    for last in range(begin, end):
        if interrupt[0]:
            return last
        row = chart[last, : last + 1]
        row[:] = none
        for first in range(last, -1, -1):
            row[first] += max(scores[first, last], none)
            if first > 0 and (first == last or scores[first, last] > 0):
                improve(row[:first], row[first], chart[first - 1, :first])
    return end


@kernel
def trace_spans(scores, chart, words):
    """Return the spans [span, (first, last)] of the best set, outer before inner, left before right."""
    spans, found = np.empty((2 * words, 2), np.int32), 0
    todo = [(0, words - 1)]
    while len(todo) > 0:
        first, last = todo.pop()
        if scores[first, last] > 0:
            spans[found, 0], spans[found, 1] = first, last
            found += 1
        if first == last:
            continue
        inner, best = last, chart[last - 1, first] + chart[last, last]
        for k in range(last - 1, first, -1):
            if scores[k, last] > 0:
                way = chart[k - 1, first] + chart[last, k]
                if way > best:
                    inner, best = k, way
        todo.append((inner, last))
        todo.append((first, inner - 1))
    return spans[:found]
