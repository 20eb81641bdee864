"""The column of what is open: constituents that begin with a word and go on after the last one.

Its cells are laid out as if there were one word more, whose cell has all that may come. So what two cells
make is found as in any column; the recurrence stands in `open_derivations`.
"""

from __future__ import annotations

from treewhile.oracles.compilation import kernel
from treewhile.oracles.constituents.chart_rules import BEST
from treewhile.oracles.constituents.kernels.columns import (
    join_pairs,
    list_complete,
    move_symbols,
    settle,
    times,
    zero,
)
from treewhile.oracles.constituents.kernels.derivations import best_way_down, room_for_nodes, trace_nodes

MOST_ROUNDS = 10_000
GREATEST_SUM = 1e300  # of what comes to an end
SMALLEST_SHARE = 1e-17  # of a sum that is worth another round


@kernel
def fill_future(code, rules, cells, cell, entry):
    """All symbols are still to come, with a chance of one; the next free entry."""
    one = 0.0 if code == BEST else 1.0
    cells.first_entry[cell], cells.offset[cell] = entry, 0
    cells.complete[cell] = one
    for symbol in range(rules.complete, rules.symbols):
        cells.symbol[entry], cells.value[entry] = symbol, one
        entry += 1
    return list_complete(code, rules, cells, cell, entry)


@kernel
def find_corners(code, corners, fresh, found, by):
    """What open symbols make as left corners, all else being to come, and by which of them the best comes."""
    found[:] = zero(code)
    first, parents, weights = corners
    for symbol in range(fresh.size):
        if fresh[symbol] != zero(code):
            for corner in range(first[symbol], first[symbol + 1]):
                parent, way = parents[corner], times(code, fresh[symbol], weights[corner])
                if code != BEST:
                    found[parent] += way
                elif way > found[parent]:
                    found[parent], by[parent] = way, symbol


@kernel
def close_corners(code, corners, sums, fresh, found, by, via):
    """Open symbols grow by all chains of left corners; whether that comes to an end. Seeds are in `sums`.

    `via` becomes the next symbol below each, -1 where its best way is not by a corner.
    """
    fresh[:] = sums
    via[:] = -1
    for _ in range(MOST_ROUNDS):
        find_corners(code, corners, fresh, found, by)
        is_done = True
        for symbol in range(sums.size):
            if code == BEST:
                is_fresh = found[symbol] > sums[symbol]
                if is_fresh:
                    sums[symbol], via[symbol] = found[symbol], by[symbol]
            else:
                sums[symbol] += found[symbol]
                if sums[symbol] > GREATEST_SUM:
                    return False
                is_fresh = found[symbol] > SMALLEST_SHARE * sums[symbol]
            fresh[symbol] = found[symbol] if is_fresh else zero(code)
            is_done = is_done and not is_fresh
        if is_done:
            return True
    return False


@kernel
def fill_open_cell(code, rules, corners, cells, cell, ends, entry, scratch, rounds, via, counts):
    """What is open from a word on; the next free entry, or -1 if left corners do not add up."""
    sums, touched, _ = scratch
    count, offset = join_pairs(code, rules, cells, cell, ends, scratch, counts)
    if cells.is_open[cell]:
        if not close_corners(code, corners, sums, rounds[0], rounds[1], touched, via):
            sums[:] = zero(code)
            return -1
        count = 0
        for symbol in range(sums.size):
            if sums[symbol] != zero(code):
                touched[count] = symbol
                count += 1
    else:
        via[:] = -1
    entry = move_symbols(code, rules, cells, cell, entry, sums, touched, count)
    entry = list_complete(code, rules, cells, cell, entry)
    settle(code, cells, cell, offset)
    return entry


@kernel
def fill_open_column(code, rules, corners, cells, end, ends, entry, scratch, rounds, via, counts):
    """Fills the column after the last word, and via[cell of it, symbol]; whether left corners add up."""
    first, future = cells.first[end], cells.first[end + 1] - 1
    entry = fill_future(code, rules, cells, future, entry)
    for cell in range(future - 1, first - 1, -1):
        below = via[cell - first]
        entry = fill_open_cell(code, rules, corners, cells, cell, ends, entry, scratch, rounds, below, counts)
        if entry < 0:
            return False
    return True


@kernel
def trace_open(rules, cells, end, symbol, ends, scratch, via):
    """The nodes of the best tree of what is open from the first word on, parents first.

    [node, (symbol, begin, end)], where `end` is a word more than there are for what is open.
    """
    nodes, count = room_for_nodes(rules, end + 1), 0
    first, cell = cells.first[end], cells.first[end]
    while cells.begin[cell] < end:
        nodes[count, 0], nodes[count, 1], nodes[count, 2] = symbol, cells.begin[cell], end
        count += 1
        below = via[cell - first, symbol]
        if below >= 0:
            symbol = below
            continue
        spine, sibling, rule = best_way_down(rules, cells, cell, symbol, ends, scratch)
        on_spine, beside = (rules.spine_below[rule], spine), (rules.sibling_below[rule], sibling)
        left, right = (on_spine, beside) if rules.spine_is_left else (beside, on_spine)
        count = trace_nodes(rules, cells, left[1], left[0], ends, scratch, nodes, count)
        symbol, cell = right
    return nodes[:count]
