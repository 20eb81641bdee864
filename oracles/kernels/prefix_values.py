"""Optimal steps for any reference: the recurrences of `kept_chart`, over the nodes of the stack.

The values of a node are the scores that can be attained once all nodes above it are done.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.prefixes import (
    BELOW,
    FILLED_FROM,
    IS_BARRED,
    NODE_ROWS,
    WORD,
    find_node,
    first_to_fill,
    place_any_stack,
)
from treewhile.oracles.kernels.spans import (
    LEFT,
    LEFT_AT,
    LEVEL_NODE,
    LEVEL_WORD,
    OPEN_LEFT,
    RIGHT,
    SPAN_TABLES,
    WORD_HEAD,
    WORD_ROWS,
    edge,
    fill_spans,
    never_of,
)
from treewhile.oracles.kernels.standings import (
    BARS_LEFT_AFTER_SHIFT,
    BARS_LEFT_BELOW_TOP,
    BARS_RIGHT,
    FILLED,
    FRONT,
    SINGLE_ROOT,
    STANDING_SIZE,
    TOP,
)
from treewhile.oracles.kernels.values import best_sum

# Values of a node, each for the words from x on as the remaining input.
NODE_VALUES = 4
ON_TOP, TAKES, MEETS, COVERED = range(NODE_VALUES)


@helper
def not_legal(weight):
    """Return the score that marks a step as not legal."""
    if weight is None:
        return -1
    return np.nan


@kernel
def fill_done(words, weight, spans, values, done, standing, level, word, barred, begin, end):
    """Fill done[x], begin <= x < end, for a word above a level that takes no more right children.

    With heads, levels below its lowest gold neighbour gain nothing, so the way down ends there.
    """
    n, lowest = words.shape[1] - 2, level - 1
    if not barred:
        if weight is None:
            for lower in range(level):
                other = words[LEVEL_WORD, lower]
                if words[WORD_HEAD, word] == other or words[WORD_HEAD, other] == word:
                    lowest = max(0, lower - 1)
                    break
        else:
            lowest = 0
    head = words[WORD_HEAD, word]
    for lower in range(lowest, level):
        node, other = words[LEVEL_NODE, lower], words[LEVEL_WORD, lower]
        taken, kept = edge(words, weight, word, other), edge(words, weight, other, word)
        for x in range(begin, end):
            best = values[ON_TOP, node, x] + kept
            if weight is None:
                best = max(best, values[COVERED, node, x])
                if head >= x:
                    best = max(best, 1 + spans[LEFT_AT, head, x] + values[MEETS, node, head])
            else:
                for y in range(x, n + 1):
                    best = max(best, spans[LEFT, x, y] + weight[y, word] + values[MEETS, node, y])
            if lower > lowest:
                best = max(best, done[x] + taken)
            done[x] = best
        standing[FILLED] += end - begin


@kernel
def fill_node(words, weight, spans, nodes, values, done, standing, level, node, down_to):
    """Fill the values of a node at a stack level for remaining inputs that begin at `down_to` or later."""
    n, never = words.shape[1] - 2, never_of(weight)
    word, filled = np.int64(nodes[WORD, node]), np.int64(nodes[FILLED_FROM, node])
    if filled <= down_to:
        return
    if level > 0:
        barred = np.int64(nodes[IS_BARRED, node])
        fill_done(words, weight, spans, values, done, standing, level, word, barred, down_to, filled)
    else:
        done[down_to : n + 1] = never
        done[n + 1] = 0
    on_top, takes = values[ON_TOP, node], values[TAKES, node]
    meets, covered = values[MEETS, node], values[COVERED, node]
    if filled == n + 2:
        filled = n + 1
        on_top[filled], covered[filled] = done[filled], never
    takes_one = standing[SINGLE_ROOT] > 0 and level == 0
    for x in range(filled - 1, down_to - 1, -1):
        right = best_sum(spans[RIGHT, x, x : n + 1], on_top[x + 1 : n + 2], never)
        takes[x] = right + edge(words, weight, word, x)
        best = max(takes[x], best_sum(spans[OPEN_LEFT, x, x + 1 : n + 1], meets[x + 1 : n + 1], never))
        if level > 0:
            best = max(best, values[MEETS, nodes[BELOW, node], x] + edge(words, weight, x, word))
        meets[x] = best
        if takes_one:
            on_top[x] = done[x]
        else:
            on_top[x] = max(done[x], best_sum(spans[LEFT, x, x : n + 1], takes[x : n + 1], never))
        if weight is None:
            covered[x] = best_sum(spans[LEFT, x, x : n + 1], meets[x : n + 1], never)
        standing[FILLED] += NODE_VALUES
    nodes[FILLED_FROM, node] = down_to


@kernel
def fill_stack(words, weight, spans, nodes, values, done, standing, level, down_to):
    """Fill the nodes of the stack up to a level."""
    for lower in range(first_to_fill(words, nodes, level, down_to), level + 1):
        node = np.int64(words[LEVEL_NODE, lower])
        fill_node(words, weight, spans, nodes, values, done, standing, lower, node, down_to)


@kernel
def score_any_steps(words, weight, spans, nodes, values, done, standing, scores):
    """Fill in the scores of shift, reduce_left and reduce_right; return False if there is no room for a node.

    Steps that are not legal get -1, or NaN if edges have weights. With a single root, reduce_left is not
    legal if it would give the root a child while words remain.
    """
    top, front, n = standing[TOP], standing[FRONT], words.shape[1] - 2
    upper, free = np.int64(words[LEVEL_WORD, top]), np.int64(0)
    scores[:] = not_legal(weight)
    fill_spans(words, weight, spans, standing, front)
    if front <= n:
        node = np.int64(words[LEVEL_NODE, top])
        if top > 0:
            below = np.int64(words[LEVEL_NODE, top - 1])
            barred = np.int64(standing[BARS_LEFT_AFTER_SHIFT] > 0 or standing[BARS_LEFT_BELOW_TOP] > 0)
            node = find_node(words, nodes, standing, below, upper, barred)
            if node < 0:
                return False
        fill_stack(words, weight, spans, nodes, values, done, standing, top - 1, front)
        fill_node(words, weight, spans, nodes, values, done, standing, top, node, front)
        scores[0] = values[MEETS, node, front]
    if top > 1 or (top == 1 and not (standing[SINGLE_ROOT] > 0 and front <= n)):
        fill_stack(words, weight, spans, nodes, values, done, standing, top - 1, front)
        lower = words[LEVEL_WORD, top - 1]
        scores[1] = values[ON_TOP, words[LEVEL_NODE, top - 1], front] + edge(words, weight, lower, upper)
    if top >= 2:
        made = edge(words, weight, upper, words[LEVEL_WORD, top - 1])
        if standing[BARS_RIGHT] > 0:
            fill_done(words, weight, spans, values, done, standing, top - 1, upper, free, front, front + 1)
            scores[2] = done[front] + made
        else:
            node = find_node(words, nodes, standing, np.int64(words[LEVEL_NODE, top - 2]), upper, free)
            if node < 0:
                return False
            fill_node(words, weight, spans, nodes, values, done, standing, top - 1, node, front)
            scores[2] = values[ON_TOP, node, front] + made
    return True


@kernel
def score_any_steps_from_scratch(
    weight, top, bars_left_after_shift, bars_left_below_top, bars_right, single_root, scores
):
    """Fill in the scores of one configuration, whose nodes are renumbered: 0 to top are the stack.

    The others remain; weight[head, dependent] refers to these numbers.
    """
    width, room = weight.shape[0] + 1, top + 3  # the stack, and its top after shift and reduce_right
    words, standing = np.zeros((WORD_ROWS, width), np.int32), np.zeros(STANDING_SIZE, np.int64)
    spans = np.empty((SPAN_TABLES, width, width), weight.dtype)
    nodes, done = np.empty((NODE_ROWS, room), np.int32), np.empty(width, weight.dtype)
    values = np.empty((NODE_VALUES, room, width), weight.dtype)
    standing[BARS_LEFT_AFTER_SHIFT], standing[BARS_LEFT_BELOW_TOP] = (
        bars_left_after_shift,
        bars_left_below_top,
    )
    standing[BARS_RIGHT], standing[SINGLE_ROOT] = bars_right, single_root
    place_any_stack(np.arange(top + 1).astype(np.int32), top + 1, words, nodes, standing)
    return score_any_steps(words, weight, spans, nodes, values, done, standing, scores)
