"""Best spanning tree, by paths that grow upwards and close to circles; see `spanning_decoding`.

Nodes are 0 to n, and contracted circles, from n + 1 on. Every node belongs to one node that is not contracted
itself; nodes with a path to the root are done.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.oracles import compilation

NONE, DONE = -1, -2

# NaN is excluded, and zeros are not told apart, so that the maximum of a row is found in vectors; infinities
# are allowed.
kernel = partial(compilation.kernel, fastmath={"nnan", "nsz"}, error_model="numpy")


@kernel
def place_of_highest(row, begin):
    """Return the first place of the highest value from a given place on."""
    best = row[begin]
    for u in range(begin + 1, row.size):
        best = row[u] if row[u] > best else best
    for u in range(begin, row.size):
        if row[u] == best:
            return u
    return begin


@kernel
def take_better(best, best_word, row, word, value):
    """Improve a row by another row that is worth less by a value, with the words of its edges."""
    for u in range(best.size):
        way = row[u] - value
        is_better = way > best[u]
        best[u] = way if is_better else best[u]
        best_word[u] = word[u] if is_better else best_word[u]


@kernel
def contract(ways, words, rows, values, owner, path, begin, end, circle):
    """Contract the nodes on the path from `begin` to `end` to one: `circle`, in the row of the first."""
    row = rows[path[begin]]
    for u in range(owner.size):
        ways[row, u] -= values[path[begin]]
    for place in range(begin + 1, end):
        node = path[place]
        take_better(ways[row], words[row], ways[rows[node]], words[rows[node]], values[node])
    for place in range(begin, end):
        for u in range(owner.size):
            if owner[u] == path[place]:
                owner[u], ways[row, u] = circle, -np.inf
    rows[circle] = row


@kernel
def expand(inside, edge_head, edge_word, circles, n):
    """Open circles, the last one first: the edge into a circle replaces the edge of its word."""
    for circle in range(circles - 1, n, -1):
        node = edge_word[circle]
        while inside[node] != circle:
            node = inside[node]
        edge_head[node], edge_word[node] = edge_head[circle], edge_word[circle]


@kernel
def spanning_heads(ways, single_root, interrupt):
    """Return the heads of the best tree by ways[word, head], which is overwritten, or None if interrupted.

    Heads are -1 where there is no tree.
    """
    n = len(ways) - 1
    words = np.empty((n + 1, n + 1), np.int32)  # [row, head]: the dependent of the best edge
    for word in range(n + 1):
        words[word] = word
        ways[word, word] = -np.inf
    owner = np.arange(n + 1)
    rows = np.arange(2 * n + 1)
    inside = np.full(2 * n + 1, NONE)  # the circle into which a node was contracted
    place = np.full(2 * n + 1, NONE)  # on the path
    edge_head, edge_word = np.full(2 * n + 1, NONE), np.full(2 * n + 1, NONE)
    values, path = np.empty(2 * n + 1, ways.dtype), np.empty(n + 1, np.int64)
    place[0], circles, is_rooted = DONE, n + 1, False
    heads = np.full(n + 1, NONE, np.int32)
    for start in range(1, n + 1):
        if place[owner[start]] == DONE:
            continue
        path[0], place[start], size = start, 0, 1
        while True:
            if interrupt[0]:
                return None
            node = path[size - 1]
            row = ways[rows[node]]
            head = place_of_highest(row, 1 if single_root else 0)
            if single_root and not is_rooted and row[head] == -np.inf:
                head, is_rooted = 0, True
            if row[head] == -np.inf:
                return heads
            edge_head[node], edge_word[node], values[node] = head, words[rows[node], head], row[head]
            above = owner[head]
            if place[above] == DONE:
                break
            if place[above] == NONE:
                path[size], place[above] = above, size
                size += 1
                continue
            begin = place[above]
            contract(ways, words, rows, values, owner, path, begin, size, circles)
            inside[path[begin:size]] = circles
            path[begin], place[circles], size = circles, begin, begin + 1
            circles += 1
        place[path[:size]] = DONE
    expand(inside, edge_head, edge_word, circles, n)
    heads[1:] = edge_head[1 : n + 1]
    return heads
