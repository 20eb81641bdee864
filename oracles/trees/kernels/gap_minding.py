"""Chart of gap-minding trees, filled word by word, and the best tree in it.

Indices are as in `treewhile.oracles.trees.gap_minding_charts`, whose reference computes the same slowly. A
row chart[j, state] holds all spans that end in j; the value of a span is pushed at once, along rows, to the
spans of which it is a part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.rows import raise_row
from treewhile.oracles.kernels.values import Ints, Longs
from treewhile.oracles.trees.kernels.agendas import add, empty_agenda, take


class States(NamedTuple):
    """States of heads, each with the head above where that counts, by last words; and links to children."""

    head: Ints  # [state]; state 0 is the root
    above: Ints  # [state]: the head of the head where that counts, else 0
    since: Longs  # [word]: the first state with a word from this one on; one more than there are words
    links: Longs  # [state]: first link; one more than there are states
    child: Ints  # [link]: the state of a child
    word: Ints  # [link]: the child; in order within a state
    weight: Any  # [link]


@helper
def lowest_begin(states, state, j):
    """Return the first word at which a span up to j may begin, since the head's head cannot be below it."""
    return states.above[state] + 1 if states.above[state] <= j else 1


@kernel
def end_at_heads(chart, states, i, j, begin, end):
    """Fill spans with the head at one end by the span without the head."""
    for s in range(begin, end):
        head = states.head[s]
        if head in (i, j):
            if i == j:
                chart[j, s, i] = 0
            elif head == i:
                chart[j, s, i] = chart[j, s, i + 1]
            else:
                chart[j, s, i] = chart[j - 1, s, i]


@kernel
def take_single_children(chart, states, i, j, begin, end):
    """Improve spans by a single child, where the head is outside."""
    for s in range(begin, end):
        if i <= states.head[s] <= j or i < lowest_begin(states, s, j):
            continue
        best = chart[j, s, i]
        for link in range(states.links[s], states.links[s + 1]):
            x = states.word[link]
            if x > j:
                break
            if x >= i:
                best = max(best, chart.dtype.type(chart[j, states.child[link], i] + states.weight[link]))
        chart[j, s, i] = best


@kernel
def pass_left(chart, states, rest, s, b, j):
    """Push the span from b to j as the last part of longer spans of the head, and as the end of its children.

    rest[link, a] is the best end of a child that ends in j, together with the span of the head from a on
    before that end. With a = b - 1 it is complete, and gets the child's first part, up to b - 2.
    """
    head, lowest = states.head[s], lowest_begin(states, s, j)
    is_outside = head < b or head > j
    lowest_first = max(lowest, head + 1) if head < b - 1 else lowest
    raise_row(chart[j], s, chart[b - 1], s, chart[j, s, b], lowest, b)
    for link in range(states.links[s], states.links[s + 1]):
        x = states.word[link]
        if x > j:
            break
        t = states.child[link]
        value = chart[j, t, b]
        if is_outside and value > -np.inf:
            first, end = lowest + 1, b
            if x < b:
                first = max(first, x + 1)
                if x < head < b:
                    end = head + 1
            raise_row(rest, link, chart[b - 1], s, value, first, end)
        value = chart.dtype.type(rest[link, b - 1] + states.weight[link])
        if value > -np.inf:
            end = x + 1 if x < b - 1 else b - 1
            raise_row(chart[j], s, chart[b - 2], t, value, lowest_first, end)


@kernel
def fill_column(chart, states, rest, j, begin, end, flag):
    """Fill the spans that end in j, for some states; return False if interrupted."""
    never = chart.dtype.type(-np.inf)
    for s in range(begin, end):
        if flag[0]:
            return False
        chart[j, s, 1 : j + 1] = never
        for link in range(states.links[s], states.links[s + 1]):
            if states.word[link] > j:
                break
            rest[link, 1 : j + 1] = never
    for i in range(j, 0, -1):
        end_at_heads(chart, states, i, j, begin, end)
        take_single_children(chart, states, i, j, begin, end)
        if i == 1:
            break
        for s in range(begin, end):
            if flag[0]:
                return False
            pass_left(chart, states, rest, s, i, j)
    return True


