"""Whole computations, one sentence after another: the score of each step, and the step taken."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.followed_stacks import (
    IDENTITY,
    TABLE_ROWS,
    describe_reference,
    forget,
    place_stack,
    take_step,
)
from treewhile.oracles.kernels.memos import MEMO_COLUMNS, memo_rows
from treewhile.oracles.kernels.prefix_values import NODE_VALUES, score_any_steps
from treewhile.oracles.kernels.prefixes import (
    NODE_ROWS,
    forget_nodes,
    node_room,
    place_any_stack,
    take_any_step,
)
from treewhile.oracles.kernels.situations import MOST_OPTIONS, OPTION_COLUMNS, score_steps
from treewhile.oracles.kernels.spans import SPAN_TABLES, WORD_HEAD, WORD_ROWS
from treewhile.oracles.kernels.standings import FRONT, REDUCE_LEFT, REDUCE_RIGHT, SHIFT, SINGLE_ROOT, TOP
from treewhile.oracles.kernels.values import UNKNOWN


@kernel
def begin_with_facts(heads, table, memo, standing):
    """Go to the initial configuration for a projective reference."""
    describe_reference(heads, table)
    table[IDENTITY] = np.arange(heads.size + 1)
    place_stack(np.zeros(1, np.int32), 1, table, memo, standing)


@kernel
def begin_with_chart(heads, words, nodes, standing):
    """Go to the initial configuration for any reference."""
    words[WORD_HEAD, : heads.size], words[WORD_HEAD, heads.size] = heads, UNKNOWN
    place_any_stack(np.zeros(1, np.int32), 1, words, nodes, standing)


@helper
def is_legal(step, standing, n):
    if step == SHIFT:
        return standing[FRONT] <= n
    return REDUCE_LEFT <= step <= REDUCE_RIGHT and standing[TOP] >= step


@helper
def bar_early_root(standing, n, scores):
    """Bar a single root from taking a child while words remain."""
    if standing[SINGLE_ROOT] > 0 and standing[TOP] == 1 and standing[FRONT] <= n:
        scores[REDUCE_LEFT] = -1


@helper
def draw_step(scores, exploration, draws):
    """Return a random optimal step; with probability `exploration` any step with a score."""
    least = 0 if draws[0] < exploration else max(scores[SHIFT], scores[REDUCE_LEFT], scores[REDUCE_RIGHT])
    candidates = 0
    for step in range(scores.size):
        candidates += scores[step] >= least
    skipped = int(draws[1] * candidates)
    for step in range(scores.size):
        if scores[step] >= least:
            skipped -= 1
            if skipped < 0:
                return step
    return -1


@helper
def pick_step(given, row, standing, n, scores, exploration, draws):
    """Return the step to take: the given one, -1 if it is not legal, or a drawn one."""
    if given is None:
        return draw_step(scores[row], exploration, draws[row])
    return given[row] if is_legal(given[row], standing, n) else -1


@kernel
def walk_by_facts(heads, standing, given, exploration, draws, steps, scores):
    """Fill in the scores of each step of a computation for a projective reference, and the step taken.

    Return the row of a given step that is not legal, or -1.
    """
    n, rows = heads.size - 1, memo_rows(heads.size - 1)
    table, memo = np.zeros((TABLE_ROWS, n + 2), np.int32), np.full((rows, MEMO_COLUMNS), -1, np.int64)
    todo = np.empty((rows, OPTION_COLUMNS), np.int32)
    options = np.empty((MOST_OPTIONS, OPTION_COLUMNS), np.int32)
    begin_with_facts(heads, table, memo, standing)
    for row in range(2 * n):
        while not score_steps(table, memo, standing, todo, options, scores[row]):
            rows *= 4
            memo = np.full((rows, MEMO_COLUMNS), -1, np.int64)
            todo = np.empty((rows, OPTION_COLUMNS), np.int32)
            forget(table, memo, standing)
        bar_early_root(standing, n, scores[row])
        step = pick_step(given, row, standing, n, scores, exploration, draws)
        if step < 0:
            return row
        steps[row] = step
        take_step(step, table, memo, standing)
    return -1


@kernel
def walk_by_chart(heads, standing, given, exploration, draws, steps, scores):
    """Fill in scores and steps as `walk_by_facts` does, for any reference."""
    n, width = heads.size - 1, heads.size + 1
    room = node_room(width)
    words, nodes = np.zeros((WORD_ROWS, width), np.int32), np.empty((NODE_ROWS, room), np.int32)
    spans = np.empty((SPAN_TABLES, width, width), np.int32)
    values, done = np.empty((NODE_VALUES, room, width), np.int32), np.empty(width, np.int32)
    begin_with_chart(heads, words, nodes, standing)
    for row in range(2 * n):
        while not score_any_steps(words, None, spans, nodes, values, done, standing, scores[row]):
            forget_nodes(words, nodes, standing)
        bar_early_root(standing, n, scores[row])
        step = pick_step(given, row, standing, n, scores, exploration, draws)
        if step < 0:
            return row
        steps[row] = step
        take_any_step(step, words, nodes, standing)
    return -1


@kernel
def walk_all(heads, begin, by_facts, rules, given, exploration, draws, steps, scores):
    """Fill in a computation for each sentence; heads[begin[s] + s:] are those of sentence s, node 0 included.

    Its rows are those from 2 * begin[s] on. Return the row of a given step that is not legal, or -1.
    """
    for s in range(by_facts.size):
        rows = slice(2 * begin[s], 2 * begin[s + 1])
        own = heads[begin[s] + s : begin[s + 1] + s + 1]
        own_given = None if given is None else given[rows]
        walk = own, rules.copy(), own_given, exploration, draws[rows], steps[rows], scores[rows]
        wrong = walk_by_facts(*walk) if by_facts[s] else walk_by_chart(*walk)
        if wrong >= 0:
            return 2 * begin[s] + wrong
    return -1
