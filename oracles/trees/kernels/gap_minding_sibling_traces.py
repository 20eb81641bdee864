"""Best tree in the chart of gap-minding trees with scores of siblings."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.compilation import kernel
from treewhile.oracles.trees.kernels.agendas import add, empty_agenda, take
from treewhile.oracles.trees.kernels.gap_minding import is_gap
from treewhile.oracles.trees.kernels.gap_minding_siblings import gap_value, is_beyond, triple


@kernel
def best_marks(chart, sentence, x, i, j, u, v):
    """Return the best value of a span, and its first best marks where these are not given."""
    begin, end = sentence.first[x], sentence.first[x + 1]
    best, first, second = chart.whole.dtype.type(-np.inf), -1, -1
    for a in range(begin, end):
        for b in range(begin, end):
            value = chart.whole[j, triple(sentence, x, a, b), i]
            if (u < 0 or u == a) and (v < 0 or v == b) and value > best:
                best, first, second = value, a, b
    return best, first, second


@kernel
def split(chart, sentence, todo, p, u, v, i, j):
    """Take a span apart in two, if possible; return whether it was."""
    value = chart.whole[j, triple(sentence, p, u, v), i]
    for k in range(i, j):
        for m in range(sentence.first[p], sentence.first[p + 1]):
            before, after = triple(sentence, p, u, m), triple(sentence, p, m, v)
            if chart.whole[k, before, i] + chart.whole[j, after, k + 1] == value:
                add(todo, p, u, m, i, k)
                add(todo, p, m, v, k + 1, j)
                return True
    return False


@kernel
def take_single(chart, sentence, todo, heads, p, u, v, i, j):
    """Take the only child off its head, if there is one and the head is outside."""
    if i <= p <= j:
        return False
    child, inner = (v, u) if p < i else (u, v)
    x = sentence.mark[child]
    if not i <= x <= j:
        return False
    best, a, b = best_marks(chart, sentence, x, i, j, -1, -1)
    weight = sentence.weight[triple(sentence, p, inner, child)]
    if best + weight != chart.whole[j, triple(sentence, p, u, v), i]:
        return False
    heads[x] = p
    add(todo, x, a, b, i, j)
    return True


@kernel
def find_inner(chart, sentence, p, child, f, i, j):
    """Return the inner sibling of a child beyond the gap i..j, whose other mark is f."""
    x, value = sentence.mark[child], gap_value(chart, sentence, p, child, f, i, j)
    for inner in range(sentence.first[p], sentence.first[p + 1]):
        at = triple(sentence, p, inner, f) if x < i else triple(sentence, p, f, inner)
        weight = sentence.weight[triple(sentence, p, inner, child)]
        if chart.whole.dtype.type(chart.whole[j, at, i] + weight) == value:
            return inner
    return -1


@kernel
def take_gap(chart, sentence, todo, p, u, v, child, a, b, i, j):
    """Take a child with this gap apart, if the span has that value; return whether it has."""
    x = sentence.mark[child]
    is_left, is_outer = x < a, is_beyond(p, x, a, j)
    f, other = (v, u) if is_left else (u, v)
    if is_outer and other != child:
        return False
    weight = chart.whole.dtype.type(0) if is_outer else sentence.weight[triple(sentence, p, other, child)]
    gap = chart.gaps[b - 1, triple(sentence, p, child, f), a]
    for m in range(sentence.first[x], sentence.first[x + 1]):
        rest = chart.whole.dtype.type(gap + chart.right[j, m, b])
        block = chart.whole.dtype.type(rest + chart.left[a - 1, m, i])
        if chart.whole.dtype.type(block + weight) != chart.whole[j, triple(sentence, p, u, v), i]:
            continue
        inner = find_inner(chart, sentence, p, child, f, a, b - 1) if is_outer else child
        add(todo, x, best_marks(chart, sentence, x, i, a - 1, -1, m)[1], m, i, a - 1)
        add(todo, x, m, best_marks(chart, sentence, x, b, j, m, -1)[2], b, j)
        if is_left:
            add(todo, p, inner, f, a, b - 1)
        else:
            add(todo, p, f, inner, a, b - 1)
        return True
    return False


@kernel
def take_child(chart, sentence, todo, heads, p, u, v, i, j, flag):
    """Take the only child that reaches both ends off its head."""
    for child in range(sentence.first[p], sentence.first[p + 1]):
        x = sentence.mark[child]
        if x == p or x < i or x > j:
            continue
        for a in range(i + 1, j):
            if flag[0]:
                return
            for b in range(a + 1, j + 1):
                if is_gap(p, x, i, a, b, j) and take_gap(chart, sentence, todo, p, u, v, child, a, b, i, j):
                    heads[x] = p
                    return


@kernel
def find_root(chart, sentence, n):
    """Return the place of the word that is best as the single root, or 0."""
    best, found = chart.whole.dtype.type(-np.inf), 0
    for child in range(1, sentence.first[1]):
        value = best_marks(chart, sentence, sentence.mark[child], 1, n, -1, -1)[0]
        value = chart.whole.dtype.type(value + sentence.weight[triple(sentence, 0, 0, child)])
        if value > best:
            best, found = value, child
    return found


@kernel
def write_heads(chart, sentence, single_root, heads, flag):
    """Write the heads of the best tree: none without a tree, and only some if interrupted."""
    n = heads.size - 1
    todo = empty_agenda(n + 1)
    if single_root:
        root = sentence.mark[find_root(chart, sentence, n)]
        if root:
            heads[root] = 0
            _, u, v = best_marks(chart, sentence, root, 1, n, -1, -1)
            add(todo, root, u, v, 1, n)
    else:
        best, u, v = best_marks(chart, sentence, 0, 1, n, 0, -1)
        if best > -np.inf:
            add(todo, 0, u, v, 1, n)
    while todo[0, 0] and not flag[0]:
        p, u, v, i, j = take(todo)
        i, j = (i + 1 if p == i else i), (j - 1 if p == j else j)
        if i > j or split(chart, sentence, todo, p, u, v, i, j):
            continue
        if not take_single(chart, sentence, todo, heads, p, u, v, i, j):
            take_child(chart, sentence, todo, heads, p, u, v, i, j, flag)
