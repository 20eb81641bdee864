"""Chart of gap-minding trees with scores of siblings, and the best tree in it.

Indices are as in `treewhile.oracles.trees.gap_minding_siblings`, whose reference computes the same slowly.
Tables of triples have a row for each head and two of its marks. A row [j, ...] holds all spans that end in j.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import raise_row
from treewhile.oracles.kernels.values import Ints, Longs


class Sentence(NamedTuple):
    """Possible children of each head, with scores beside inner siblings."""

    mark: Ints  # [place]: the marks of each head, in order: the head itself and the possible dependents
    first: Longs  # [head]: first place of its marks; one more than there are heads
    triples: Longs  # [head]: first triple; one more than there are heads
    weight: Any  # [triple]: score of the edge to the second mark where the first is its inner sibling
    rests: Longs  # [place]: first rest of a child; one more than there are places


class Chart(NamedTuple):
    """Spans that end in each word; -inf where impossible."""

    whole: Any  # [j, triple, i]: head, mark before i, mark behind j
    left: Any  # [j, place, i]: the best of `whole` by the mark behind j
    right: Any  # [j, place, i]: the best of `whole` by the mark before i
    gaps: Any  # [j, triple, i]: the gap of a child and the other mark, with the edge where it is known


class Column(NamedTuple):
    """Values of the spans that end in one word, beside the chart."""

    rests: Any  # [rest, a]: child, other mark, mark of the child: the value of a span from a on
    blocks: Any  # [triple, i]: child with a gap on its outer side and the mark beyond it, without the edge
    full: Any  # [word]: the best of the current span, by heads inside


@helper
def triple(sentence, head, a, b):
    """Return the row of a head and two of its marks, by places."""
    first = sentence.first[head]
    return sentence.triples[head] + (a - first) * (sentence.first[head + 1] - first) + b - first


@helper
def rest_row(sentence, head, child, f, m):
    """Return the row of a child (by its place), a mark of its head and a mark of its own."""
    x = sentence.mark[child]
    width = sentence.first[x + 1] - sentence.first[x]
    return sentence.rests[child] + (f - sentence.first[head]) * width + m - sentence.first[x]


@kernel
def end_at_head(chart, sentence, p, i, j):
    """Fill the span with the head at one end, which is its mark there, by the span without the head."""
    begin, end = sentence.first[p], sentence.first[p + 1]
    own = begin
    while sentence.mark[own] != p:
        own += 1
    for other in range(begin, end):
        if p == i:
            at = triple(sentence, p, own, other)
            inner = chart.whole[j, at, i + 1] if i < j else -np.inf
        else:
            at = triple(sentence, p, other, own)
            inner = chart.whole[j - 1, at, i]
        chart.whole[j, at, i] = inner
    if i == j:
        chart.whole[j, triple(sentence, p, own, own), i] = 0


@kernel
def take_inside(chart, column, sentence, i, j):
    """Fill the spans whose head is inside."""
    for p in range(i, j + 1):
        if p in (i, j):
            end_at_head(chart, sentence, p, i, j)
        best = column.full.dtype.type(-np.inf)
        for at in range(sentence.triples[p], sentence.triples[p + 1]):
            best = max(best, chart.whole[j, at, i])
        column.full[p] = best


@kernel
def take_outside(chart, column, sentence, p, i, j, flag):
    """Improve the spans beside the head by one child, or by one child whose gap is beyond it."""
    begin, end = sentence.first[p], sentence.first[p + 1]
    for child in range(begin, end):
        x = sentence.mark[child]
        if flag[0] or not i <= x <= j:
            continue
        for inner in range(begin, end):
            u = sentence.mark[inner]
            if not (p <= u < i or j < u <= p):
                continue
            weight = sentence.weight[triple(sentence, p, inner, child)]
            for f in range(begin, end):
                if not i <= sentence.mark[f] <= j:
                    continue
                value = column.blocks[triple(sentence, p, child, f), i]
                if f == child:
                    value = max(value, column.full[x])
                at = triple(sentence, p, inner, f) if p < i else triple(sentence, p, f, inner)
                value = chart.whole.dtype.type(value + weight)
                chart.whole[j, at, i] = max(chart.whole[j, at, i], value)


@kernel
def sum_up(chart, sentence, p, i, j):
    """Fill the best values of a span by one of its marks."""
    begin, end = sentence.first[p], sentence.first[p + 1]
    for a in range(begin, end):
        for b in range(begin, end):
            value = chart.whole[j, triple(sentence, p, a, b), i]
            chart.right[j, a, i] = max(chart.right[j, a, i], value)
            chart.left[j, b, i] = max(chart.left[j, b, i], value)


@helper
def is_beyond(p, x, i, j):
    """Return whether a child beside the span i..j is on the side where p is not."""
    return p >= i if x < i else p <= j


@kernel
def gap_value(chart, sentence, p, child, f, i, j):
    """Return the value of i..j as the gap of a child, with a mark that is not next to the gap."""
    x, begin, end = sentence.mark[child], sentence.first[p], sentence.first[p + 1]
    if not is_beyond(p, x, i, j):
        at = triple(sentence, p, child, f) if x < i else triple(sentence, p, f, child)
        return chart.whole[j, at, i]
    best = chart.whole.dtype.type(-np.inf)
    for inner in range(begin, end):
        at = triple(sentence, p, inner, f) if x < i else triple(sentence, p, f, inner)
        weight = sentence.weight[triple(sentence, p, inner, child)]
        best = max(best, chart.whole.dtype.type(chart.whole[j, at, i] + weight))
    return best


@helper
def is_other_mark(p, x, mark, i, j):
    """Return whether i..j, as the gap of x beside it, can have this mark on the other side."""
    if x < i:
        return mark > j if p > j else i <= mark <= j or mark == p
    return mark < i if p < i else i <= mark <= j or mark == p


@kernel
def open_gaps(chart, sentence, p, i, j, flag):
    """Fill the values of a span as the gap of each child outside it."""
    for child in range(sentence.first[p], sentence.first[p + 1]):
        x = sentence.mark[child]
        if not flag[0] and x != p and (x < i or x > j):
            for f in range(sentence.first[p], sentence.first[p + 1]):
                if not is_other_mark(p, x, sentence.mark[f], i, j):
                    continue
                chart.gaps[j, triple(sentence, p, child, f), i] = gap_value(
                    chart, sentence, p, child, f, i, j
                )


@kernel
def extend_left(chart, sentence, p, b, j, flag):
    """Push the span from b to j of a head as the last part of longer spans."""
    begin, end = sentence.first[p], sentence.first[p + 1]
    for m in range(begin, end):
        for v in range(begin, end):
            value = chart.whole[j, triple(sentence, p, m, v), b]
            if flag[0] or value == -np.inf:
                continue
            for u in range(begin, end):
                if sentence.mark[u] <= sentence.mark[m]:
                    before, after = triple(sentence, p, u, m), triple(sentence, p, u, v)
                    raise_row(chart.whole[j], after, chart.whole[b - 1], before, value, 1, b)


@helper
def can_follow(p, x, mark, b, j):
    """Return whether a gap up to b - 1 of x, which ends in j, can have this mark."""
    return mark > j if x < b and p > j else mark < b


@kernel
def pass_child(chart, column, sentence, p, child, b, j):
    """Push the span from b to j as the end of a child with a gap before it.

    With the gap from b - 1 on the end is complete, and gets the child's first part, up to b - 2.
    """
    x, a = sentence.mark[child], b - 1
    is_outside, is_outer = p < b or p > j, is_beyond(p, x, a, j)
    first, end = 2, b
    if x < b:
        first = x + 1
        if x < p < b:
            end = p + 1
    lowest, behind = p + 1 if p < a else 1, x + 1 if x < a else a
    for m in range(sentence.first[x], sentence.first[x + 1]):
        if not min(x, b) <= sentence.mark[m] <= max(x, a):
            continue
        part = chart.right[j, m, b]
        for f in range(sentence.first[p], sentence.first[p + 1]):
            row, at, mark = (
                rest_row(sentence, p, child, f, m),
                triple(sentence, p, child, f),
                sentence.mark[f],
            )
            if is_outside and part > -np.inf and can_follow(p, x, mark, b, j):
                raise_row(column.rests, row, chart.gaps[a], at, part, first, end)
            value = column.rests[row, a]
            if value == -np.inf:
                continue
            if not is_outer:
                raise_row(column.blocks, at, chart.left[a - 1], m, value, lowest, behind)
            elif x < a:
                raise_row(chart.whole[j], at, chart.left[a - 1], m, value, lowest, behind)
            else:
                least = max(lowest, mark + 1) if p < a else lowest
                at = triple(sentence, p, f, child)
                raise_row(chart.whole[j], at, chart.left[a - 1], m, value, least, behind)


@kernel
def pass_left(chart, column, sentence, p, i, j, flag):
    """Push the values of a span to all spans of which it is a part; return False if interrupted."""
    extend_left(chart, sentence, p, i, j, flag)
    for child in range(sentence.first[p], sentence.first[p + 1]):
        if flag[0]:
            return False
        if sentence.mark[child] != p and sentence.mark[child] <= j:
            pass_child(chart, column, sentence, p, child, i, j)
    return True


@kernel
def clear(chart, column, sentence, j, flag):
    """Clear a column; return False if interrupted."""
    never = chart.whole.dtype.type(-np.inf)
    for p in range(sentence.first.size - 1):
        for at in range(sentence.triples[p], sentence.triples[p + 1]):
            if flag[0]:
                return False
            chart.whole[j, at, : j + 1] = chart.gaps[j, at, : j + 1] = never
            column.blocks[at, : j + 1] = never
        for place in range(sentence.first[p], sentence.first[p + 1]):
            chart.left[j, place, : j + 1] = chart.right[j, place, : j + 1] = never
            if flag[0]:
                return False
            column.rests[sentence.rests[place] : sentence.rests[place + 1], : j + 1] = never
    return True


@kernel
def fill_chart(chart, column, sentence, flag):
    """Fill the chart; return False if interrupted."""
    nodes = sentence.first.size - 1
    for j in range(1, nodes):
        if not clear(chart, column, sentence, j, flag):
            return False
        for i in range(j, 0, -1):
            if flag[0]:
                return False
            take_inside(chart, column, sentence, i, j)
            for p in range(nodes):
                if flag[0]:
                    return False
                if p < i or p > j:
                    take_outside(chart, column, sentence, p, i, j, flag)
                sum_up(chart, sentence, p, i, j)
                open_gaps(chart, sentence, p, i, j, flag)
            for p in range(nodes if i > 1 else 0):
                if not pass_left(chart, column, sentence, p, i, j, flag):
                    return False
    return True
