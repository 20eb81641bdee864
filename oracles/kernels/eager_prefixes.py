"""Stack prefixes in arc-eager: nodes as in `prefixes`, with a flag whether their word has a head."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.prefixes import IS_BARRED, push_level
from treewhile.oracles.kernels.spans import LEVEL_NODE, LEVEL_WORD
from treewhile.oracles.kernels.standings import FRONT, NODES, SHIFT, TOP

# Numbers of steps; shift is the first in all systems.
LEFT_ARC, RIGHT_ARC, REDUCE = range(1, 4)

HAS_HEAD = IS_BARRED  # in arc-eager no word on the stack takes left children, so none need be barred


@kernel
def place_eager_stack(stack, has_head, front, words, nodes, standing):
    """Go to a configuration; known nodes stay, unless there is no room."""
    standing[FRONT] = front
    if standing[NODES] + stack.size > nodes.shape[1]:
        standing[NODES] = 0
    for level in range(stack.size):
        push_level(words, nodes, standing, level, np.int64(stack[level]), np.int64(has_head[level]))


@kernel
def forget_eager_nodes(words, nodes, standing):
    """Make room: keep only the nodes of the stack, unfilled."""
    height = standing[TOP] + 1
    has_head = np.zeros(height, np.int64)
    for level in range(height):
        has_head[level] = nodes[HAS_HEAD, words[LEVEL_NODE, level]]
    standing[NODES] = 0
    place_eager_stack(words[LEVEL_WORD, :height].copy(), has_head, standing[FRONT], words, nodes, standing)


@kernel
def take_eager_step(step, words, nodes, standing):
    """Apply a legal step; drop the nodes if they fill up."""
    top, front = standing[TOP], standing[FRONT]
    if standing[NODES] == nodes.shape[1]:
        forget_eager_nodes(words, nodes, standing)
    if step in (SHIFT, RIGHT_ARC):
        standing[FRONT] = front + 1
        push_level(words, nodes, standing, top + 1, front, np.int64(step == RIGHT_ARC))
    else:
        standing[TOP] = top - 1
