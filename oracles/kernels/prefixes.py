"""Stack prefixes, for any reference: a node is a word upon another node, found again when it recurs.

Values of a node outlive steps and undone steps; a moved edge marks the values that it affects as stale.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.spans import LEVEL_NODE, LEVEL_WORD, STALE_FROM, WORD_IDENTITY
from treewhile.oracles.kernels.standings import (
    BARS_LEFT_BELOW_TOP,
    FRONT,
    NODES,
    REDUCE_LEFT,
    SHIFT,
    TOP,
)

# Rows that describe nodes.
NODE_ROWS = 7
(
    BELOW,  # node below, or -1
    WORD,
    KNOWN_AS,  # identity of the word when the node was made
    IS_BARRED,  # whether the word takes no left children; in arc-eager, whether it has a head
    FILLED_FROM,  # first remaining word whose values are filled
    FIRST_ABOVE,  # first of the nodes above, or -1
    NEXT_BESIDE,  # next node upon the same one, or -1
) = range(NODE_ROWS)


@kernel
def node_room(width):
    """Return the number of nodes that there is room for.

    A computation makes up to six nodes a word. All fit for sentences of usual length; for longer ones all but
    the stack are dropped from time to time.
    """
    return 64 + min(6 * width, 2 * width + 800)


@kernel
def find_node(words, nodes, standing, below, word, barred):
    """Return the node of a word upon another node, made if there is none yet; -1 if there is no room."""
    if below < 0 and standing[NODES] > 0:
        return 0
    node = nodes[FIRST_ABOVE, below] if below >= 0 else -1
    while node >= 0:
        same = nodes[WORD, node] == word and nodes[KNOWN_AS, node] == words[WORD_IDENTITY, word]
        if same and nodes[IS_BARRED, node] == barred:
            return node
        node = nodes[NEXT_BESIDE, node]
    node = standing[NODES]
    if node == nodes.shape[1]:
        return -1
    standing[NODES] += 1
    nodes[BELOW, node], nodes[WORD, node], nodes[IS_BARRED, node] = below, word, barred
    nodes[KNOWN_AS, node], nodes[FILLED_FROM, node] = words[WORD_IDENTITY, word], words.shape[1]
    nodes[FIRST_ABOVE, node], nodes[NEXT_BESIDE, node] = -1, -1
    if below >= 0:
        nodes[NEXT_BESIDE, node], nodes[FIRST_ABOVE, below] = nodes[FIRST_ABOVE, below], node
    return node


@kernel
def push_level(words, nodes, standing, level, word, barred):
    """Put a word on the stack, as its new top."""
    below = np.int64(words[LEVEL_NODE, level - 1]) if level > 0 else np.int64(-1)
    node = find_node(words, nodes, standing, below, word, barred)
    words[LEVEL_WORD, level], words[LEVEL_NODE, level] = word, node
    standing[TOP] = level


@kernel
def bars_at(standing, level):
    """Return whether the strategy bars a word at this level from left children once it is not the top."""
    return np.int64(standing[BARS_LEFT_BELOW_TOP] > 0 and level > 0)


@kernel
def first_to_fill(words, nodes, level, down_to):
    """Return the lowest level from which all nodes up to this one lack values from `down_to` on."""
    first = level + 1
    while first > 0 and nodes[FILLED_FROM, words[LEVEL_NODE, first - 1]] > down_to:
        first -= 1
    return first


@kernel
def place_any_stack(stack, front, words, nodes, standing):
    """Go to a configuration; known nodes stay, unless there is no room."""
    standing[FRONT] = front
    if standing[NODES] + stack.size > nodes.shape[1]:
        standing[NODES] = 0
    for level in range(stack.size):
        push_level(words, nodes, standing, level, np.int64(stack[level]), bars_at(standing, level))


@kernel
def forget_nodes(words, nodes, standing):
    """Make room: keep only the nodes of the stack, unfilled."""
    standing[NODES] = 0
    place_any_stack(words[LEVEL_WORD, : standing[TOP] + 1].copy(), standing[FRONT], words, nodes, standing)


@kernel
def take_any_step(step, words, nodes, standing):
    """Apply a legal step; drop the nodes if they fill up."""
    top, front = standing[TOP], standing[FRONT]
    if standing[NODES] == nodes.shape[1]:
        forget_nodes(words, nodes, standing)
    if step == SHIFT:
        standing[FRONT] = front + 1
        push_level(words, nodes, standing, top + 1, front, bars_at(standing, top + 1))
    elif step == REDUCE_LEFT:
        standing[TOP] = top - 1
    else:
        word = np.int64(words[LEVEL_WORD, top])
        push_level(words, nodes, standing, top - 1, word, bars_at(standing, top - 1))


@kernel
def move_edge(word, head, words, nodes, standing):
    """Mark as stale the values that an edge between two words affects, before or after it moves."""
    first, last = min(word, head), max(word, head)
    front = standing[FRONT]
    for i in range(1, first + 1):
        words[STALE_FROM, i] = min(words[STALE_FROM, i], last)
    bound = (first if first >= front else last) + 1
    for node in range(standing[NODES]):
        nodes[FILLED_FROM, node] = max(nodes[FILLED_FROM, node], bound)
    words[WORD_IDENTITY, last] += 1
    if first >= front:
        words[WORD_IDENTITY, first] += 1
