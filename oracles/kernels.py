"""All compiled loops of the oracles.

A kernel trusts its caller: the module that owns the algorithm validates, allocates and chooses.

Two things found by measuring, for whoever edits the chart: helpers that take arrays are inlined before
compilation, since numba counts references at each call that it sees (twice the time); and what selects a
semiring is an argument that may be None, which is decided at compile time, since a branch on a number that
guards array slices keeps the slices' reference counts alive (five times the time).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.compilation import helper, kernel

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Scores = npt.NDArray[Any]  # int64 for exact oracles, float64 for real-valued weights

# Minus infinity of integer scores: two of them add up without overflow, and no sum that has one in it is
# ever stored, so it swallows as the true one does. Floating-point scores use the true one.
NEVER = -(1 << 61)
ALMOST_NEVER = NEVER >> 1

# Integer counts are kept modulo primes below 2**26: that many products of two residues fit into 63 bits.
LAZY_PRODUCTS = 2048

UNKNOWN = -1

# --- folds: the sum over k of a[k] times b[k], in each semiring ---------------------------------------------


@helper
def best_sum(a, b, never):
    best = never
    for k in range(a.size):
        best = max(best, a.dtype.type(a[k] + b[k]))
    return best


@helper
def log_sum(a, b, never):
    top = best_sum(a, b, never)
    if top == never:
        return top
    total = 0.0
    for k in range(a.size):
        total += np.exp(a[k] + b[k] - top)
    return top + np.log(total)


@helper
def tied_products(a, b, best, a_count, b_count):
    total = a_count.dtype.type(0)
    for k in range(a.size):
        total += a_count[k] * b_count[k] if a[k] + b[k] == best else 0
    return total


@helper
def count_ties(a, b, best, a_count, b_count, modulus):
    """How many of the products reach the best, each counted as often as its parts; the type of the counts."""
    total = a_count.dtype.type(0)
    for at in range(0, a.size, LAZY_PRODUCTS):
        to = at + LAZY_PRODUCTS
        total = (total + tied_products(a[at:to], b[at:to], best, a_count[at:to], b_count[at:to])) % modulus
    return total


# --- heads --------------------------------------------------------------------------------------------------

PROJECTIVE, NON_PROJECTIVE, OUT_OF_RANGE, OWN_HEAD, CYCLE = 0, 1, 2, 3, 4


@kernel
def examine_heads(given, may_be_unknown, heads):
    """What given heads are, the word that makes them so, and how many words are under 0 and under nothing
    known; copies them to heads[word], heads[0] unknown.

    Projective means: some projective tree has all the known edges. That is so exactly where a shift-reduce
    parser that takes every gold edge as soon as it can gets all words off its stack, so one pass decides it.
    """
    n = given.size
    heads[0] = UNKNOWN
    awaited = np.zeros(n + 1, np.int32)  # [word]: children that it has yet to take
    known = n
    for word in range(1, n + 1):
        head = given[word - 1]
        if head > n or (head < 0 and not (may_be_unknown and head == UNKNOWN)):
            return OUT_OF_RANGE, word, 0, 0
        if head == word:
            return OWN_HEAD, word, 0, 0
        if head == UNKNOWN:
            known -= 1
        else:
            awaited[head] += 1
        heads[word] = head
    roots = awaited[0]
    stack = np.empty(n + 1, np.int32)
    stack[0], top = 0, 0
    for word in range(1, n + 1):
        top += 1
        stack[top] = word
        while top > 0:
            upper, lower = stack[top], stack[top - 1]
            if lower > 0 and heads[lower] == upper and awaited[lower] == 0:
                awaited[upper] -= 1
                stack[top - 1] = upper
            elif awaited[upper] == 0 and (heads[upper] == lower or heads[upper] == UNKNOWN):
                if heads[upper] == lower:
                    awaited[lower] -= 1
            else:
                break
            top -= 1
    if top == 0:
        return PROJECTIVE, 0, roots, n - known
    verdict, word = find_cycle(heads)
    return verdict, word, roots, n - known


@kernel
def find_cycle(heads):
    met = np.zeros(heads.size, np.int32)  # [word]: the word whose way up passed here first
    for start in range(1, heads.size):
        word = start
        while word > 0 and met[word] == 0:
            met[word] = start
            word = heads[word]
        if word > 0 and met[word] == start:
            return CYCLE, word
    return NON_PROJECTIVE, 0


@kernel
def lies_under(heads, head, word):
    """Whether a word is a descendant of another, all heads being known."""
    while word > 0 and word != head:
        word = heads[word]
    return word == head


@kernel
def shortest_non_projective(heads):
    """The child of the shortest edge over a word that is not its head's descendant, the leftmost; or 0."""
    best, best_length = 0, heads.size
    for child in range(1, heads.size):
        head = heads[child]
        if abs(head - child) >= best_length:
            continue
        for word in range(min(head, child) + 1, max(head, child)):
            if not lies_under(heads, head, word):
                best, best_length = child, abs(head - child)
                break
    return best


# --- the chart of Table 2 -----------------------------------------------------------------------------------


class Rules(NamedTuple):
    """A split grammar in numbers."""

    initial: Longs  # [terminal]: left state, right state
    start: Longs  # [rule]: left state and right state that complete the start symbol
    left: Longs  # [rule]: state after, child's left state, child's right state, state before
    right: Longs  # [rule]: state after, state before, child's left state, child's right state
    left_states: int
    right_states: int


