"""Scores and probabilities of arcs, and probabilities of their labels."""

from __future__ import annotations

import math

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel, kernel_in_any_order
from treewhile.incremental.parsers.kernels.labels import likeliest_labels
from treewhile.incremental.parsers.kernels.products import WIDE, add_products, outputs_of
from treewhile.incremental.parsers.kernels.rows import copy_to, rectify
from treewhile.oracles.kernels.rows import improve

# exp(x) = 2^n exp(r) with |r| <= ln 2 / 2, where seven terms of the series are off by at most 2e-7. As for
# `tanh`, loops over this are vectorised. Values below LEAST are raised to LEAST.
LEAST, LOG2_E, LN2, REST_OF_LN2 = map(np.float32, (-87, 1.4426950408889634, 0.693359375, -2.1219444e-4))
E2, E3, E4, E5, E6 = (np.float32(1 / math.factorial(power)) for power in range(2, 7))
ONE = np.float32(1)


@kernel_in_any_order
def arc_scores(late, bounds, of_head, of_child, arc):
    """Return the score of every head for every child: sequence after sequence, each [head, child]."""
    heads, children = outputs_of(of_head, late), outputs_of(of_child, late)
    wide, size = of_child[WIDE], 0
    for node in range(len(late)):
        rectify(heads[node])
        rectify(children[node])
    products = np.empty((len(late), arc[1].size), np.float32)
    for node in range(len(late)):
        for unit in range(arc[1].size):
            products[node, unit] = 0
    add_products(heads, arc[0], arc[1], products)
    for s in range(bounds.size - 1):
        size += (bounds[s + 1] - bounds[s]) * (bounds[s + 1] - bounds[s])
    scores, place = np.empty(size, np.float32), 0
    for s in range(bounds.size - 1):
        for head in range(bounds[s], bounds[s + 1]):
            for child in range(bounds[s], bounds[s + 1]):
                total = products[head, wide]
                for unit in range(wide):
                    total += products[head, unit] * children[child, unit]
                scores[place] = total
                place += 1
    return scores


@kernel
def exponentials(values, whole):
    """Replace non-positive values by their exponentials; `whole` is a buffer of the same size."""
    for i in range(values.size):
        x = max(values[i], LEAST)
        n = np.rint(x * LOG2_E)
        r = x - n * LN2 - n * REST_OF_LN2
        whole[i] = (np.int32(n) + 127) << 23
        values[i] = (((((E6 * r + E5) * r + E4) * r + E3) * r + E2) * r + ONE) * r + ONE
    powers = whole.view(np.float32)
    for i in range(values.size):
        values[i] *= powers[i]


@kernel
def head_logs(scores, heads, children, words):
    """Return the log-probabilities [head, child] of heads; -inf for impossible heads.

    scores[head, child] are of all nodes. No word is UNUSED, which is the last head if there are more heads
    than children.
    """
    never = np.float32(-np.inf)
    logs = np.empty((heads, children), np.float32)
    greatest, sums = np.empty(children, np.float32), np.empty(children, np.float32)
    chances, whole = np.empty(children, np.float32), np.empty(children, np.int32)
    for child in range(children):
        greatest[child], sums[child] = never, 0
        for head in range(heads):
            logs[head, child] = scores[head, child]
        logs[child, child] = never
        if child <= words and heads > children:
            logs[heads - 1, child] = never
    for head in range(heads):
        improve(greatest, np.float32(0), logs[head])
    for head in range(heads):
        for child in range(children):
            chances[child] = logs[head, child] - greatest[child]
        exponentials(chances, whole)
        for child in range(children):
            sums[child] += chances[child]
    for child in range(1, children):
        greatest[child] += math.log(sums[child])
    for head in range(heads):
        for child in range(children):
            logs[head, child] -= greatest[child]
        logs[head, 0] = never
    return logs


@kernel
def label_scores(as_head, as_child, heads, children, label):
    """Return the scores [arc, label] of labels, padded to the panels of the layer.

    as_head[node, unit] and as_child are the contributions of nodes to the hidden units.
    """
    units = np.empty((heads.size, as_head.shape[1]), np.float32)
    for arc in range(heads.size):
        head, child, sums = as_head[heads[arc]], as_child[children[arc]], units[arc]
        for unit in range(sums.size):
            sums[unit] = head[unit] + child[unit] + head[unit] * child[unit]
        rectify(sums)
    return outputs_of(label, units)


@kernel
def span_label_scores(of_begin, of_end, label, fences, begins, ends):
    """Return the same of spans between two fences, given the states of all fences."""
    return label_scores(outputs_of(of_begin, fences), outputs_of(of_end, fences), begins, ends, label)


@kernel
def label_logs(as_head, as_child, heads, children, barred, label):
    """Return the log-probabilities [arc, label] of labels; barred[arc, label] is 0, or -inf to forbid one."""
    scores = label_scores(as_head, as_child, heads, children, label)
    logs = np.empty((heads.size, label[WIDE]), np.float32)
    chances, whole = np.empty(label[WIDE], np.float32), np.empty(label[WIDE], np.int32)
    for arc in range(heads.size):
        greatest, total = np.float32(-np.inf), np.float32(0)
        for number in range(label[WIDE]):
            logs[arc, number] = scores[arc, number] + barred[arc, number]
            greatest = max(greatest, logs[arc, number])
        for number in range(label[WIDE]):
            chances[number] = logs[arc, number] - greatest
        exponentials(chances, whole)
        for number in range(label[WIDE]):
            total += chances[number]
        greatest += np.float32(math.log(total))
        for number in range(label[WIDE]):
            logs[arc, number] -= greatest
    return logs


@kernel
def read_off(scores, words, is_open, tree, as_head, as_child, barred, wanted, label, tags, features, rules):
    """Return the readings of a tree, given the heads tree[node - 1] of all nodes but the root.

    The logarithms of the probabilities of all arcs, as `head_logs` has them, and of the labels of the tree's
    arcs; the same when wanted labels get what is wanted[node - 1, label], where there are such rows; the
    likeliest labels then, and whether they may break a rule, as in `likeliest_labels`. barred[is the root's
    child, label] is as in `label_logs`.
    """
    nodes, n = tree.size, len(scores)
    of_arcs = head_logs(scores, n if is_open else n - 1, n - 2 if is_open else n - 1, words)
    heads, children = np.empty(nodes, np.intp), np.empty(nodes, np.intp)
    of_heads = np.empty((nodes, barred.shape[1]), np.float32)
    for node in range(nodes):
        heads[node], children[node] = tree[node], node + 1
        copy_to(of_heads[node], barred[1 if tree[node] == 0 else 0])
    of_labels = label_logs(as_head, as_child, heads, children, of_heads, label)
    for node in range(nodes):
        row = of_heads[node]
        copy_to(row, of_labels[node])
        if len(wanted) > 0:
            for number in range(row.size):
                row[number] += wanted[node, number]
    labels, may_break = likeliest_labels(of_heads, words, tree, tags, features, rules)
    return of_arcs, of_labels, of_heads, labels, may_break
