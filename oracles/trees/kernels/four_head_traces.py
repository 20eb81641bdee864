"""Best tree of a filled chart of items of at most four heads, by trying the ways into each item again."""

from __future__ import annotations

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.trees.kernels.four_heads import place_after, place_before

NOWHERE = -1  # in place of the inner node of an item of two, and of the leaving node where none leaves


@kernel
def best_split(pairs, triples, before, i, a, b, j):
    """Return the value of Q(i, a, b, j), and the best of its four joints: at a or at b, in either state."""
    x, y = before[a], before[b]
    best, joint = pairs[i, a] + triples[j, x, b], 0
    value = pairs[i, x] + triples[j, a, b]
    if value > best:
        best, joint = value, 1
    value = triples[i, a, y] + pairs[b, j]
    if value > best:
        best, joint = value, 2
    value = triples[i, a, b] + pairs[y, j]
    if value > best:
        best, joint = value, 3
    return best, joint


@kernel
def best_edge_of_pair(weight, before, start, pairs, triples, i, j):
    """Return the head and the last leaving node of the best P(i, j); NOWHERE for a start."""
    best, head, leaving = start[i, j], NOWHERE, NOWHERE
    for m in range(place_after(before, i), place_before(before, j) + 1):
        value = triples[before[i], m, j] + weight[i, m]
        if value > best:
            best, head, leaving = value, i, m
        value = triples[i, m, before[j]] + weight[j, m]
        if value > best:
            best, head, leaving = value, j, m
    return head, leaving


@kernel
def best_edge_of_triple(weight, before, is_open, pairs, triples, i, m, j):
    """Return the head, the last leaving node and the joint before in the best T(i, m, j).

    Where nothing leaves, the joint is at m: 0 if the state of m is due to the left part, otherwise 1.
    """
    best, head, leaving, joint = pairs[i, m] + pairs[before[m], j], NOWHERE, NOWHERE, 0
    if pairs[i, before[m]] + pairs[m, j] > best:
        best, joint = pairs[i, before[m]] + pairs[m, j], 1
    if not is_open[i, j]:
        return head, leaving, joint
    for h in (i, m, j):
        left, inner, right = item_before(before, h, i, m, j)
        for b in range(place_after(before, m), place_before(before, j) + 1):
            value, at = best_split(pairs, triples, before, left, inner, b, right)
            if value + weight[h, b] > best:
                best, head, leaving, joint = value + weight[h, b], h, b, at
        for a in range(place_after(before, i), place_before(before, m) + 1):
            value, at = best_split(pairs, triples, before, left, a, inner, right)
            if value + weight[h, a] > best:
                best, head, leaving, joint = value + weight[h, a], h, a, at
    return head, leaving, joint


@helper
def item_before(before, head, i, m, j):
    """Return the three nodes of an item as before an edge from one of the three."""
    left = before[i] if head == i else i
    inner = before[m] if head == m else m
    right = before[j] if head == j else j
    return left, inner, right


@helper
def add_parts(todo, before, i, a, b, j, joint):
    """Add the two items that are joined to Q(i, a, b, j) to the agenda."""
    if joint < 2:
        todo.append((i, NOWHERE, a if joint == 0 else before[a]))
        todo.append((before[a] if joint == 0 else a, b, j))
    else:
        todo.append((i, a, before[b] if joint == 2 else b))
        todo.append((b if joint == 2 else before[b], NOWHERE, j))


@kernel
def trace_tree(weight, before, node, start, is_open, pairs, triples, i, j, heads):
    """Write heads[node] for all nodes that leave in the best P(i, j)."""
    todo = [(i, NOWHERE, j)]
    while len(todo) > 0:
        i, m, j = todo.pop()
        if m == NOWHERE:
            head, leaving = best_edge_of_pair(weight, before, start, pairs, triples, i, j)
            if leaving != NOWHERE:
                left, m, right = item_before(before, head, i, leaving, j)
                todo.append((left, m, right))
        else:
            head, leaving, joint = best_edge_of_triple(weight, before, is_open, pairs, triples, i, m, j)
            if leaving == NOWHERE:
                todo.append((i, NOWHERE, m if joint == 0 else before[m]))
                todo.append((before[m] if joint == 0 else m, NOWHERE, j))
            else:
                left, inner, right = item_before(before, head, i, m, j)
                a, b = min(inner, leaving), max(inner, leaving)
                add_parts(todo, before, left, a, b, right, joint)
        if leaving != NOWHERE:
            heads[node[leaving]] = node[head]