@kernel
def end_in_head(chart, states, word, begin, end):
    """Fill the spans of a head up to itself by the spans without it; none ends in the head of the head."""
    for s in range(begin, end):
        chart[word, s, 1 : word + 1] = -np.inf
        if states.head[s] == word:
            chart[word, s, 1:word] = chart[word - 1, s, 1:word]
            chart[word, s, word] = 0


@kernel
def fill_words(chart, states, rest, first_word, first_state, flag):
    """Fill the chart from a first word on; return the last word that is done."""
    for word in range(first_word, states.since.size - 1):
        begin, end = states.since[word], states.since[word + 1]
        for j in range(1, word):
            if not fill_column(chart, states, rest, j, begin, end, flag):
                return word - 1
        end_in_head(chart, states, word, begin, end)
        if not fill_column(chart, states, rest, word, first_state, begin, flag):
            return word - 1
    return states.since.size - 2


# --- the tree -----------------------------------------------------------------------------------------------


@kernel
def find_split(chart, s, i, j):
    """Return the last word of the first part where the span is best in two parts, or 0."""
    for k in range(i, j):
        if chart[k, s, i] + chart[j, s, k + 1] == chart[j, s, i]:
            return k
    return 0


@kernel
def is_gap(head, child, i, a, b, j):
    """Return whether a to b - 1 can be the gap of a child, as a span of the head."""
    return (child < a or child >= b) and (head < i or head > j or a <= head < b)


@kernel
def find_gap(chart, states, s, link, i, j):
    """Return the first word of the gap of a child that reaches both ends, and the word behind; or 0 and 0."""
    t = states.child[link]
    for a in range(i + 1, j):
        if chart[a - 1, t, i] == -np.inf:
            continue
        for b in range(a + 1, j + 1):
            if not is_gap(states.head[s], states.word[link], i, a, b, j):
                continue
            rest = chart.dtype.type(chart[b - 1, s, a] + chart[j, t, b])
            rest = chart.dtype.type(rest + states.weight[link])
            if chart[a - 1, t, i] + rest == chart[j, s, i]:
                return a, b
    return 0, 0


@kernel
def find_child(chart, states, s, i, j, flag):
    """Return the link to the child that reaches both ends, and the child's gap: the first one of the span."""
    is_beside = not i <= states.head[s] <= j
    for link in range(states.links[s], states.links[s + 1]):
        t = states.child[link]
        if flag[0] or not i <= states.word[link] <= j:
            continue
        if is_beside and chart[j, t, i] + states.weight[link] == chart[j, s, i]:
            return link, 0, 0
        a, b = find_gap(chart, states, s, link, i, j)
        if a:
            return link, a, b
    return -1, 0, 0


@kernel
def find_only_root(chart, states, n):
    """Return the link to the word that is best as the single root, or -1."""
    best, found = chart.dtype.type(-np.inf), -1
    for link in range(states.links[0], states.links[1]):
        value = chart.dtype.type(chart[n, states.child[link], 1] + states.weight[link])
        if value > best:
            best, found = value, link
    return found


@kernel
def write_heads(chart, states, single_root, heads, flag):
    """Write the heads of the best tree: none without a tree, and only some if interrupted."""
    n = heads.size - 1
    todo = empty_agenda(n + 1)
    if single_root:
        link = find_only_root(chart, states, n)
        if link >= 0:
            heads[states.word[link]] = 0
            add(todo, states.child[link], 1, n)
    elif chart[n, 0, 1] > -np.inf:
        add(todo, 0, 1, n)
    while todo[0, 0]:
        s, i, j, _, _ = take(todo)
        i, j = (i + 1 if states.head[s] == i else i), (j - 1 if states.head[s] == j else j)
        if i > j:
            continue
        k = find_split(chart, s, i, j)
        if k:
            add(todo, s, i, k)
            add(todo, s, k + 1, j)
            continue
        link, a, b = find_child(chart, states, s, i, j, flag)
        if link < 0:
            return
        t = states.child[link]
        heads[states.word[link]] = states.head[s]
        if a:
            add(todo, t, i, a - 1)
            add(todo, s, a, b - 1)
            add(todo, t, b, j)
        else:
            add(todo, t, i, j)
