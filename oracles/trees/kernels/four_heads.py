"""Charts of items of at most four heads: the recurrence and what a place is stand in `trees.four_heads`.

Every item stands twice in a chart, so that all loops run along rows: pairs[i, j] and pairs[j, i] are P(i, j),
triples[i, m, j] and triples[j, i, m] are T(i, m, j). No two of them meet, as i < m < j.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import helper, kernel

# Places of the root, and the place of the first word.
ROOT, PLAIN_ROOT, FIRST_WORD = range(3)


@helper
def place_after(before, i):
    """Return the first place of the next node."""
    if i <= PLAIN_ROOT:
        return FIRST_WORD
    return i + 2 if i + 1 < before.size and before[i + 1] == i else i + 1


@helper
def place_before(before, j):
    """Return the last place of the node before."""
    return j - 1 if before[j] == j else j - 2


@helper
def hang_inner_nodes(row, triples, pairs, i, j, first, stop, ends, weight, by_dependent):
    """Improve row[m] = T(., m, .) by attaching a or b of Q(i, a, b, j), for plain places up to `stop`.

    ends[node] is the best edge from one of the ends, weight[head, node] the edge from the other inner node.
    """
    for a in range(first, stop - 1):
        gain, under_ends, best = pairs[i, a], ends[a], row[a]
        for b in range(a + 1, stop):
            left, right = triples[i, a, b] + pairs[j, b], gain + triples[j, a, b]
            whole = left if left > right else right
            b_leaves = whole + (ends[b] if ends[b] > weight[a, b] else weight[a, b])
            best = b_leaves if b_leaves > best else best
            a_leaves = whole + (under_ends if under_ends > by_dependent[a, b] else by_dependent[a, b])
            row[b] = a_leaves if a_leaves > row[b] else row[b]
        row[a] = best


@helper
def keep_item(row, ends, pairs, triples, i, j, first, stop, best):
    """Write T(i, m, j) for all inner places, and P(i, j): the best so far, or the last place attached."""
    for m in range(first, stop):
        if row[m] + ends[m] > best:
            best = row[m] + ends[m]
        triples[i, m, j] = triples[j, i, m] = row[m]
    pairs[i, j] = pairs[j, i] = best


@kernel
def fill_columns(weight, by_dependent, before, start, is_open, pairs, triples, last, interrupt):
    """Fills P(i, j) and T(i, m, j), j from the first word to last; the first column that is left.

    All places but the root are plain. After an interrupt, a column may be filled in part.
    """
    size = len(weight)
    row, ends = np.empty(size, weight.dtype), np.empty(size, weight.dtype)
    nothing = np.full_like(weight, -np.inf)
    for j in range(FIRST_WORD, last + 1):
        for i in range(j - 1, -1, -1):
            if interrupt[0]:
                return j
            first_inner, base = max(i, PLAIN_ROOT) + 1, before[ROOT] if i == ROOT else i
            for m in range(first_inner, j):
                row[m] = pairs[i, m] + pairs[j, m]
                ends[m] = max(weight[i, m], weight[j, m]) if base == i else weight[j, m]
            if is_open[i, j]:
                hang_inner_nodes(row, triples, pairs, i, j, first_inner, j, ends, weight, by_dependent)
            best = start[i, j]
            if base != i:
                ends_of_root = weight[i]
                if is_open[i, j]:
                    hang_inner_nodes(
                        row, triples, pairs, base, j, first_inner, j, ends_of_root, nothing, nothing
                    )
                for m in range(first_inner, j):
                    best = max(best, triples[j, base, m] + ends_of_root[m])
            keep_item(row, ends, pairs, triples, i, j, first_inner, j, best)
    return last + 1


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
