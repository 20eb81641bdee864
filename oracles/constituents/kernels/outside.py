"""How much each node of a chart takes part in the sum over all trees: the walk from its top down.

What is outside of a node is told such that its product with what is inside is what is expected of the node:
how often a tree has it, on the average, whatever the offsets of cells. `outside` has rows as `cells.complete`
does, `outside_entry` has values as `cells.value` does.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.constituents.kernels.columns import find_pairs


@kernel
def descend_chains(rules, above, sums):
    """What is outside of the complete symbols of a cell grows by all chains that lead down to them."""
    sums[: rules.complete] = above
    for bottom in range(rules.complete):
        for chain in range(rules.first_chain[bottom], rules.first_chain[bottom + 1]):
            above[bottom] += sums[rules.chain_top[chain]] * rules.chain_weight[chain]
    sums[: rules.complete] = 0


@kernel
def descend_pair(rules, cells, spine, sibling, scale, parents, outside, outside_entry):
    """From the parents in a cell to a spine and a sibling; sums are taken as in `join_cells`."""
    entries = slice(cells.first_entry[spine], cells.first_entry[spine] + cells.entries[spine])
    symbols, values, above_spine = cells.symbol[entries], cells.value[entries], outside_entry[entries]
    siblings, above_siblings = cells.complete[sibling], outside[sibling]
    first, beside, parent_of, weights = rules.first, rules.sibling, rules.parent, rules.weight
    for at in range(symbols.size):
        for rule in range(first[symbols[at]], first[symbols[at] + 1]):
            above = parents[parent_of[rule]] * weights[rule] * scale
            above_spine[at] += above * siblings[beside[rule]]
            above_siblings[beside[rule]] += above * values[at]


@kernel
def spread_outside(rules, cells, cell, parents, outside, outside_entry):
    """Puts what is outside of each symbol of a cell where its number is, and into its row if it is complete.

    What reached a complete symbol from its parents is in its row as a sibling, in its entry as a spine.
    """
    first, row = cells.first_entry[cell], outside[cell]
    for at in range(first, first + cells.entries[cell]):
        symbol = cells.symbol[at]
        if symbol < rules.complete:
            row[symbol] += outside_entry[at]
        else:
            parents[symbol] = outside_entry[at]
    if cells.is_open[cell]:
        descend_chains(rules, row, parents)
    parents[: rules.complete] = row


@kernel
def descend_cell(rules, cells, cell, ends, scratch, outside, outside_entry):
    """From a cell to all those that make it up."""
    parents, _, pairs = scratch
    spread_outside(rules, cells, cell, parents, outside, outside_entry)
    if cells.begin[cell] < cells.end[cell]:
        for at in range(find_pairs(rules, cells, cell, ends, pairs)):
            spine, sibling = pairs[at]
            scale = np.exp(cells.offset[spine] + cells.offset[sibling] - cells.offset[cell])
            if scale > 0:
                descend_pair(rules, cells, spine, sibling, scale, parents, outside, outside_entry)
    parents[:] = 0


@kernel
def descend(rules, cells, words, ends, scratch, outside, outside_entry, interrupt):
    """Fills what is outside of all nodes from that of the top, which is there; whether it came to the end."""
    for end in range(words - 1, -1, -1):
        for cell in range(cells.first[end], cells.first[end + 1]):
            if interrupt[0]:
                return False
            if cells.offset[cell] > -np.inf:
                descend_cell(rules, cells, cell, ends, scratch, outside, outside_entry)
    return True
