"""Given heads: projective or not, out of range, or a cycle; the edge to be lifted, and weights of edges."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.kernels.values import NEVER, UNKNOWN

PROJECTIVE, NON_PROJECTIVE, OUT_OF_RANGE, OWN_HEAD, CYCLE = 0, 1, 2, 3, 4


@kernel
def examine_heads(given, may_be_unknown, heads):
    """Return the verdict on given heads, the word that causes it, and the numbers of roots and unknown heads.

    The heads are copied to heads[word], with heads[0] unknown. Projective means: some projective tree has all
    the known edges. This holds if and only if a shift-reduce parser that takes every gold edge as soon as
    possible gets all words off its stack, so one pass decides it.
    """
    n = given.size
    heads[0] = UNKNOWN
    awaited = np.zeros(n + 1, np.int32)  # [word]: number of children that it has yet to take
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
    met = np.zeros(heads.size, np.int32)  # [word]: the word whose path up passed here first
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
    """Return whether a word is a descendant of another, with all heads known."""
    while word > 0 and word != head:
        word = heads[word]
    return word == head


@kernel
def shortest_non_projective(heads):
    """Return the child of the shortest non-projective edge, the leftmost on ties; or 0."""
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


@kernel
def gold_weights(heads, nodes):
    """Return weight[head, child] over increasing nodes: 1 for gold edges, NEVER for node 0, else 0."""
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


@kernel
def preference_weights(heads, single_root):
    """Return weight[head, child] of the tie rule, in one integer: gold edges, few roots, short edges.

    Each unit outweighs the maximum sum of all lesser ones over a tree. Few roots come first if a single root
    is required: some projective tree always has just one.
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
