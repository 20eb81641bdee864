"""Columns of a chart over a binarized grammar: all cells that end with one word, for best trees and for sums.

A rule joins two cells: its *spine* child, the only one that may be incomplete, and its *sibling*, which is
complete. Left-binarized grammars have the spine on the left, others on the right, and that is all in which they
differ. The recurrence stands in `grammar_charts`, the layout of rules and cells in `chart_rules` and
`chart_cells`.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.constituents.chart_cells import MIDPOINTS, OPEN, PARTLY_OPEN, WORD, WORD_OF_TAGS
from treewhile.oracles.constituents.chart_rules import BEST


@helper
def zero(code):
    return -np.inf if code == BEST else 0.0


@helper
def times(code, a, b):
    return a + b if code == BEST else a * b


# --- which cells make up a cell -----------------------------------------------------------------------------


@kernel
def cell_at(cells, begin, end):
    """The cell over begin..end, which has to be there."""
    low, high = cells.first[end], cells.first[end + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if cells.begin[middle] < begin:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find_pairs(rules, cells, cell, ends, pairs):
    """How many pairs (spine, sibling) of cells make up a cell; they are put in `pairs`, by growing midpoints.

    A sibling is complete: it is one word, or begins and ends where constituents may, and a cell that is not
    open has none but one word. `ends` are the words that may end a constituent.
    """
    begin, end = cells.begin[cell], cells.end[cell]
    word, found = cells.first[end + 1] - 1, 0
    if rules.spine_is_left:
        if cells.is_open[cell]:
            for sibling in range(cell + 1, word):
                pairs[found, 0] = cell_at(cells, begin, cells.begin[sibling] - 1)
                pairs[found, 1] = sibling
                found += 1
        pairs[found, 0], pairs[found, 1] = cell_at(cells, begin, end - 1), word
        return found + 1
    pairs[0, 0], pairs[0, 1] = cell + 1, cells.first[begin + 1] - 1
    if cells.is_open[cell]:
        for at in range(np.searchsorted(ends, begin + 1), np.searchsorted(ends, end)):
            found += 1
            pairs[found, 0] = cells.first[end] + ends[at] + 1
            pairs[found, 1] = cells.first[ends[at]] + begin
    return found + 1


# --- what two cells make ------------------------------------------------------------------------------------


@helper
def add_way(code, sums, way, symbol, touched, count):
    """One more way to a symbol; how many symbols have been reached."""
    before = sums[symbol]
    if code == BEST:
        if way > before:
            sums[symbol] = way
            if before == -np.inf:
                touched[count] = symbol
                count += 1
    elif way > 0:
        sums[symbol] = before + way
        if before == 0:
            touched[count] = symbol
            count += 1
    return count


@helper
def add_ways(code, rules, child, value, siblings, is_word, sums, touched, count):
    """All that a spine child makes with the siblings in a cell."""
    stop = rules.first[child + 1] if is_word else rules.first_with_tag[child]
    for rule in range(rules.first[child], stop):
        way = times(code, times(code, value, rules.weight[rule]), siblings[rules.sibling[rule]])
        count = add_way(code, sums, way, rules.parent[rule], touched, count)
    return count


@kernel
def join_cells(code, rules, cells, spine, sibling, scale, sums, touched, count):
    """All that the symbols of a spine make with those of a sibling; how many symbols have been reached."""
    siblings, is_word = cells.complete[sibling], cells.begin[sibling] == cells.end[sibling]
    for child in range(rules.complete if cells.begin[spine] == cells.end[spine] else rules.phrases):
        if cells.complete[spine, child] != zero(code):
            value = times(code, cells.complete[spine, child], scale)
            count = add_ways(code, rules, child, value, siblings, is_word, sums, touched, count)
    for at in range(cells.first_entry[spine], cells.first_entry[spine] + cells.entries[spine]):
        value = times(code, cells.value[at], scale)
        count = add_ways(code, rules, cells.symbol[at], value, siblings, is_word, sums, touched, count)
    return count


# --- cells --------------------------------------------------------------------------------------------------


@kernel
def add_chains(code, rules, cells, cell, sums):
    """Unary chains on top of the complete symbols of a cell."""
    row, below = cells.complete[cell], cells.below[cell]
    for bottom in range(rules.complete):
        below[bottom], sums[bottom] = bottom, row[bottom]
    for bottom in range(rules.complete):
        if sums[bottom] != zero(code):
            for chain in range(rules.first_chain[bottom], rules.first_chain[bottom + 1]):
                top, way = rules.chain_top[chain], times(code, sums[bottom], rules.chain_weight[chain])
                if code != BEST:
                    row[top] += way
                elif way > row[top]:
                    row[top], below[top] = way, bottom
    sums[: rules.complete] = zero(code)


@kernel
def settle(code, cells, cell, offset):
    """Sums are told as multiples of the greatest in their cell, whose logarithm is the offset of the cell."""
    row = cells.complete[cell]
    values = cells.value[cells.first_entry[cell] : cells.first_entry[cell] + cells.entries[cell]]
    greatest = row.max()
    if values.size > 0:
        greatest = max(greatest, values.max())
    if greatest == zero(code):
        cells.offset[cell] = -np.inf
    elif code == BEST:
        cells.offset[cell] = 0
    else:
        row /= greatest
        values /= greatest
        cells.offset[cell] = offset + np.log(greatest)


@kernel
def fill_word(code, rules, cells, cell, lexical, sums):
    """The cell of a word, whose symbols have the scores `lexical`."""
    offset = 0.0
    if code != BEST:
        offset = lexical.max()
        if offset == -np.inf:
            lexical = np.zeros_like(lexical)
        else:
            lexical = np.exp(lexical - offset)
    cells.complete[cell] = lexical
    cells.entries[cell] = 0
    for symbol in range(rules.complete):
        cells.below[cell, symbol] = symbol
    if cells.is_open[cell]:
        add_chains(code, rules, cells, cell, sums)
    settle(code, cells, cell, offset)


@kernel
def keep_symbols(code, rules, cells, cell, sums, touched, count):
    """Moves what was reached into the cell, which begins at its first entry; the next free entry."""
    entry = cells.first_entry[cell]
    cells.complete[cell] = zero(code)
    for at in range(count):
        symbol = touched[at]
        if symbol >= rules.complete:
            cells.symbol[entry], cells.value[entry] = symbol, sums[symbol]
            entry += 1
        elif cells.is_open[cell]:
            cells.complete[cell, symbol] = sums[symbol]
        sums[symbol] = zero(code)
    cells.entries[cell] = entry - cells.first_entry[cell]
    if cells.is_open[cell]:
        add_chains(code, rules, cells, cell, sums)
    return entry


@kernel
def greatest_offset(cells, pairs, found):
    """The greatest product of greatest values, over pairs of cells; -inf where there is nothing to join."""
    greatest = -np.inf
    for at in range(found):
        greatest = max(greatest, cells.offset[pairs[at, 0]] + cells.offset[pairs[at, 1]])
    return greatest


@kernel
def fill_cell(code, rules, cells, cell, ends, scratch, counts):
    """A cell over several words; the next free entry."""
    sums, touched, pairs = scratch
    found, count = find_pairs(rules, cells, cell, ends, pairs), 0
    counts[MIDPOINTS] += found
    offset = greatest_offset(cells, pairs, found)
    for at in range(found):
        spine, sibling = pairs[at]
        scale = cells.offset[spine] + cells.offset[sibling] - offset
        if scale > -np.inf:  # neither of them is empty
            scale = 0.0 if code == BEST else np.exp(scale)
            count = join_cells(code, rules, cells, spine, sibling, scale, sums, touched, count)
    entry = keep_symbols(code, rules, cells, cell, sums, touched, count)
    settle(code, cells, cell, offset)
    return entry


@kernel
def fill_column(code, rules, cells, end, lexical, ends, entry, scratch, counts, interrupt):
    """Fills all cells that end with a word, from the next free entry on; the one after, or -1 if interrupted."""
    first, word = cells.first[end], cells.first[end + 1] - 1
    fill_word(code, rules, cells, word, lexical, scratch[0])
    counts[WORD if cells.is_open[word] else WORD_OF_TAGS] += 1
    cells.first_entry[word] = entry
    for cell in range(word - 1, first - 1, -1):
        if interrupt[0]:
            return -1
        cells.first_entry[cell] = entry
        counts[OPEN if cells.is_open[cell] else PARTLY_OPEN] += 1
        entry = fill_cell(code, rules, cells, cell, ends, scratch, counts)
    return entry
