"""The best tree of a chart, read from its top: ways into its nodes are tried once more, since they are few."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.constituents.kernels.columns import find_pairs


@kernel
def spread_entries(cells, cell, values, is_set):
    """Puts the values of incomplete symbols where their numbers are, or takes them away."""
    for at in range(cells.first_entry[cell], cells.first_entry[cell] + cells.entries[cell]):
        values[cells.symbol[at]] = cells.value[at] if is_set else -np.inf


@kernel
def best_way_down(rules, cells, cell, symbol, ends, scratch):
    """The pair of cells and the rule that are best for a symbol: the first midpoint, and of its rules the first."""
    values, _, pairs = scratch
    best, best_pair, best_rule = -np.inf, -1, -1
    for pair in range(find_pairs(rules, cells, cell, ends, pairs)):
        spine, sibling = pairs[pair]
        spread_entries(cells, spine, values, True)
        for rule in range(rules.first_of_parent[symbol], rules.first_of_parent[symbol + 1]):
            child = rules.spine_below[rule]
            value = cells.complete[spine, child] if child < rules.complete else values[child]
            value = value + rules.weight_below[rule] + cells.complete[sibling, rules.sibling_below[rule]]
            if value > best:
                best, best_pair, best_rule = value, pair, rule
        spread_entries(cells, spine, values, False)
    return pairs[best_pair, 0], pairs[best_pair, 1], best_rule


@kernel
def trace_derivation(rules, cells, cell, symbol, ends, scratch):
    """The nodes of the best tree of a symbol over a cell, parents first: [node, (symbol, begin, end)]."""
    nodes, todo = [], [(symbol, cell)]
    while len(todo) > 0:
        symbol, cell = todo.pop()
        begin, end = cells.begin[cell], cells.end[cell]
        if symbol < rules.complete:
            bottom = cells.below[cell, symbol]
            while symbol != bottom:
                nodes.append((symbol, begin, end))
                symbol = rules.next_below[symbol, bottom]
        nodes.append((symbol, begin, end))
        if begin < end:
            spine, sibling, rule = best_way_down(rules, cells, cell, symbol, ends, scratch)
            on_spine, beside = (rules.spine_below[rule], spine), (rules.sibling_below[rule], sibling)
            todo.append(beside if rules.spine_is_left else on_spine)
            todo.append(on_spine if rules.spine_is_left else beside)
    found = np.empty((len(nodes), 3), np.int32)
    for at, (label, begin, end) in enumerate(nodes):
        found[at, 0], found[at, 1], found[at, 2] = label, begin, end
    return found
