"""Columns of a chart over a binarized grammar, all cells that end with one word; and the best tree.

A rule joins two cells: its *spine* child, the only one that may be incomplete, and its *sibling*, which is
complete. Left-binarized grammars have the spine on the left, others on the right; there is no other
difference. The recurrence stands in `grammar_charts`, the layout of rules and cells in `grammars` and
`chart_cells`.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.constituents.chart_cells import MIDPOINTS, OPEN, PARTLY_OPEN, WORD, WORD_OF_TAGS

# --- which cells make up a cell -----------------------------------------------------------------------------


@kernel
def cell_at(cells, begin, end):
    """Return the cell over begin..end, which has to exist."""
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
    """Write the pairs (spine, sibling) that make up a cell, by growing midpoints; return their number.

    A sibling is complete: it is one word, or begins and ends where constituents may, and the only sibling of
    a cell that is not open is one word. `ends` are the words that may end a constituent.
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


@kernel
def join_cells(rules, cells, spine, sibling, best, touched, count):
    """Join the symbols of a spine with those of a sibling; return the number of symbols reached so far.

    Most of the time is spent here: arrays are taken out of their tuples before the loops, which is ten times
    faster.
    """
    entries = slice(cells.first_entry[spine], cells.first_entry[spine] + cells.entries[spine])
    symbols, values, siblings = cells.symbol[entries], cells.value[entries], cells.complete[sibling]
    is_word = cells.begin[sibling] == cells.end[sibling]
    first, stop = rules.first, rules.first[1:] if is_word else rules.first_with_tag
    beside, parents, weights = rules.sibling, rules.parent, rules.weight
    for at in range(symbols.size):
        value = values[at]
        for rule in range(first[symbols[at]], stop[symbols[at]]):
            way = value + weights[rule] + siblings[beside[rule]]
            parent = parents[rule]
            before = best[parent]
            if way > before:
                best[parent] = way
                if before == -np.inf:
                    touched[count] = parent
                    count += 1
    return count


# --- cells --------------------------------------------------------------------------------------------------


@kernel
def add_chains(rules, cells, cell, best):
    """Add unary chains on top of the complete symbols of a cell."""
    row, below = cells.complete[cell], cells.below[cell]
    first, tops, weights = rules.first_chain, rules.chain_top, rules.chain_weight
    for bottom in range(row.size):
        below[bottom], best[bottom] = bottom, row[bottom]
    for bottom in range(row.size):
        if best[bottom] != -np.inf:
            for chain in range(first[bottom], first[bottom + 1]):
                top, way = tops[chain], best[bottom] + weights[chain]
                if way > row[top]:
                    row[top], below[top] = way, bottom
    best[: row.size] = -np.inf


@kernel
def list_complete(rules, cells, cell, entry):
    """Add the complete symbols of a cell to its entries from `entry` on; return the next free one."""
    row, symbols, values = cells.complete[cell], cells.symbol, cells.value
    for symbol in range(rules.complete):
        if row[symbol] != -np.inf:
            symbols[entry], values[entry] = symbol, row[symbol]
            entry += 1
    cells.entries[cell] = entry - cells.first_entry[cell]
    return entry


@kernel
def fill_word(rules, cells, cell, lexical, entry, best):
    """Fill the cell of a word, whose symbols have the scores `lexical`; return the next free entry."""
    cells.complete[cell] = lexical
    cells.first_entry[cell] = entry
    for symbol in range(rules.complete):
        cells.below[cell, symbol] = symbol
    if cells.is_open[cell]:
        add_chains(rules, cells, cell, best)
    return list_complete(rules, cells, cell, entry)


@kernel
def move_symbols(rules, cells, cell, entry, best, touched, count):
    """Move the reached symbols into the cell, complete ones into its row; return the next free entry."""
    row, symbols, values = cells.complete[cell], cells.symbol, cells.value
    is_open, complete = cells.is_open[cell], rules.complete
    row[:] = -np.inf
    cells.first_entry[cell] = entry
    for at in range(count):
        symbol = touched[at]
        if symbol >= complete:
            symbols[entry], values[entry] = symbol, best[symbol]
            entry += 1
        elif is_open:
            row[symbol] = best[symbol]
        best[symbol] = -np.inf
    return entry


@kernel
def join_pairs(rules, cells, cell, ends, scratch, counts):
    """Join all pairs that make up a cell; return the number of symbols reached."""
    best, touched, pairs = scratch
    found, count = find_pairs(rules, cells, cell, ends, pairs), 0
    counts[MIDPOINTS] += found
    for at in range(found):
        spine, sibling = pairs[at]
        if cells.entries[spine] and cells.entries[sibling]:
            count = join_cells(rules, cells, spine, sibling, best, touched, count)
    return count


