"""The best spanning tree, by paths that grow upwards and close to circles; see `spanning_decoding`.

Nodes are 0 to n, and circles that were contracted, from n + 1 on. All belong to one node that nothing has
been contracted with; what has a way to the root is done.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.oracles import compilation

NONE, DONE = -1, -2

# There is no NaN, and no difference between zeros; with that the highest of a row is found in vectors.
# Nothing is assumed of infinities.
kernel = partial(compilation.kernel, fastmath={"nnan", "nsz"}, error_model="numpy")


@kernel
def place_of_highest(row, begin):
    """The first place of the highest value from a place on."""
    best = row[begin]
    for u in range(begin + 1, row.size):
        best = row[u] if row[u] > best else best
    for u in range(begin, row.size):
        if row[u] == best:
            return u
    return begin


@kernel
def take_better(best, best_word, row, word, value):
    """Puts in what is better in a row that is worth less by a value, with the words that its edges go to."""
    for u in range(best.size):
        way = row[u] - value
        is_better = way > best[u]
        best[u] = way if is_better else best[u]
        best_word[u] = word[u] if is_better else best_word[u]


@kernel
def contract(ways, words, rows, values, owner, path, begin, end, circle):
    """Makes one node of what is on the path from `begin` to `end`: `circle`, in the row of the first."""
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
    """Opens circles, the last one first: the edge into it replaces that of the word that it goes to."""
    for circle in range(circles - 1, n, -1):
        node = edge_word[circle]
        while inside[node] != circle:
            node = inside[node]
        edge_head[node], edge_word[node] = edge_head[circle], edge_word[circle]


@kernel
def spanning_heads(ways, single_root, interrupt):
    """The heads of the best tree by ways[word, head], which is overwritten, or None if interrupted.

    They are -1 where there is no tree.
    """
    n = len(ways) - 1
    words = np.empty((n + 1, n + 1), np.int32)  # [row, head]: the word that the best edge goes to
    for word in range(n + 1):
        words[word] = word
        ways[word, word] = -np.inf
    owner = np.arange(n + 1)
    rows = np.arange(2 * n + 1)
    inside = np.full(2 * n + 1, NONE)  # the circle that a node was contracted into
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
