"""Columns of items at whose right end stands a virtual node or LATER: see `mh4_arc_decoding`.

A virtual node is two places, `free` and behind it the one with a dependent for certain; `before` leads from
the second to the first. All other places are plain, but for the root.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.trees.kernels.four_heads import hang_inner_nodes, keep_item, place_after, place_before


@helper
def larger(a, b):
    return a if a > b else b


@helper
def hang_beside_virtual(row, triples, pairs, before, i, j, virtual, stop, ends, weight):
    """Improve row[m] = T(., m, .) by attaching a or b of Q(i, a, b, j), where b is a virtual node.

    `virtual` is the first virtual place. A free node stands in its second place once it has a dependent.
    """
    for a in range(place_after(before, i), stop):
        x, next_place = before[a], place_after(before, a)
        for b in range(max(next_place, virtual), stop):
            y = before[b]
            at_a = larger(pairs[i, a] + triples[j, x, b], pairs[i, x] + triples[j, a, b])
            at_b = larger(triples[i, a, y] + pairs[j, b], triples[i, a, b] + pairs[j, y])
            whole = larger(at_a, at_b)
            a_hangs, b_hangs = whole + weight[b, a], whole + weight[a, b]
            row[a] = larger(row[a], larger(b_hangs, whole + ends[b]))
            row[b] = larger(row[b], larger(a_hangs, whole + ends[a]))
            if next_place == a + 2:
                row[a + 1] = larger(row[a + 1], b_hangs)
            if y == b and place_after(before, b) == b + 2:
                row[b + 1] = larger(row[b + 1], a_hangs)


@kernel
def hang_all(row, triples, pairs, before, i, j, virtual, stop, ends, weight, by_dependent):
    """Improve row[m] = T(., m, .) by attaching a or b of Q(i, a, b, j)."""
    plain = min(virtual, stop)
    hang_inner_nodes(row, triples, pairs, i, j, place_after(before, i), plain, ends, weight, by_dependent)
    hang_beside_virtual(row, triples, pairs, before, i, j, virtual, stop, ends, weight)


@helper
def join_pairs(row, ends, pairs, before, weight, i, j, stop):
    """Write row[m] = T(i, m, j) by its joints, and ends[m] by the edges that leave an end unchanged."""
    for m in range(place_after(before, i), stop):
        x = before[m]
        row[m] = larger(pairs[i, m] + pairs[x, j], pairs[i, x] + pairs[m, j])
        ends[m] = -np.inf
        if before[i] == i:
            ends[m] = weight[i, m]
        if before[j] == j:
            ends[m] = max(ends[m], weight[j, m])


@kernel
def fill_virtual_columns(
    weight, by_dependent, before, start, is_open, order, pairs, triples, virtual, interrupt
):
    """Fill P(i, j) and T(i, m, j) for all j from `virtual`, the first virtual place; False if interrupted.

    order has the left ends from right to left, a place behind the one before it.
    """
    size = len(weight)
    row, ends = np.empty(size, weight.dtype), np.empty(size, weight.dtype)
    nothing = np.full_like(weight, -np.inf)
    for j in range(virtual, size):
        stop = place_before(before, j) + 1
        for i in order:
            if i >= stop:
                continue
            if interrupt[0]:
                return False
            join_pairs(row, ends, pairs, before, weight, i, j, stop)
            if is_open[i, j]:
                hang_all(row, triples, pairs, before, i, j, virtual, stop, ends, weight, by_dependent)
            best = start[i, j]
            for head, left, right in ((i, before[i], j), (j, i, before[j])):
                if left != i or right != j:
                    gain = weight[head]
                    if is_open[i, j]:
                        hang_all(
                            row, triples, pairs, before, left, right, virtual, stop, gain, nothing, nothing
                        )
                    for m in range(place_after(before, i), stop):
                        best = max(best, triples[right, left, m] + gain[m])
            keep_item(row, ends, pairs, triples, i, j, place_after(before, i), stop, best)
    return True
