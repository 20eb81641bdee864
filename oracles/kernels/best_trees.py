"""Leftmost of the best trees of a max-plus chart, and projectivization as an application.

An item is the index of its value in `chart.score`. An alternative is one way to reach that value: a rule and
a split, as rule * width + k.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.charts import (
    AFTER,
    BEFORE,
    CHILD_LEFT,
    CHILD_RIGHT,
    LEFT,
    RIGHT,
    Limits,
    fill_chart,
    planes,
)
from treewhile.oracles.kernels.heads import preference_weights
from treewhile.oracles.kernels.values import ALMOST_NEVER, NEVER, UNKNOWN

# Kinds of items.
COMPLETE_LEFT, COMPLETE_RIGHT, OPEN_LEFT, OPEN_RIGHT = range(4)


@helper
def span(firsts, width, item):
    """Return kind, state and the ends of an item."""
    _, left_at, right, right_at, left_open, right_open = firsts
    row, end = item // width, item % width
    at = row % width
    if row < left_at:
        return COMPLETE_LEFT, row // width, at, end
    if row < right_at:
        return COMPLETE_RIGHT, (row - right) // width, at, end
    if row < right_open:
        return OPEN_LEFT, (row - left_open) // width, end, at
    return OPEN_RIGHT, (row - right_open) // width, at, end


@helper
def parts(left_rules, right_rules, states, firsts, width, kind, state, i, j, r):
    """Return the two smaller items that rule r joins at split 0, and the stride of the second ones.

    The first item of split k is k places further.
    """
    left, _, right, _, left_open, right_open = firsts
    if kind == COMPLETE_LEFT:
        y = left_open + (left_rules[r, CHILD_RIGHT] * states + left_rules[r, BEFORE]) * width + j
        return (left + left_rules[r, CHILD_LEFT] * width + i) * width, y * width, 1
    if kind == COMPLETE_RIGHT:
        x = right_open + (right_rules[r, BEFORE] * states + right_rules[r, CHILD_LEFT]) * width + i
        return x * width, (right + right_rules[r, CHILD_RIGHT] * width) * width + j, width
    b, c = state // states, state % states
    return (right + b * width + i) * width, (left + c * width + 1) * width + j, width


@helper
def next_alternative(left_rules, right_rules, states, firsts, width, weight, score, item, alternative):
    """Return the first alternative from a given one on with the item's value, with its parts; or -1."""
    kind, state, i, j = span(firsts, width, item)
    value, rows = score[item], 1
    if kind == COMPLETE_LEFT:
        rows = left_rules.shape[0]
    elif kind == COMPLETE_RIGHT:
        rows = right_rules.shape[0]
    else:
        value -= weight[j, i] if kind == OPEN_LEFT else weight[i, j]
    begin, end = (i + 1, j + 1) if kind == COMPLETE_RIGHT else (i, j)
    r, k = alternative // width, max(alternative % width, begin)
    while r < rows:
        if (
            kind >= OPEN_LEFT
            or (left_rules[r, AFTER] if kind == COMPLETE_LEFT else right_rules[r, AFTER]) == state
        ):
            x, y, apart = parts(left_rules, right_rules, states, firsts, width, kind, state, i, j, r)
            while k < end:
                if score[x + k] + score[y + k * apart] == value:
                    return r * width + k, x + k, y + k * apart
                k += 1
        r, k = r + 1, begin
    return -1, -1, -1


@helper
def spell(first_part, second_part, firsts, width, item, todo, heads):
    """Write the heads of the words that an item covers, along the chosen parts."""
    todo[0], size = item, 1
    while size:
        size -= 1
        kind, _, i, j = span(firsts, width, todo[size])
        if i == j:
            continue
        if kind == OPEN_LEFT:
            heads[i] = j
        elif kind == OPEN_RIGHT:
            heads[j] = i
        todo[size], todo[size + 1] = first_part[todo[size]], second_part[todo[size]]
        size += 2


@helper
def is_more_left(heads, others, begin, end):
    for word in range(begin, end):
        if heads[word] != others[word]:
            return heads[word] < others[word]
    return False


@kernel
def leftmost_tree(rules, width, weight, chart):
    """Return the heads of the best tree whose head vector is lexicographically first; [0] is unknown.

    Reached items are collected from wide to narrow, then those with several alternatives are decided from
    narrow to wide: by the heads that they spell, so each tie costs only the length of its span.
    """
    score, left_rules, right_rules, states = chart.score, rules.left, rules.right, rules.left_states
    firsts = planes(rules, width)
    first_part = np.full(score.size, -1, np.int32)
    second_part, following = np.empty(score.size, np.int32), np.empty(score.size, np.int32)
    reached = np.full(2 * width, -1, np.int32)  # [2 * width, + 1 if complete]: an item, linked by `following`
    tied = np.full(2 * width, -1, np.int32)  # the same for items with several alternatives
    todo = np.empty(2 * width + 2, np.int64)
    heads, others = np.full(width, UNKNOWN, np.int32), np.full(width, UNKNOWN, np.int32)
    whole_item = -1
    for r in range(rules.start.shape[0]):
        item = (firsts.right + rules.start[r, RIGHT] * width) * width + width - 1
        if chart.first[rules.start[r, LEFT] * width] == 0 and (
            whole_item < 0 or score[item] > score[whole_item]
        ):
            whole_item = item
    if width == 1:
        return heads
    reached[2 * width - 1], following[whole_item] = whole_item, -1
    for size in range(2 * width - 1, 1, -1):
        item = reached[size]
        while item >= 0:
            next_item, ways, alternative = following[item], 0, -1
            while True:
                alternative, x, y = next_alternative(
                    left_rules, right_rules, states, firsts, width, weight, score, item, alternative + 1
                )
                if alternative < 0:
                    break
                if ways == 0:
                    first_part[item], second_part[item] = x, y
                ways += 1
                for part in (x, y):
                    kind, _, i, j = span(firsts, width, part)
                    if i < j and first_part[part] < 0:
                        first_part[part] = 0
                        place = 2 * (j - i) + (kind < OPEN_LEFT)
                        following[part], reached[place] = reached[place], part
            if ways > 1:
                following[item], tied[size] = tied[size], item
            item = next_item
    for size in range(2, 2 * width):
        item = tied[size]
        while item >= 0:
            _, _, i, j = span(firsts, width, item)
            is_decided, alternative = False, -1
            while True:
                alternative, x, y = next_alternative(
                    left_rules, right_rules, states, firsts, width, weight, score, item, alternative + 1
                )
                if alternative < 0:
                    break
                first, second = first_part[item], second_part[item]
                first_part[item], second_part[item] = x, y
                spell(first_part, second_part, firsts, width, item, todo, others)
                if not is_decided or is_more_left(others, heads, i, j + 1):
                    heads[i : j + 1] = others[i : j + 1]
                    is_decided = True
                else:
                    first_part[item], second_part[item] = first, second
            item = following[item]
    spell(first_part, second_part, firsts, width, whole_item, todo, heads)
    return heads


@kernel
def best_projective_heads(rules, heads, single_root):
    """Return the heads of the best projective tree under the tie rule; [0] is unknown."""
    weight = preference_weights(heads, single_root)
    terminals = np.zeros(heads.size, np.int64)
    chart, _, _ = fill_chart(rules, terminals, weight, None, None, Limits(NEVER, ALMOST_NEVER, 1))
    return leftmost_tree(rules, heads.size, weight, chart)
