"""Probabilities of future heads, pooled; `search.pooled_logs` defines the pooling.

Exponentials and logarithms are computed between these loops, of all numbers at once.
"""

from __future__ import annotations

import numpy as np

from treewhile.incremental.constraints.machine.kernels.inside_numba import entry

SURE = np.float32(0)


@entry
def find_arcs(head_log, least, heads, dependents):
    """Write the arcs whose logarithms are greater than the least; return the number of these arcs."""
    count = 0
    for h in range(head_log.shape[0]):
        for d in range(1, head_log.shape[1]):
            if head_log[h, d] > least:
                heads[count], dependents[count] = h, d
                count += 1
    return count


@entry
def write_labels(label_log, heads, dependents, found, least, other):
    """Write the given label logarithms of some arcs, none below the least, and one value for all others."""
    for d in range(label_log.shape[0]):
        for h in range(label_log.shape[1]):
            for label in range(label_log.shape[2]):
                label_log[d, h, label] = other
    for arc in range(heads.size):
        d, h = dependents[arc], heads[arc]
        for label in range(label_log.shape[2]):
            log = found[arc, label]
            label_log[d, h, label] = least if log < least else log


@entry
def write_shares(head_log, label_log, shares, greatest):
    """Write shares[word, node to come, place], less the greatest[word, place] of each place.

    Place 0 has the logarithms of heads, the other places those of heads with their labels.
    """
    words, future, places = shares.shape
    for word in range(words):
        for node in range(future):
            h, share = words + 1 + node, shares[word, node]
            own = head_log[h, word + 1]
            share[0] = own
            for label in range(places - 1):
                share[1 + label] = label_log[word + 1, h, label] + own
        best = greatest[word]
        for place in range(places):
            best[place] = shares[word, 0, place]
        for node in range(1, future):
            share = shares[word, node]
            for place in range(places):
                best[place] = share[place] if share[place] > best[place] else best[place]
        for node in range(future):
            share = shares[word, node]
            for place in range(places):
                share[place] -= best[place]


@entry
def add_shares(shares, sums):
    """Write sums[word, place] over the nodes to come."""
    for word in range(shares.shape[0]):
        total = sums[word]
        for place in range(total.size):
            total[place] = shares[word, 0, place]
        for node in range(1, shares.shape[1]):
            share = shares[word, node]
            for place in range(total.size):
                total[place] += share[place]


@entry
def write_pooled(head_log, label_log, sums, greatest, pool_weight, own_weight):
    """Write the pooled logarithms, given the logarithms of the sums."""
    words, end = sums.shape[0], head_log.shape[1] + 1
    for word in range(words):
        pool = sums[word, 0] + greatest[word, 0]
        for h in range(words + 1, end):
            head_log[h, word + 1] = pool_weight * pool + own_weight * head_log[h, word + 1]
            for label in range(label_log.shape[2]):
                pooled = sums[word, 1 + label] + greatest[word, 1 + label] - pool
                label_log[word + 1, h, label] = SURE if pooled > SURE else pooled