@kernel
def fill_cell(rules, cells, cell, ends, entry, scratch, counts):
    """Fill a cell over several words; return the next free entry."""
    best, touched, _ = scratch
    count = join_pairs(rules, cells, cell, ends, scratch, counts)
    entry = move_symbols(rules, cells, cell, entry, best, touched, count)
    if cells.is_open[cell]:
        add_chains(rules, cells, cell, best)
    return list_complete(rules, cells, cell, entry)


@kernel
def next_entry(cells, end):
    """Return the first free entry when all columns before `end` are filled."""
    if end == 0:
        return 0
    widest = cells.first[end - 1]  # the last one filled
    return cells.first_entry[widest] + cells.entries[widest]


@kernel
def fill_column(rules, cells, end, lexical, ends, scratch, counts, interrupt):
    """Fill all cells that end with a word; return False if interrupted or out of room."""
    first, word = cells.first[end], cells.first[end + 1] - 1
    entry = next_entry(cells, end)
    for cell in range(word, first - 1, -1):
        if interrupt[0] or entry + rules.symbols > cells.value.size:
            return False
        is_open = cells.is_open[cell]
        if cell == word:
            entry = fill_word(rules, cells, word, lexical, entry, scratch[0])
            counts[WORD if is_open else WORD_OF_TAGS] += 1
        else:
            entry = fill_cell(rules, cells, cell, ends, entry, scratch, counts)
            counts[OPEN if is_open else PARTLY_OPEN] += 1
    return True


@kernel
def fill_columns(rules, cells, end, lexical, ends, scratch, counts, interrupt):
    """Fill columns from the word `end` on, whose scores are the first row of `lexical`.

    Return the number of filled columns, from the first of all: less than all if interrupted, or for lack of
    room.
    """
    for row in lexical:
        if not fill_column(rules, cells, end, row, ends, scratch, counts, interrupt):
            return end
        end += 1
    return end


@kernel
def spread_entries(cells, cell, values, is_set):
    """Write the values of symbols at their numbers, or reset these to -inf."""
    entries = slice(cells.first_entry[cell], cells.first_entry[cell] + cells.entries[cell])
    symbols, found = cells.symbol[entries], cells.value[entries]
    for at in range(symbols.size):
        values[symbols[at]] = found[at] if is_set else -np.inf


@kernel
def best_way_down(rules, cells, cell, symbol, ends, scratch):
    """Return the best pair of cells and rule for a symbol: the first midpoint, then the first rule."""
    values, _, pairs = scratch
    below, beside, weights = rules.spine_below, rules.sibling_below, rules.weight_below
    best, best_pair, best_rule = -np.inf, -1, -1
    for pair in range(find_pairs(rules, cells, cell, ends, pairs)):
        siblings = cells.complete[pairs[pair, 1]]
        spread_entries(cells, pairs[pair, 0], values, True)
        for rule in range(rules.first_of_parent[symbol], rules.first_of_parent[symbol + 1]):
            value = values[below[rule]] + weights[rule] + siblings[beside[rule]]
            if value > best:
                best, best_pair, best_rule = value, pair, rule
        spread_entries(cells, pairs[pair, 0], values, False)
    return pairs[best_pair, 0], pairs[best_pair, 1], best_rule


@kernel
def trace_nodes(rules, cells, cell, symbol, ends, scratch, nodes, count):
    """Write the best tree of a symbol over a cell into nodes[node, (symbol, begin, end)], parents first.

    `count` nodes are there before; return the number of nodes after.
    """
    todo = [(symbol, cell)]
    while len(todo) > 0:
        symbol, cell = todo.pop()
        begin, end = cells.begin[cell], cells.end[cell]
        bottom = cells.below[cell, symbol] if symbol < rules.complete else symbol
        while symbol != bottom:
            nodes[count, 0], nodes[count, 1], nodes[count, 2] = symbol, begin, end
            count += 1
            symbol = rules.next_below[symbol, bottom]
        nodes[count, 0], nodes[count, 1], nodes[count, 2] = symbol, begin, end
        count += 1
        if begin < end:
            spine, sibling, rule = best_way_down(rules, cells, cell, symbol, ends, scratch)
            on_spine, beside = (rules.spine_below[rule], spine), (rules.sibling_below[rule], sibling)
            todo.append(beside if rules.spine_is_left else on_spine)
            todo.append(on_spine if rules.spine_is_left else beside)
    return count


@kernel
def room_for_nodes(rules, words):
    """Return an array for all nodes of a tree: no chain has a symbol twice."""
    return np.empty((2 * words * (rules.complete + 1), 3), np.int32)


@kernel
def trace_derivation(rules, cells, cell, symbol, ends, scratch):
    """Return the nodes of the best tree of a symbol over a cell, parents first.

    Nodes are rows of [node, (symbol, begin, end)].
    """
    nodes = room_for_nodes(rules, cells.end[cell] - cells.begin[cell] + 1)
    return nodes[: trace_nodes(rules, cells, cell, symbol, ends, scratch, nodes, 0)]