class Chart(NamedTuple):
    """The items of Table 2, in flat rows: a row is one plane at one fixed end; the other end runs along it.

    Complete items stand in two planes, by their left and by their right end, so that both their uses read
    along a row. Two things beside the chart select the semiring: `count`, in the layout of `score`, for
    max-with-count, and anything as `log` for log; with None for both it is max-plus.
    """

    score: Scores  # [row * width + other end]
    first: Longs  # [row]: the other ends outside first..last hold zero
    last: Longs


@kernel
def planes(rules, width):
    """The first rows of: left items by left end, by right end; right items by left end, by right end; open
    items with their edge to the left (by right end), to the right (by left end).

    The plane of an open item over i..j is `right state of i * left_states + left state of j`.
    """
    right = 2 * rules.left_states
    left_open = right + 2 * rules.right_states
    right_open = left_open + rules.left_states * rules.right_states
    return (
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
    """The sum over two stretches of values that begin at a and b."""
    if log is not None:
        return log_sum(score[a : a + size], score[b : b + size], never), 0
    best = best_sum(score[a : a + size], score[b : b + size], never)
    if count is None:
        return best, 0
    a_count, b_count = count[a : a + size], count[b : b + size]
    return best, count_ties(score[a : a + size], score[b : b + size], best, a_count, b_count, modulus)


@helper
def plus(log, value, ties, other, other_ties, modulus):
    if log is not None:
        return max(value, other) + np.log1p(np.exp(min(value, other) - max(value, other))), 0
    if value == other:
        return value, (ties + other_ties) % modulus
    return (value, ties) if value > other else (other, other_ties)


@helper
def put_complete(score, count, log, first, last, width, row, row_at, i, j, value, ties, modulus):
    """Adds to a complete item over i..j, in both of its rows."""
    if last[row] == j:
        old = row * width + j
        value, ties = plus(log, value, ties, score[old], 0 if count is None else count[old], modulus)
    put(score, count, first, last, width, row, j, value, ties)
    put(score, count, first, last, width, row_at, i, value, ties)


@kernel
def fill_chart(rules, terminals, weight, ways, log, never, almost_never, modulus):
    """A filled chart and W, as value and count.

    weight[head, child] may be `never`, minus infinity; no finite score falls below `almost_never`. Where
    derivations are counted, ways[head, child] says how often an edge counts, and `modulus` is a prime, or
    infinity where the ways are floats.
    """
    width = terminals.size
    states = rules.left_states * rules.right_states
    rows = 2 * (rules.left_states + rules.right_states + states) * width
    score = np.full(rows * width, never, weight.dtype)
    count = None if ways is None else np.zeros(rows * width, ways.dtype)
    first, last = np.full(rows, width, np.int64), np.full(rows, -1, np.int64)
    fill_items(
        width,
        planes(rules, width),
        terminals,
        rules.initial,
        rules.left,
        rules.right,
        rules.left_states,
        rules.right_states,
        weight,
        ways,
        score,
        count,
        log,
        first,
        last,
        never,
        almost_never,
        modulus,
    )
    chart = Chart(score, first, last)
    value, ties = whole(rules, chart, count, log, width, never, modulus)
    return chart, value, ties


@kernel
def fill_items(
    width,
    firsts,
    terminals,
    initial,
    left_rules,
    right_rules,
    states,
    right_states,
    weight,
    ways,
    score,
    count,
    log,
    first,
    last,
    never,
    almost_never,
    modulus,
):
    """The recurrences of Nederhof 2019, Table 2, O(n^3) a rule."""
    left, left_at, right, right_at, left_open, right_open = firsts
    for i in range(width - 1, -1, -1):
        b, c = initial[terminals[i], 0] * width + i, initial[terminals[i], 1] * width + i
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
                x = left + left_rules[r, 1] * width + i
                y = left_open + (left_rules[r, 2] * states + left_rules[r, 3]) * width + j
                begin = max(i, first[x], first[y])
                size = min(j, last[x] + 1, last[y] + 1) - begin
                if size <= 0:
                    continue
                value, ties = fold(
                    score, count, log, x * width + begin, y * width + begin, size, modulus, never
                )
                if value > almost_never:
                    x, y = left + left_rules[r, 0] * width + i, left_at + left_rules[r, 0] * width + j
                    put_complete(score, count, log, first, last, width, x, y, i, j, value, ties, modulus)
            for r in range(right_rules.shape[0]):
                x = right_open + (right_rules[r, 1] * states + right_rules[r, 2]) * width + i
                y = right_at + right_rules[r, 3] * width + j
                begin = max(i + 1, first[x], first[y])
                size = min(j, last[x], last[y]) + 1 - begin
                if size <= 0:
                    continue
                value, ties = fold(
                    score, count, log, x * width + begin, y * width + begin, size, modulus, never
                )
                if value > almost_never:
                    x, y = right + right_rules[r, 0] * width + i, right_at + right_rules[r, 0] * width + j
                    put_complete(score, count, log, first, last, width, x, y, i, j, value, ties, modulus)


@kernel
def whole(rules, chart, count, log, width, never, modulus):
    """W of Table 2, as value and count: all of the string under the start symbol."""
    total, total_ties = never, 0
    for r in range(rules.start.shape[0]):
        left_row = rules.start[r, 0] * width
        right_row = planes(rules, width)[2] + rules.start[r, 1] * width
        if chart.first[left_row] == 0 and chart.last[right_row] == width - 1:
            at = right_row * width + width - 1
            ties = 0 if count is None else count[at]
            if total == never:
                total, total_ties = chart.score[at], ties
            else:
                total, total_ties = plus(log, chart.score[at], ties, total, total_ties, modulus)
    return total, total_ties


# --- the leftmost of the best trees of a max-plus chart -----------------------------------------------------
# An item is the place of its value in `chart.score`. An alternative is one way to reach that value: a rule
# and a split, as rule * width + k.


@helper
def span(firsts, width, item):
    """Kind (0 left, 1 right, 2 open to the left, 3 open to the right), state and the ends of an item."""
    _, left_at, right, right_at, left_open, right_open = firsts
    row, end = item // width, item % width
    at = row % width
    if row < left_at:
        return 0, row // width, at, end
    if row < right_at:
        return 1, (row - right) // width, at, end
    if row < right_open:
        return 2, (row - left_open) // width, end, at
    return 3, (row - right_open) // width, at, end


@helper
def parts(left_rules, right_rules, states, firsts, width, kind, state, i, j, r):
    """Where the two smaller items lie that rule r joins at split 0, and how far apart the second ones are.

    The first item of split k lies k places further.
    """
    left, _, right, _, left_open, right_open = firsts
    if kind == 0:
        y = left_open + (left_rules[r, 2] * states + left_rules[r, 3]) * width + j
        return (left + left_rules[r, 1] * width + i) * width, y * width, 1
    if kind == 1:
        x = right_open + (right_rules[r, 1] * states + right_rules[r, 2]) * width + i
        return x * width, (right + right_rules[r, 3] * width) * width + j, width
    b, c = state // states, state % states
    return (right + b * width + i) * width, (left + c * width + 1) * width + j, width


@helper
def next_alternative(left_rules, right_rules, states, firsts, width, weight, score, item, alternative):
    """The first alternative from a given one on that reaches the item's value, with its parts; or -1."""
    kind, state, i, j = span(firsts, width, item)
    value, rows = score[item], 1
    if kind == 0:
        rows = left_rules.shape[0]
    elif kind == 1:
        rows = right_rules.shape[0]
    else:
        value -= weight[j, i] if kind == 2 else weight[i, j]
    begin, end = (i + 1, j + 1) if kind == 1 else (i, j)
    r, k = alternative // width, max(alternative % width, begin)
    while r < rows:
        if kind >= 2 or (left_rules[r, 0] if kind == 0 else right_rules[r, 0]) == state:
            x, y, apart = parts(left_rules, right_rules, states, firsts, width, kind, state, i, j, r)
            while k < end:
                if score[x + k] + score[y + k * apart] == value:
                    return r * width + k, x + k, y + k * apart
                k += 1
        r, k = r + 1, begin
    return -1, -1, -1


@helper
def spell(first_part, second_part, firsts, width, item, todo, heads):
    """Writes the heads of the words that an item covers, along the parts chosen."""
    todo[0], size = item, 1
    while size:
        size -= 1
        kind, _, i, j = span(firsts, width, todo[size])
        if i == j:
            continue
        if kind == 2:
            heads[i] = j
        elif kind == 3:
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
    """The heads of the best tree whose head vector is the first in alphabetical order; [0] is unknown.

    Reached items are collected from wide to narrow, then those with several alternatives are decided from
    narrow to wide: by the heads that they spell, so ties cost the length of the span each, and nothing else.
    """
    score, left_rules, right_rules, states = chart.score, rules.left, rules.right, rules.left_states
    firsts = planes(rules, width)
    first_part = np.full(score.size, -1, np.int32)
    second_part, following = np.empty(score.size, np.int32), np.empty(score.size, np.int32)
    reached = np.full(2 * width, -1, np.int32)  # [2 * width, + 1 if complete]: an item, linked by `following`
    tied = np.full(2 * width, -1, np.int32)  # the same for those with several alternatives
    todo = np.empty(2 * width + 2, np.int64)
    heads, others = np.full(width, UNKNOWN, np.int32), np.full(width, UNKNOWN, np.int32)
    whole_item = -1
    for r in range(rules.start.shape[0]):
        item = (firsts[2] + rules.start[r, 1] * width) * width + width - 1
        if chart.first[rules.start[r, 0] * width] == 0 and (
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
                        place = 2 * (j - i) + (kind < 2)
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


# --- projectivization ---------------------------------------------------------------------------------------


@kernel
def preference_weights(heads, single_root):
    """weight[head, child] of the tie rule, in one integer: gold edges, then few roots, then short edges.

    Each unit outweighs all that the lesser ones can add up to over a tree. Few roots come first where one is
    demanded: some projective tree always has just one.
    """
    width = heads.size
    if single_root:
        gold = width * width
        root = width * gold + gold
    else:
        root = width * width
        gold = width * root + root
    weight = np.empty((width, width), np.int64)
    for head in range(width):
        for child in range(width):
            weight[head, child] = -abs(head - child)
    for child in range(1, width):
        weight[0, child] -= root
        if heads[child] != UNKNOWN:
            weight[heads[child], child] += gold
    weight[:, 0] = NEVER
    return weight


@kernel
def best_projective_heads(rules, heads, single_root):
    """The heads of the best projective tree under the tie rule; [0] is unknown."""
    weight = preference_weights(heads, single_root)
    terminals = np.zeros(heads.size, np.int64)
    chart, _, _ = fill_chart(rules, terminals, weight, None, None, NEVER, ALMOST_NEVER, 1)
    return leftmost_tree(rules, heads.size, weight, chart)


# --- optimal steps from a chart -----------------------------------------------------------------------------


@kernel
def gold_weights(heads, nodes):
    """weight[head, child] over increasing nodes: 1 for gold edges, NEVER for edges to node 0, else 0."""
    weight = np.zeros((nodes.size, nodes.size), np.int64)
    weight[:, 0] = NEVER
    place = np.full(heads.size, -1, np.int32)
    for at in range(nodes.size):
        place[nodes[at]] = at
    for at in range(1, nodes.size):
        head = heads[nodes[at]]
        if head != UNKNOWN and place[head] >= 0:
            weight[place[head], at] = 1
    return weight


# --- optimal steps for projective references ----------------------------------------------------------------
# The recurrences of `projective_steps` as the longest path through a graph of situations, each a fact once
# its value is known. A situation is: which node lies below the top of the stack, the word on top, a state.

# Rows of the table: what is known of each word, each stack level, and each place in the sentence.
TABLE_ROWS = 13
(
    HEAD,  # [word]
    COMPONENT,  # [word]: the last word reached by going up while heads lie further right
    FIRST_CHILD,  # [word]: where its children begin in CHILD
    CHILD,  # the children of all words, in order
    PENDING,  # [word]: gold edges among the words from it on
    IDENTITY,  # [word]: a number that changes when the reference changes around it
    NEXT_CHILD,  # [word]: where its children that remain in the input begin in CHILD
    LEVEL,  # [word]: its place on the stack, or -1
    LOWEST,  # [word]: the lowest stack level that held a gold neighbour when it came
    BOTTOM,  # [last word of a component]: the lowest level with a gold parent in it, where still true
    STACK,  # [level]: the word
    NODE,  # [level]: a number for this word upon all those below it
    CHANGED,  # [level]: the last word whose shift changed what this level or one below it can attain
) = range(TABLE_ROWS)

# Sizes beside the table.
SIZES = 5
TOP, FRONT, FACTS, NODES, FILLED = range(SIZES)

# States of a situation (Nederhof 2019, Section 5). A stack element on top: of its current component no word
# is consumed, the current critical word is, or only an earlier one.
NONE, CONSUMED, FRESH = 0, 1, 2
BARRED = 4  # the word on top takes no left children
FROM_INPUT = 8  # a critical word of the remaining input is on top
BARS_NEXT = 16  # the word below will take no left children
LINK = 31  # not a situation: the node of a word upon another node
STATE_BITS = 5

NO_LEVEL = 1 << 30


@kernel
def describe_reference(heads, table):
    """Fills the rows of the table that depend on the reference alone, save IDENTITY."""
    n = heads.size - 1
    for word in range(n + 2):
        table[FIRST_CHILD, word] = 0
    table[HEAD, 0] = UNKNOWN
    for word in range(1, n + 1):
        table[HEAD, word] = heads[word]
        if heads[word] != UNKNOWN:
            table[FIRST_CHILD, heads[word] + 1] += 1
    for word in range(1, n + 2):
        table[FIRST_CHILD, word] += table[FIRST_CHILD, word - 1]
    for word in range(n + 1):
        table[NEXT_CHILD, word] = table[FIRST_CHILD, word]
    for word in range(1, n + 1):
        if heads[word] != UNKNOWN:
            table[CHILD, table[NEXT_CHILD, heads[word]]] = word
            table[NEXT_CHILD, heads[word]] += 1
    table[PENDING, n + 1] = 0
    for word in range(n, 0, -1):
        head = heads[word]
        table[COMPONENT, word] = table[COMPONENT, head] if head > word else word
        later = head > word
        for place in range(table[FIRST_CHILD, word + 1] - 1, table[FIRST_CHILD, word] - 1, -1):
            if table[CHILD, place] < word:
                break
            later += 1
        table[PENDING, word] = table[PENDING, word + 1] + later


@kernel
def empty_memo(memo, size):
    memo[:, 0] = -1
    size[FACTS], size[NODES] = 0, 0


@kernel
def place_stack(stack, front, table, memo, size):
    """Fills the rows of the table that depend on the configuration."""
    if 2 * (size[FACTS] + stack.size) > memo.shape[0]:
        empty_memo(memo, size)
    for word in range(table.shape[1] - 1):
        table[NEXT_CHILD, word] = table[FIRST_CHILD, word]
        table[LEVEL, word] = -1
        table[BOTTOM, word] = -1
    for word in range(1, front):
        if table[HEAD, word] != UNKNOWN:
            table[NEXT_CHILD, table[HEAD, word]] += 1
    size[FRONT] = front
    for level in range(stack.size):
        table[LOWEST, stack[level]] = lowest_neighbour(table, stack[level])
        set_level(table, memo, size, level, stack[level])
    if front < table.shape[1] - 1:
        table[LOWEST, front] = lowest_neighbour(table, front)


@kernel
def lowest_neighbour(table, word):
    """The lowest stack level that holds the head or a child of a word to the right of the stack."""
    head = table[HEAD, word]
    lowest = NO_LEVEL if head == UNKNOWN or table[LEVEL, head] < 0 else table[LEVEL, head]
    for place in range(table[FIRST_CHILD, word], table[FIRST_CHILD, word + 1]):
        child = table[CHILD, place]
        if child > word:
            break
        if table[LEVEL, child] >= 0:
            return min(lowest, table[LEVEL, child])
    return lowest


@kernel
def set_level(table, memo, size, level, word):
    """Puts a word on the stack, as its new top."""
    size[TOP] = level
    table[STACK, level] = word
    table[LEVEL, word] = level
    front, head = size[FRONT], table[HEAD, word]
    changed = table[CHANGED, level - 1] if level > 0 else 0
    if word < head < front:
        changed = max(changed, head)
    if table[NEXT_CHILD, word] > table[FIRST_CHILD, word]:
        child = table[CHILD, table[NEXT_CHILD, word] - 1]
        if child > word:
            changed = max(changed, child)
    table[CHANGED, level] = changed
    table[NODE, level] = link(memo, size, table[NODE, level - 1] if level > 0 else 0, table[IDENTITY, word])
    if head >= front:
        component = table[COMPONENT, head]
        bottom = table[BOTTOM, component]
        if bottom < 0 or bottom >= level or not hangs_on(table, bottom, component, front):
            table[BOTTOM, component] = level


@helper
def hangs_on(table, level, component, front):
    """Whether the word on a stack level has a gold parent that remains, in a component."""
    head = table[HEAD, table[STACK, level]]
    return head >= front and table[COMPONENT, head] == component


@kernel
def take_step(step, table, memo, size):
    """Applies a legal step: 0 shift, 1 reduce_left, 2 reduce_right."""
    if 2 * size[FACTS] > memo.shape[0]:
        forget(table, memo, size)
    top, front = size[TOP], size[FRONT]
    if step == 0:
        head = table[HEAD, front]
        if head != UNKNOWN:
            table[NEXT_CHILD, head] += 1
        for level in range(table[LOWEST, front], top + 1):
            table[CHANGED, level] = front
        size[FRONT] = front + 1
        set_level(table, memo, size, top + 1, front)
        if front + 2 < table.shape[1]:
            table[LOWEST, front + 1] = lowest_neighbour(table, front + 1)
    elif step == 1:
        table[LEVEL, table[STACK, top]] = -1
        size[TOP] = top - 1
    else:
        table[LEVEL, table[STACK, top - 1]] = -1
        if front + 1 < table.shape[1] and table[LOWEST, front] == top:
            table[LOWEST, front] = top - 1
        set_level(table, memo, size, top - 1, table[STACK, top])


@helper
def find_fact(memo, a, b):
    """The row of the memo that holds the key (a, b), or the empty one where it belongs."""
    low, high = a & 0xFFFFFFFF, a >> 32
    mixed = (
        (low * 0x2545F491) ^ (high * 0x1B873593) ^ ((b & 0xFFFFFFFF) * 0x5851F42D) ^ ((b >> 32) * 0x14057B7E)
    )
    mixed ^= mixed >> 29
    mask = memo.shape[0] - 1
    at = mixed & mask
    while memo[at, 0] >= 0 and (memo[at, 0] != a or memo[at, 1] != b):
        at = (at + 1) & mask
    return at


@helper
def store(memo, size, at, a, b, value):
    memo[at, 0], memo[at, 1], memo[at, 2] = a, b, value
    size[FACTS] += 1


@kernel
def link(memo, size, below, identity):
    """The number of a node: a word upon a node; the same for the same two."""
    a, b = np.int64(below) << 32 | identity, np.int64(LINK)
    at = find_fact(memo, a, b)
    if memo[at, 0] < 0:
        size[NODES] += 1
        store(memo, size, at, a, b, size[NODES])
    return memo[at, 2]


@kernel
def forget(table, memo, size):
    """Empties the memo and numbers the nodes of the stack anew."""
    empty_memo(memo, size)
    node = 0
    for level in range(size[TOP] + 1):
        node = link(memo, size, node, table[IDENTITY, table[STACK, level]])
        table[NODE, level] = node


@helper
def find_situation(table, memo, front, lowest, level, word, state, critical):
    """Where the memo has, or would have, a situation as it is when `front` is the first remaining word.

    What a fact rests on changes only when a gold neighbour of a level or of the word is shifted, so the last
    such shift is part of its key, and a fact never gets stale. `lowest` is the lowest level that the shift of
    the word before front changes, where that has not been applied yet.
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
    """Whether a level below has a gold edge to a component of the remaining input."""
    head = table[HEAD, component]
    if head != UNKNOWN and 0 <= table[LEVEL, head] < level:
        return True
    bottom = table[BOTTOM, component]
    return 0 <= bottom < level and hangs_on(table, bottom, component, front)


@helper
def add_option(options, count, weight, level, word, state, critical):
    options[count, 0], options[count, 1], options[count, 2] = weight, level, word
    options[count, 3], options[count, 4] = state, critical
    return count + 1


@helper
def list_options(table, front, shifted, level, word, state, critical, pruned, all_barred, options):
    """Fills in the situations that may come next, each with the gold edges on the way; returns how many.

    Row: weight, level (-1: only 0 is left, nothing more to gain), word, state, critical. `shifted` is the
    word before front where its shift has not been applied yet, else 0. `all_barred`: no stack element takes
    a left child.
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


@kernel
def longest_path(table, memo, size, todo, options, shifted, level, word, state, pruned, all_barred):
    """The most gold edges on a path from a situation; -1 where the memo is too full to hold what it takes."""
    if level < 0:
        return 0
    front = size[FRONT] + (shifted > 0)
    lowest = table[LOWEST, shifted] if shifted > 0 else NO_LEVEL
    pending = add_option(todo, 0, 0, level, word, state, 0)
    value = 0
    while pending:
        level, word, state, critical = (
            todo[pending - 1, 1],
            todo[pending - 1, 2],
            todo[pending - 1, 3],
            todo[pending - 1, 4],
        )
        a, b, at = find_situation(table, memo, front, lowest, level, word, state, critical)
        if memo[at, 0] >= 0:
            value = memo[at, 2]
            pending -= 1
            continue
        count = list_options(table, front, shifted, level, word, state, critical, pruned, all_barred, options)
        before = pending
        value = 0
        for o in range(count):
            if options[o, 1] >= 0:
                _, _, place = find_situation(
                    table, memo, front, lowest, options[o, 1], options[o, 2], options[o, 3], options[o, 4]
                )
                if memo[place, 0] < 0:
                    pending = add_option(
                        todo, pending, 0, options[o, 1], options[o, 2], options[o, 3], options[o, 4]
                    )
                else:
                    value = max(value, options[o, 0] + memo[place, 2])
            else:
                value = max(value, options[o, 0])
        if pending == before:
            if size[FACTS] * 8 > memo.shape[0] * 7:
                return -1
            store(memo, size, at, a, b, value)
            size[FILLED] += 1
            pending -= 1
    return value


@kernel
def score_steps(
    table, memo, size, todo, options, pruned, bars_left_after_shift, bars_left_below_top, bars_right, scores
):
    """Fills in what shift, reduce_left and reduce_right attain, -1 where not legal; False: memo too full."""
    top, front, n = size[TOP], size[FRONT], table.shape[1] - 2
    # One integer type and no literals, or numba compiles the longest path three times.
    upper, unshifted, free = np.int64(table[STACK, top]), np.int64(0), np.int64(NONE)
    barred = bars_left_below_top
    scores[:] = -1
    if front <= n:
        state = BARS_NEXT if bars_left_after_shift and not barred else NONE
        best = longest_path(table, memo, size, todo, options, front, top, front, state, pruned, barred)
        if best < 0:
            return False
        children = table[FIRST_CHILD, front + 1] - table[NEXT_CHILD, front]
        scores[0] = best + table[PENDING, front + 1] + children
    if top >= 1:
        lower = np.int64(table[STACK, top - 1])
        state = BARRED if barred else NONE
        best = longest_path(
            table, memo, size, todo, options, unshifted, top - 2, lower, state, pruned, barred
        )
        if best < 0:
            return False
        children = table[FIRST_CHILD, lower + 1] - table[NEXT_CHILD, lower]
        scores[1] = best + table[PENDING, front] + children + (table[HEAD, upper] == lower)
    if top >= 2:
        best = longest_path(table, memo, size, todo, options, unshifted, top - 2, upper, free, pruned, barred)
        if best < 0:
            return False
        children = 0 if bars_right else table[FIRST_CHILD, upper + 1] - table[NEXT_CHILD, upper]
        scores[2] = best + table[PENDING, front] + children + (table[HEAD, table[STACK, top - 1]] == upper)
    return True


@kernel
def score_steps_from_scratch(
    heads, stack, front, room, pruned, bars_left_after_shift, bars_left_below_top, bars_right, scores
):
    """`score_steps` for one configuration, with a memo of a power of two of rows; False: too small."""
    table = np.zeros((TABLE_ROWS, heads.size + 1), np.int32)
    memo, todo = np.full((room, 3), -1, np.int64), np.empty((room, 5), np.int32)
    size, options = np.zeros(SIZES, np.int64), np.empty((3, 5), np.int32)
    describe_reference(heads, table)
    for word in range(heads.size):
        table[IDENTITY, word] = word
    place_stack(stack, front, table, memo, size)
    return score_steps(
        table,
        memo,
        size,
        todo,
        options,
        pruned,
        bars_left_after_shift,
        bars_left_below_top,
        bars_right,
        scores,
    )


# --- optimal steps for any reference, kept up ---------------------------------------------------------------
# The recurrences of `kept_chart`. Spans hold what the remaining input can attain by itself. A node is a stack
# prefix, a word upon another node; its values say what can be attained once all above it is done with.
#
# `weight` is None where the reference is heads, which are among the words, and all values are small integers;
# else it is weight[head, dependent], and all values are floats like it. All numbers that go from kernel to
# kernel are made 64-bit ones, none a literal, or numba compiles for each type anew.

# Tables of the spans i..j of the input: complete items, by left end and by right end, and open ones.
SPAN_TABLES = 6
LEFT, LEFT_AT, RIGHT, RIGHT_AT, OPEN_LEFT, OPEN_LEFT_AT = range(SPAN_TABLES)
SPAN_ENTRIES = 4  # values to a span

# Values of a node, each for the words from x on as the remaining input.
NODE_VALUES = 4
ON_TOP, TAKES, MEETS, COVERED = range(NODE_VALUES)

# Rows that describe nodes.
NODE_ROWS = 7
BELOW, WORD, KNOWN_AS, IS_BARRED, FILLED_FROM, FIRST_ABOVE, NEXT_BESIDE = range(NODE_ROWS)

# Rows of the words and levels.
WORD_ROWS = 5
WORD_HEAD, WORD_IDENTITY, STALE_FROM, LEVEL_WORD, LEVEL_NODE = range(WORD_ROWS)

SMALL_NEVER = -(1 << 29)


@helper
def edge(words, weight, head, dependent):
    if weight is None:
        return np.int32(words[WORD_HEAD, dependent] == head)
    return weight[head, dependent]


@helper
def never_of(weight):
    """Minus infinity of the values."""
    if weight is None:
        return np.int32(SMALL_NEVER)
    return -np.inf


@helper
def not_legal(weight):
    """What stands for a step that is not legal."""
    if weight is None:
        return -1
    return np.nan


@kernel
def fill_spans(words, weight, spans, open_right, size, down_to):
    """Fills the stale entries of the spans that begin at `down_to` or later (Eisner 1996)."""
    n, never = words.shape[1] - 2, never_of(weight)
    for i in range(n, down_to - 1, -1):
        begin = words[STALE_FROM, i]
        if begin > n:
            continue
        if begin <= i:
            for table in range(SPAN_TABLES):
                spans[table, i, i] = 0
        for j in range(max(begin, i + 1), n + 1):
            joined = best_sum(spans[RIGHT, i, i:j], spans[LEFT_AT, j, i + 1 : j + 1], never)
            to_left = joined + edge(words, weight, j, i)
            spans[OPEN_LEFT, i, j], spans[OPEN_LEFT_AT, j, i] = to_left, to_left
            open_right[i, j] = joined + edge(words, weight, i, j)
            best = best_sum(spans[LEFT, i, i:j], spans[OPEN_LEFT_AT, j, i:j], never)
            spans[LEFT, i, j], spans[LEFT_AT, j, i] = best, best
            best = best_sum(open_right[i, i + 1 : j + 1], spans[RIGHT_AT, j, i + 1 : j + 1], never)
            spans[RIGHT, i, j], spans[RIGHT_AT, j, i] = best, best
            size[FILLED] += SPAN_ENTRIES
        words[STALE_FROM, i] = n + 1


@kernel
def fill_done(words, weight, spans, values, done, size, level, word, barred, begin, end):
    """done[x] for begin <= x < end: what a word upon a level can attain once it takes no more right children.

    With heads, going on below its lowest gold neighbour gains nothing, so the way down ends there.
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
        size[FILLED] += end - begin


@kernel
def fill_node(words, weight, spans, nodes, values, done, size, level, node, single_root, down_to):
    """Fills the values of a node at a stack level for remaining inputs that begin at `down_to` or later."""
    n, never = words.shape[1] - 2, never_of(weight)
    word, filled = np.int64(nodes[WORD, node]), np.int64(nodes[FILLED_FROM, node])
    if filled <= down_to:
        return
    if level > 0:
        barred = np.int64(nodes[IS_BARRED, node])
        fill_done(words, weight, spans, values, done, size, level, word, barred, down_to, filled)
    else:
        done[down_to : n + 1] = never
        done[n + 1] = 0
    on_top, takes = values[ON_TOP, node], values[TAKES, node]
    meets, covered = values[MEETS, node], values[COVERED, node]
    if filled == n + 2:
        filled = n + 1
        on_top[filled], covered[filled] = done[filled], never
    takes_one = single_root and level == 0
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
        size[FILLED] += NODE_VALUES
    nodes[FILLED_FROM, node] = down_to


@kernel
def fill_stack(words, weight, spans, nodes, values, done, size, level, single_root, down_to):
    """Fills the nodes of the stack up to a level."""
    first = level + 1
    while first > 0 and nodes[FILLED_FROM, words[LEVEL_NODE, first - 1]] > down_to:
        first -= 1
    for lower in range(first, level + 1):
        node = np.int64(words[LEVEL_NODE, lower])
        fill_node(words, weight, spans, nodes, values, done, size, lower, node, single_root, down_to)


@kernel
def find_node(words, nodes, size, below, word, barred):
    """The node of a word upon another node, made where there is none yet; -1 where there is no room."""
    if below < 0 and size[NODES] > 0:
        return 0
    node = nodes[FIRST_ABOVE, below] if below >= 0 else -1
    while node >= 0:
        same = nodes[WORD, node] == word and nodes[KNOWN_AS, node] == words[WORD_IDENTITY, word]
        if same and nodes[IS_BARRED, node] == barred:
            return node
        node = nodes[NEXT_BESIDE, node]
    node = size[NODES]
    if node == nodes.shape[1]:
        return -1
    size[NODES] += 1
    nodes[BELOW, node], nodes[WORD, node], nodes[IS_BARRED, node] = below, word, barred
    nodes[KNOWN_AS, node], nodes[FILLED_FROM, node] = words[WORD_IDENTITY, word], words.shape[1]
    nodes[FIRST_ABOVE, node], nodes[NEXT_BESIDE, node] = -1, -1
    if below >= 0:
        nodes[NEXT_BESIDE, node], nodes[FIRST_ABOVE, below] = nodes[FIRST_ABOVE, below], node
    return node


@kernel
def score_any_steps(
    words,
    weight,
    spans,
    open_right,
    nodes,
    values,
    done,
    size,
    after_shift,
    below_top,
    bars_right,
    single_root,
    scores,
):
    """Fills in what shift, reduce_left and reduce_right can attain; False: no room for another node.

    What is not legal gets -1, NaN where edges have weights. With a single root, reduce_left is not legal
    where it would give the root a child while words remain.
    """
    top, front, n = size[TOP], size[FRONT], words.shape[1] - 2
    upper, free = np.int64(words[LEVEL_WORD, top]), np.int64(0)
    scores[:] = not_legal(weight)
    fill_spans(words, weight, spans, open_right, size, front)
    if front <= n:
        node = np.int64(words[LEVEL_NODE, top])
        if top > 0:
            below, barred = np.int64(words[LEVEL_NODE, top - 1]), np.int64(after_shift or below_top)
            node = find_node(words, nodes, size, below, upper, barred)
            if node < 0:
                return False
        fill_stack(words, weight, spans, nodes, values, done, size, top - 1, single_root, front)
        fill_node(words, weight, spans, nodes, values, done, size, top, node, single_root, front)
        scores[0] = values[MEETS, node, front]
    if top > 1 or (top == 1 and not (single_root and front <= n)):
        fill_stack(words, weight, spans, nodes, values, done, size, top - 1, single_root, front)
        lower = words[LEVEL_WORD, top - 1]
        scores[1] = values[ON_TOP, words[LEVEL_NODE, top - 1], front] + edge(words, weight, lower, upper)
    if top >= 2:
        made = edge(words, weight, upper, words[LEVEL_WORD, top - 1])
        if bars_right:
            fill_done(words, weight, spans, values, done, size, top - 1, upper, free, front, front + 1)
            scores[2] = done[front] + made
        else:
            node = find_node(words, nodes, size, np.int64(words[LEVEL_NODE, top - 2]), upper, free)
            if node < 0:
                return False
            fill_node(words, weight, spans, nodes, values, done, size, top - 1, node, single_root, front)
            scores[2] = values[ON_TOP, node, front] + made
    return True


@kernel
def score_any_steps_from_scratch(weight, top, after_shift, below_top, bars_right, single_root, scores):
    """`score_any_steps` for one configuration, whose nodes are numbered anew: 0 to top are the stack, the
    others remain; weight[head, dependent] is about these numbers."""
    width = weight.shape[0] + 1
    words, size = np.zeros((WORD_ROWS, width), np.int32), np.zeros(SIZES, np.int64)
    spans = np.empty((SPAN_TABLES, width, width), weight.dtype)
    open_right, done = np.empty((width, width), weight.dtype), np.empty(width, weight.dtype)
    room = top + 3  # the stack, and its top as shift and reduce_right leave it
    nodes = np.empty((NODE_ROWS, room), np.int32)
    values = np.empty((NODE_VALUES, room, width), weight.dtype)
    place_any_stack(np.arange(top + 1).astype(np.int32), top + 1, words, nodes, size, below_top)
    return score_any_steps(
        words,
        weight,
        spans,
        open_right,
        nodes,
        values,
        done,
        size,
        after_shift,
        below_top,
        bars_right,
        single_root,
        scores,
    )


@kernel
def push_level(words, nodes, size, level, word, below_top):
    """Puts a word on the stack, as its new top."""
    below = np.int64(words[LEVEL_NODE, level - 1]) if level > 0 else np.int64(-1)
    node = find_node(words, nodes, size, below, word, np.int64(below_top and level > 0))
    words[LEVEL_WORD, level], words[LEVEL_NODE, level] = word, node
    size[TOP] = level


@kernel
def place_any_stack(stack, front, words, nodes, size, below_top):
    """Goes to a configuration; nodes that are known stay, unless there is no room."""
    size[FRONT] = front
    if size[NODES] + stack.size > nodes.shape[1]:
        size[NODES] = 0
    for level in range(stack.size):
        push_level(words, nodes, size, level, np.int64(stack[level]), below_top)


@kernel
def forget_nodes(words, nodes, size, below_top):
    """Makes room: only the nodes of the stack are left, unfilled."""
    size[NODES] = 0
    place_any_stack(words[LEVEL_WORD, : size[TOP] + 1].copy(), size[FRONT], words, nodes, size, below_top)


@kernel
def take_any_step(step, words, nodes, size, below_top):
    """Applies a legal step: 0 shift, 1 reduce_left, 2 reduce_right. Forgets the nodes where they fill up."""
    top, front = size[TOP], size[FRONT]
    if size[NODES] == nodes.shape[1]:
        forget_nodes(words, nodes, size, below_top)
    if step == 0:
        size[FRONT] = front + 1
        push_level(words, nodes, size, top + 1, front, below_top)
    elif step == 1:
        size[TOP] = top - 1
    else:
        push_level(words, nodes, size, top - 1, np.int64(words[LEVEL_WORD, top]), below_top)


@kernel
def move_edge(word, head, words, nodes, size):
    """Marks stale what an edge between two words enters into, before or after it is there."""
    first, last = min(word, head), max(word, head)
    front = size[FRONT]
    for i in range(1, first + 1):
        words[STALE_FROM, i] = min(words[STALE_FROM, i], last)
    bound = (first if first >= front else last) + 1
    for node in range(size[NODES]):
        nodes[FILLED_FROM, node] = max(nodes[FILLED_FROM, node], bound)
    words[WORD_IDENTITY, last] += 1
    if first >= front:
        words[WORD_IDENTITY, first] += 1
