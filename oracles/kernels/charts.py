"""Chart of Nederhof 2019, Table 2: sums over all derivations of a string by a split grammar.

Semirings are selected by arguments that may be None, which is decided at compile time, since a branch on a
number that guards array slices keeps the slices' reference counts alive (five times the time). So `ways`,
`count` and `log` are separate from the records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.values import Longs, Scores, best_sum, count_ties, log_sum, plus

# Columns of initial and start, and those of rules.
LEFT, RIGHT = 0, 1
AFTER, CHILD_LEFT, CHILD_RIGHT, BEFORE = range(4)


class Rules(NamedTuple):
    """Split grammar in numbers."""

    initial: Longs  # [terminal]: LEFT and RIGHT state
    start: Longs  # [rule]: LEFT and RIGHT state that complete the start symbol
    left: Longs  # [rule]: the states AFTER and BEFORE a child is taken, and the child's own two
    right: Longs  # the same
    left_states: int
    right_states: int


class Limits(NamedTuple):
    """Constants for the values of a chart."""

    never: Any  # minus infinity, for forbidden edges
    almost_never: Any  # lower bound of finite scores
    modulus: Any  # modulus of counts: a prime, or infinity for floats


class Planes(NamedTuple):
    """First rows of the items of each kind.

    The plane of an open item over i..j is `right state of i * left_states + left state of j`.
    """

    left: int  # by left end
    left_at: int  # by right end
    right: int  # by left end
    right_at: int  # by right end
    left_open: int  # with their edge to the left, by right end
    right_open: int  # with their edge to the right, by left end


class Chart(NamedTuple):
    """Items of Table 2, in flat rows: a row is one plane at one fixed end; the other end runs along it.

    Complete items are stored in two planes, by their left and by their right end, so both their uses read
    along a row. Two arguments beside the chart select the semiring: `count`, in the layout of `score`, for
    max-with-count, and any value of `log` for log; with None for both it is max-plus.
    """

    score: Scores  # [row * width + other end]
    first: Longs  # [row]: the other ends outside first..last hold zero
    last: Longs


@kernel
def planes(rules, width):
    right = 2 * rules.left_states
    left_open = right + 2 * rules.right_states
    right_open = left_open + rules.left_states * rules.right_states
    return Planes(
        0,
        rules.left_states * width,
        right * width,
        (right + rules.right_states) * width,
        left_open * width,
        right_open * width,
    )


@helper
def put(score, count, first, last, width, row, end, value, ties):
    score[row * width + end] = value
    if count is not None:
        count[row * width + end] = ties
    first[row] = min(first[row], end)
    last[row] = max(last[row], end)


@helper
def fold(score, count, log, a, b, size, modulus, never):
    """Return the sum over two stretches of values that begin at a and b."""
    if log is not None:
        return log_sum(score[a : a + size], score[b : b + size], never), 0
    best = best_sum(score[a : a + size], score[b : b + size], never)
    if count is None:
        return best, 0
    a_count, b_count = count[a : a + size], count[b : b + size]
    return best, count_ties(score[a : a + size], score[b : b + size], best, a_count, b_count, modulus)


@helper
def put_complete(score, count, log, first, last, width, row, row_at, i, j, value, ties, modulus):
    """Add to a complete item over i..j, in both of its rows."""
    if last[row] == j:
        old = row * width + j
        value, ties = plus(log, value, ties, score[old], 0 if count is None else count[old], modulus)
    put(score, count, first, last, width, row, j, value, ties)
    put(score, count, first, last, width, row_at, i, value, ties)


@kernel
def fill_chart(rules, terminals, weight, ways, log, limits):
    """Return a filled chart and W, as value and count.

    weight[head, child] may be minus infinity. If derivations are counted, ways[head, child] is the
    multiplicity of an edge.
    """
    width = terminals.size
    states = rules.left_states * rules.right_states
    rows = 2 * (rules.left_states + rules.right_states + states) * width
    score = np.full(rows * width, limits.never, weight.dtype)
    count = None if ways is None else np.zeros(rows * width, ways.dtype)
    chart = Chart(score, np.full(rows, width, np.int64), np.full(rows, -1, np.int64))
    fill_items(rules, terminals, weight, ways, chart, count, log, limits)
    value, ties = whole(rules, chart, count, log, width, limits)
    return chart, value, ties


@kernel
def fill_items(rules, terminals, weight, ways, chart, count, log, limits):
    """Fill the items by the recurrences of Nederhof 2019, Table 2, O(n^3) a rule."""
    width = terminals.size
    left, left_at, right, right_at, left_open, right_open = planes(rules, width)
    initial, _, left_rules, right_rules, states, right_states = rules
    score, first, last = chart
    never, almost_never, modulus = limits
    for i in range(width - 1, -1, -1):
        b, c = initial[terminals[i], LEFT] * width + i, initial[terminals[i], RIGHT] * width + i
        put(score, count, first, last, width, left + b, i, 0, 1)
        put(score, count, first, last, width, left_at + b, i, 0, 1)
        put(score, count, first, last, width, right + c, i, 0, 1)
        put(score, count, first, last, width, right_at + c, i, 0, 1)
        for j in range(i + 1, width):
            for b in range(right_states):
                for c in range(states):
                    x, y = right + b * width + i, left_at + c * width + j
                    begin = max(i, first[x], first[y] - 1)
                    size = min(j, last[x] + 1, last[y]) - begin
                    if size <= 0:
                        continue
                    x, y = x * width + begin, y * width + begin + 1
                    value, ties = fold(score, count, log, x, y, size, modulus, never)
                    row = left_open + (b * states + c) * width + j
                    if value + weight[j, i] > almost_never:
                        total = 0 if count is None else ties * ways[j, i] % modulus
                        put(score, count, first, last, width, row, i, value + weight[j, i], total)
                    row = right_open + (b * states + c) * width + i
                    if value + weight[i, j] > almost_never:
                        total = 0 if count is None else ties * ways[i, j] % modulus
                        put(score, count, first, last, width, row, j, value + weight[i, j], total)
            for r in range(left_rules.shape[0]):
                x = left + left_rules[r, CHILD_LEFT] * width + i
                y = left_open + (left_rules[r, CHILD_RIGHT] * states + left_rules[r, BEFORE]) * width + j
                begin = max(i, first[x], first[y])
                size = min(j, last[x] + 1, last[y] + 1) - begin
                if size <= 0:
                    continue
                value, ties = fold(
                    score, count, log, x * width + begin, y * width + begin, size, modulus, never
                )
                if value > almost_never:
                    x, y = left + left_rules[r, AFTER] * width + i, left_at + left_rules[r, AFTER] * width + j
                    put_complete(score, count, log, first, last, width, x, y, i, j, value, ties, modulus)
            for r in range(right_rules.shape[0]):
                x = right_open + (right_rules[r, BEFORE] * states + right_rules[r, CHILD_LEFT]) * width + i
                y = right_at + right_rules[r, CHILD_RIGHT] * width + j
                begin = max(i + 1, first[x], first[y])
                size = min(j, last[x], last[y]) + 1 - begin
                if size <= 0:
                    continue
                value, ties = fold(
                    score, count, log, x * width + begin, y * width + begin, size, modulus, never
                )
                if value > almost_never:
                    x, y = (
                        right + right_rules[r, AFTER] * width + i,
                        right_at + right_rules[r, AFTER] * width + j,
                    )
                    put_complete(score, count, log, first, last, width, x, y, i, j, value, ties, modulus)


@kernel
def whole(rules, chart, count, log, width, limits):
    """Return W of Table 2, as value and count: the whole string under the start symbol."""
    total, total_ties = limits.never, 0
    for r in range(rules.start.shape[0]):
        left_row = rules.start[r, LEFT] * width
        right_row = planes(rules, width).right + rules.start[r, RIGHT] * width
        if chart.first[left_row] == 0 and chart.last[right_row] == width - 1:
            at = right_row * width + width - 1
            ties = 0 if count is None else count[at]
            if total == limits.never:
                total, total_ties = chart.score[at], ties
            else:
                total, total_ties = plus(log, chart.score[at], ties, total, total_ties, limits.modulus)
    return total, total_ties
