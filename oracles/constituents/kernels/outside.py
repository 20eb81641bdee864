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
def descend_from(rules, cells, spine, sibling, child, inside, scale, parents, outside):
    """What is outside of a spine child, by the parents that it makes with the siblings in a cell.

    What is outside of those siblings grows by what it makes of them.
    """
    found = 0.0
    for rule in range(rules.first[child], rules.first[child + 1]):
        above = parents[rules.parent[rule]] * rules.weight[rule] * scale
        if above > 0:
            found += above * cells.complete[sibling, rules.sibling[rule]]
            outside[sibling, rules.sibling[rule]] += above * inside
    return found


@kernel
def descend_pair(rules, cells, spine, sibling, scale, parents, outside, outside_entry):
    """From the parents in a cell to a spine and a sibling."""
    for child in range(rules.complete):
        inside = cells.complete[spine, child]
        if inside > 0:
            outside[spine, child] += descend_from(
                rules, cells, spine, sibling, child, inside, scale, parents, outside
            )
    for at in range(cells.first_entry[spine], cells.first_entry[spine] + cells.entries[spine]):
        outside_entry[at] += descend_from(
            rules, cells, spine, sibling, cells.symbol[at], cells.value[at], scale, parents, outside
        )


@kernel
def descend_cell(rules, cells, cell, ends, scratch, outside, outside_entry):
    """From a cell to all those that make it up."""
    parents, _, pairs = scratch
    if cells.is_open[cell]:
        descend_chains(rules, outside[cell], parents)
    if cells.begin[cell] == cells.end[cell]:
        return
    entries = range(cells.first_entry[cell], cells.first_entry[cell] + cells.entries[cell])
    parents[: rules.complete] = outside[cell]
    for at in entries:
        parents[cells.symbol[at]] = outside_entry[at]
    for at in range(find_pairs(rules, cells, cell, ends, pairs)):
        spine, sibling = pairs[at]
        scale = np.exp(cells.offset[spine] + cells.offset[sibling] - cells.offset[cell])
        if scale > 0:
            descend_pair(rules, cells, spine, sibling, scale, parents, outside, outside_entry)
    parents[: rules.complete] = 0
    for at in entries:
        parents[cells.symbol[at]] = 0


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
