"""Optimal steps for projective references: recurrences of `projective_steps` as a longest path of situations.

A situation is the node below the top of the stack, the word on top, and a state; its value is a fact.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.followed_stacks import (
    BOTTOM,
    CHANGED,
    CHILD,
    COMPONENT,
    FIRST_CHILD,
    HEAD,
    IDENTITY,
    LEVEL,
    LOWEST,
    NEXT_CHILD,
    NO_LEVEL,
    NODE,
    PENDING,
    STACK,
    TABLE_ROWS,
    describe_reference,
    hangs_on,
    place_stack,
)
from treewhile.oracles.kernels.memos import KEY, MEMO_COLUMNS, STATE_BITS, VALUE, find_fact, store
from treewhile.oracles.kernels.standings import (
    BARS_LEFT_AFTER_SHIFT,
    BARS_LEFT_BELOW_TOP,
    BARS_RIGHT,
    FACTS,
    FILLED,
    FRONT,
    PRUNED,
    STANDING_SIZE,
    TOP,
)
from treewhile.oracles.kernels.values import UNKNOWN

# States of a situation (Nederhof 2019, Section 5), with a stack element on top: of its current component no
# word is consumed, the current critical word is, or only an earlier one.
NONE, CONSUMED, FRESH = 0, 1, 2
BARRED = 4  # the word on top takes no left children
FROM_INPUT = 8  # a critical word of the remaining input is on top
BARS_NEXT = 16  # the word below will take no left children

# Columns of situations that may come next, and of those to be computed.
OPTION_COLUMNS = 5
MADE, AT_LEVEL, WORD, STATE, CRITICAL = range(OPTION_COLUMNS)
MOST_OPTIONS = 3


@helper
def find_situation(table, memo, front, lowest, level, word, state, critical):
    """Return the key and memo row of a situation if `front` is the first remaining word.

    The dependencies of a fact change only when a gold neighbour of a level or of the word is shifted, so the
    last such shift is part of its key, and a fact never gets stale. `lowest` is the lowest level that the
    shift of the word before front changes, if that has not been applied yet.
    """
    changed = table[CHANGED, level] if level < lowest else front - 1
    head = table[HEAD, word]
    if word < head < front:
        changed = max(changed, head)
    a = np.int64(table[NODE, level]) << 32 | table[IDENTITY, word]
    b = np.int64(table[IDENTITY, critical]) << 32 | np.int64(changed) << STATE_BITS | state
    return a, b, find_fact(memo, a, b)


@helper
def has_neighbour_below(table, component, level, front):
    """Return whether a level below has a gold edge to a component of the remaining input."""
    head = table[HEAD, component]
    if head != UNKNOWN and 0 <= table[LEVEL, head] < level:
        return True
    bottom = table[BOTTOM, component]
    return 0 <= bottom < level and hangs_on(table, bottom, component, front)


@helper
def add_option(options, count, made, level, word, state, critical):
    options[count, MADE], options[count, AT_LEVEL], options[count, WORD] = made, level, word
    options[count, STATE], options[count, CRITICAL] = state, critical
    return count + 1


@helper
def list_options(table, options, pruned, all_barred, shifted, front, level, word, state, critical):
    """Fill in the situations that may come next, each with its gold edges; return their number.

    At level -1 only 0 is left, and there is nothing more to gain. `shifted` is the word before front if its
    shift has not been applied yet, else 0.
    """
    below = table[STACK, level]
    parent = table[HEAD, below] if table[HEAD, below] >= front else 0
    first = table[NEXT_CHILD, below] + (shifted > 0 and table[HEAD, shifted] == below)
    children = table[FIRST_CHILD, below + 1] - first
    barred = BARRED if all_barred or state & BARS_NEXT else 0
    bars_next = state & BARS_NEXT
    jump = level - 1
    if pruned and table[LOWEST, below] < level:
        jump = table[LOWEST, below]
    count = 0
    if state & FROM_INPUT:
        component = table[COMPONENT, word]
        if level > 0:
            if parent and table[COMPONENT, parent] == component:
                count = add_option(options, count, 1, level - 1, parent, FROM_INPUT, 0)
            elif not pruned or has_neighbour_below(table, component, level, front):
                count = add_option(options, count, 0, jump, word, FROM_INPUT, 0)
        after, current = CONSUMED, word
        if parent and table[COMPONENT, parent] != component:
            after, current = NONE, 0
        elif parent and parent != word:
            after, current = FRESH, parent
        return add_option(options, count, children, level - 1, below, after | barred, current)
    q = state & 3
    gained = children + (table[HEAD, word] == below)
    after, current = NONE, 0
    if q != NONE:
        component = table[COMPONENT, critical]
        if children and table[CHILD, first] == component:
            gained -= 1
        current = parent if parent else critical
        after = q if current == critical else FRESH
        if table[COMPONENT, current] != component:
            after, current = NONE, 0
    count = add_option(options, count, gained, level - 1, below, after | barred, current)
    if level > 0 and not state & BARRED:
        if table[HEAD, below] == word:
            count = add_option(options, count, 1, level - 1, word, state & ~BARS_NEXT, critical)
        elif not pruned or table[LOWEST, word] < level:
            count = add_option(options, count, 0, jump, word, state & ~BARS_NEXT, critical)
    if table[HEAD, word] >= front and q != CONSUMED:
        count = add_option(options, count, q == NONE, level, table[HEAD, word], FROM_INPUT | bars_next, 0)
    return count


@helper
def find_option(table, memo, front, lowest, options, o):
    """Return the key and memo row of the situation in a row."""
    return find_situation(
        table,
        memo,
        front,
        lowest,
        options[o, AT_LEVEL],
        options[o, WORD],
        options[o, STATE],
        options[o, CRITICAL],
    )


@kernel
def longest_path(table, memo, standing, todo, options, shifted, level, word, state):
    """Return the most gold edges on a path from a situation; -1 if the memo is too full."""
    if level < 0:
        return 0
    front = standing[FRONT] + (shifted > 0)
    lowest = table[LOWEST, shifted] if shifted > 0 else NO_LEVEL
    pruned, all_barred = standing[PRUNED] > 0, standing[BARS_LEFT_BELOW_TOP] > 0
    pending = add_option(todo, 0, 0, level, word, state, 0)
    value = 0
    while pending:
        level, word, state, critical = (
            todo[pending - 1, AT_LEVEL],
            todo[pending - 1, WORD],
            todo[pending - 1, STATE],
            todo[pending - 1, CRITICAL],
        )
        a, b, at = find_situation(table, memo, front, lowest, level, word, state, critical)
        if memo[at, KEY] >= 0:
            value = memo[at, VALUE]
            pending -= 1
            continue
        count = list_options(table, options, pruned, all_barred, shifted, front, level, word, state, critical)
        before = pending
        value = 0
        for o in range(count):
            if options[o, AT_LEVEL] >= 0:
                _, _, place = find_option(table, memo, front, lowest, options, o)
                if memo[place, KEY] < 0:
                    pending = add_option(
                        todo,
                        pending,
                        0,
                        options[o, AT_LEVEL],
                        options[o, WORD],
                        options[o, STATE],
                        options[o, CRITICAL],
                    )
                else:
                    value = max(value, options[o, MADE] + memo[place, VALUE])
            else:
                value = max(value, options[o, MADE])
        if pending == before:
            if standing[FACTS] * 8 > memo.shape[0] * 7:
                return -1
            store(memo, standing, at, a, b, value)
            standing[FILLED] += 1
            pending -= 1
    return value


@kernel
def score_steps(table, memo, standing, todo, options, scores):
    """Fill in the scores of shift, reduce_left and reduce_right, -1 if not legal; False if out of room."""
    top, front, n = standing[TOP], standing[FRONT], table.shape[1] - 2
    # One integer type and no literals, or numba compiles the longest path three times.
    upper, unshifted, free = np.int64(table[STACK, top]), np.int64(0), np.int64(NONE)
    barred = standing[BARS_LEFT_BELOW_TOP] > 0
    scores[:] = -1
    if front <= n:
        state = BARS_NEXT if standing[BARS_LEFT_AFTER_SHIFT] > 0 and not barred else NONE
        best = longest_path(table, memo, standing, todo, options, front, top, front, state)
        if best < 0:
            return False
        children = table[FIRST_CHILD, front + 1] - table[NEXT_CHILD, front]
        scores[0] = best + table[PENDING, front + 1] + children
    if top >= 1:
        lower = np.int64(table[STACK, top - 1])
        state = BARRED if barred else NONE
        best = longest_path(table, memo, standing, todo, options, unshifted, top - 2, lower, state)
        if best < 0:
            return False
        children = table[FIRST_CHILD, lower + 1] - table[NEXT_CHILD, lower]
        scores[1] = best + table[PENDING, front] + children + (table[HEAD, upper] == lower)
    if top >= 2:
        best = longest_path(table, memo, standing, todo, options, unshifted, top - 2, upper, free)
        if best < 0:
            return False
        children = 0 if standing[BARS_RIGHT] else table[FIRST_CHILD, upper + 1] - table[NEXT_CHILD, upper]
        scores[2] = best + table[PENDING, front] + children + (table[HEAD, table[STACK, top - 1]] == upper)
    return True


@kernel
def score_steps_from_scratch(
    heads, stack, front, room, pruned, bars_left_after_shift, bars_left_below_top, bars_right, scores
):
    """Fill in the scores of one configuration, with a memo of a power of two of rows; False if too small."""
    table, standing = np.zeros((TABLE_ROWS, heads.size + 1), np.int32), np.zeros(STANDING_SIZE, np.int64)
    memo = np.full((room, MEMO_COLUMNS), -1, np.int64)
    todo, options = (
        np.empty((room, OPTION_COLUMNS), np.int32),
        np.empty((MOST_OPTIONS, OPTION_COLUMNS), np.int32),
    )
    standing[PRUNED], standing[BARS_RIGHT] = pruned, bars_right
    standing[BARS_LEFT_AFTER_SHIFT], standing[BARS_LEFT_BELOW_TOP] = (
        bars_left_after_shift,
        bars_left_below_top,
    )
    describe_reference(heads, table)
    for word in range(heads.size):
        table[IDENTITY, word] = word
    place_stack(stack, front, table, memo, standing)
    return score_steps(table, memo, standing, todo, options, scores)
