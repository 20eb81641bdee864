"""The best tree of a filled chart of items of at most four heads, by trying the ways into each item again."""

from __future__ import annotations

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.trees.kernels.four_heads import first_inside

NO_NODE = -1  # in place of the inner node of an item of two


@helper
def place_after(before, a):
    """The first place of the next node."""
    return a + 2 if a + 1 < before.size and before[a + 1] == a else a + 1


@helper
def place_before(before, j):
    """The last place of the node before."""
    return j - 1 if before[j] == j else j - 2


@helper
def best_split(pairs, triples, before, i, a, b, j):
    """The value of Q(i, a, b, j), and its two parts as items."""
    x, y = before[a], before[b]
    best, parts = pairs[i, a] + triples[j, x, b], ((i, NO_NODE, a), (x, b, j))
    if pairs[i, x] + triples[j, a, b] > best:
        best, parts = pairs[i, x] + triples[j, a, b], ((i, NO_NODE, x), (a, b, j))
    if triples[i, a, y] + pairs[b, j] > best:
        best, parts = triples[i, a, y] + pairs[b, j], ((i, a, y), (b, NO_NODE, j))
    if triples[i, a, b] + pairs[y, j] > best:
        best, parts = triples[i, a, b] + pairs[y, j], ((i, a, b), (y, NO_NODE, j))
    return best, parts


@kernel
def trace_pair(weight, before, start, pairs, triples, i, j):
    """The head, the dependent and the item from which P(i, j) is made best; no dependent if it is a start."""
    best, edge, item = start[i, j], (NO_NODE, NO_NODE), (i, NO_NODE, j)
    for m in range(first_inside(i), place_before(before, j) + 1):
        for h in (i, j):
            source = (before[i], m, j) if h == i else (i, m, before[j])
            value = triples[source] + weight[h, m]
            if value > best:
                best, edge, item = value, (h, m), source
    return edge, item


@kernel
def trace_triple(weight, before, pairs, triples, i, m, j):
    """The head, the dependent and the two items from which T(i, m, j) is made best; neither for a joint."""
    x = before[m]
    best, edge = pairs[i, m] + pairs[x, j], (NO_NODE, NO_NODE)
    parts = ((i, NO_NODE, m), (x, NO_NODE, j))
    if pairs[i, x] + pairs[m, j] > best:
        best, parts = pairs[i, x] + pairs[m, j], ((i, NO_NODE, x), (m, NO_NODE, j))
    for h in (i, m, j):
        left = before[i] if h == i else i
        inner = before[m] if h == m else m
        right = before[j] if h == j else j
        for leaving in range(first_inside(i), place_before(before, j) + 1):
            if leaving <= place_before(before, m):
                value, found = best_split(pairs, triples, before, left, leaving, inner, right)
            elif leaving >= place_after(before, m):
                value, found = best_split(pairs, triples, before, left, inner, leaving, right)
            else:
                continue
            if value + weight[h, leaving] > best:
                best, edge, parts = value + weight[h, leaving], (h, leaving), found
    return edge, parts


@kernel
def trace_tree(weight, before, node, start, pairs, triples, i, j, heads):
    """Writes heads[node] of what the best P(i, j) hangs up; no other place of it is written."""
    todo = [(i, NO_NODE, j)]
    while len(todo) > 0:
        i, m, j = todo.pop()
        if m == NO_NODE:
            edge, item = trace_pair(weight, before, start, pairs, triples, i, j)
            if edge[1] != NO_NODE:
                todo.append(item)
        else:
            edge, parts = trace_triple(weight, before, pairs, triples, i, m, j)
            todo.append(parts[0])
            todo.append(parts[1])
        if edge[1] != NO_NODE:
            heads[node[edge[1]]] = node[edge[0]]
