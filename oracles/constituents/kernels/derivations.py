"""Best tree of a chart, from its top: the few ways into its nodes are tried once more."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.constituents.kernels.columns import find_pairs


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
