"""Optimal steps of arc-eager for any reference: the recurrence of `eager_steps`, over the nodes of the stack.

values[node, x] is the score that is attained with this node on top, once the words from x on are parsed.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.prefix_values import not_legal
from treewhile.oracles.kernels.prefixes import (
    BELOW,
    FILLED_FROM,
    IS_BARRED,
    NODE_ROWS,
    WORD,
    first_to_fill,
    push_level,
)
from treewhile.oracles.kernels.spans import (
    LEVEL_NODE,
    LEVEL_WORD,
    OPEN_LEFT,
    RIGHT,
    SPAN_TABLES,
    WORD_ROWS,
    edge,
    fill_spans,
    never_of,
)
from treewhile.oracles.kernels.standings import FILLED, FRONT, NODES, SHIFT, SINGLE_ROOT, STANDING_SIZE, TOP
from treewhile.oracles.kernels.values import best_sum

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


@helper
def by_shift(spans, attained, x, never):
    """Return the score of shifting x: some word takes it from the left."""
    n = attained.size - 2
    return best_sum(spans[OPEN_LEFT, x, x + 1 : n + 1], attained[x + 1 : n + 1], never)


@helper
def by_right_arc(spans, attained, x, takes_all, never):
    """Return the score of a right_arc to x, without its edge: x takes some of the remaining words, or all."""
    n = attained.size - 2
    if takes_all:
        return spans[RIGHT, x, n] + attained[n + 1]
    return best_sum(spans[RIGHT, x, x : n + 1], attained[x + 1 : n + 2], never)


@kernel
def fill_eager_node(words, weight, spans, nodes, values, standing, level, node, down_to):
    """Fill the values of a node at a stack level for remaining inputs that begin at `down_to` or later."""
    n, never = words.shape[1] - 2, never_of(weight)
    word, filled = np.int64(nodes[WORD, node]), np.int64(nodes[FILLED_FROM, node])
    if filled <= down_to:
        return
    has_head, single_root = nodes[HAS_HEAD, node] > 0, standing[SINGLE_ROOT] > 0
    attained, below = values[node], values[max(nodes[BELOW, node], 0)]
    if filled == n + 2:
        filled = n + 1
        attained[filled] = never
        if level == 0:
            attained[filled] = 0
        elif has_head:
            attained[filled] = below[filled]
    stays = level == 0 or (single_root and level == 1 and has_head)
    for x in range(filled - 1, down_to - 1, -1):
        right = by_right_arc(spans, attained, x, single_root and level == 0, never)
        best = max(by_shift(spans, attained, x, never), right + edge(words, weight, word, x))
        if not stays:
            taken = below[x] if has_head else below[x] + edge(words, weight, x, word)
            best = max(best, taken)
        attained[x] = best
        standing[FILLED] += 1
    nodes[FILLED_FROM, node] = down_to


@kernel
def score_eager_steps(words, weight, spans, nodes, values, standing, scores):
    """Fill in the scores of shift, left_arc, right_arc and reduce.

    Steps that are not legal get -1, or NaN if edges have weights. If a reduce removes the only child of a
    single root, another one must follow.
    """
    top, front, n, never = standing[TOP], standing[FRONT], words.shape[1] - 2, never_of(weight)
    scores[:] = not_legal(weight)
    fill_spans(words, weight, spans, standing, front)
    for level in range(first_to_fill(words, nodes, top, front), top + 1):
        lower = np.int64(words[LEVEL_NODE, level])
        fill_eager_node(words, weight, spans, nodes, values, standing, level, lower, front)
    node = np.int64(words[LEVEL_NODE, top])
    has_head, single_root, word = nodes[HAS_HEAD, node] > 0, standing[SINGLE_ROOT] > 0, nodes[WORD, node]
    attained, below = values[node], values[max(nodes[BELOW, node], 0)]
    if front < n:
        scores[SHIFT] = by_shift(spans, attained, front, never)
    if front < n or (front == n and attained[n + 1] == 0):
        right = by_right_arc(spans, attained, front, single_root and top == 0, never)
        scores[RIGHT_ARC] = right + edge(words, weight, word, front)
    if top > 0 and has_head:
        scores[REDUCE] = below[front]
    if top > 0 and not has_head and front <= n:
        scores[LEFT_ARC] = below[front] + edge(words, weight, front, word)


@kernel
def score_eager_steps_from_scratch(weight, has_head, single_root, scores):
    """Fill in the scores of one configuration, whose nodes are renumbered: stack levels, then the rest.

    weight[head, dependent] refers to these numbers.
    """
    width, height = weight.shape[0] + 1, has_head.size
    words, standing = np.zeros((WORD_ROWS, width), np.int32), np.zeros(STANDING_SIZE, np.int64)
    spans = np.empty((SPAN_TABLES, width, width), weight.dtype)
    nodes, values = np.empty((NODE_ROWS, height), np.int32), np.empty((height, width), weight.dtype)
    standing[SINGLE_ROOT] = single_root
    place_eager_stack(np.arange(height).astype(np.int32), has_head, height, words, nodes, standing)
    score_eager_steps(words, weight, spans, nodes, values, standing, scores)
