"""Costs of single edges, judged by arcs, all labels at once, on demand."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from treewhile.incremental.constraints.machine.costs import COST_OF_E, IMPOSSIBLE, WEAKEST
from treewhile.incremental.constraints.machine.kernels.analyses import judge_all
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry, inlined
from treewhile.incremental.constraints.machine.kernels.lists import fill_costs
from treewhile.incremental.constraints.machine.kernels.records import BARRED, JUDGED, NOT_JUDGED
from treewhile.incremental.constraints.machine.kernels.references import (
    by_reference,
    read_before,
    write_before,
)


@inlined
def least_cost(log):
    """Return a lower bound on the cost of a probability, given its logarithm."""
    return max(np.int64(math.floor(max(log, math.log(WEAKEST)) * -COST_OF_E)) - 1, 0)


# Options by which the greatest of some logarithms is sought in several places at once.
@partial(entry, fastmath={"nnan", "nsz"})
def begin_edges(edges, situation, head_weight, label_weight, is_open):
    """Write which edges are impossible, and lower bounds on the costs of the others by themselves.

    The bounds come from the arc scorer where its logarithms are there: the weights are the numbers of
    constraints whose penalties are the probabilities of heads and of labels.
    """
    head_log, label_log, later = situation.head_log, situation.label_log, situation.later
    for d in range(later):
        for h in range(later + 2):
            least = 0
            if d > 0 and h <= later and head_log.size > 0:
                least += head_weight * least_cost(np.float64(head_log[h, d]))
            if d > 0 and h <= later and label_log.size > 0:
                greatest = label_log[d, h, 0]
                for label in range(label_log.shape[2]):
                    log = label_log[d, h, label]
                    greatest = log if log > greatest else greatest
                least += label_weight * least_cost(np.float64(greatest))
            is_barred = d == h or (d <= situation.t and h > later) or (h == later and not is_open)
            if edges.only_head[d] >= 0:
                is_barred = h != edges.only_head[d]
            edges.least[d, h] = IMPOSSIBLE if is_barred else least
            edges.is_judged[d, h] = BARRED if is_barred else NOT_JUDGED
            if is_barred:
                for label in range(edges.cost.shape[2]):
                    edges.cost[d, h, label] = IMPOSSIBLE


@bare
def judge_labels(desk, edges, d, h):
    """Judge the edges of an arc, all labels."""
    cost, best = edges.draft, 0
    fill_costs(desk, d, h, cost)
    for label in range(cost.size):
        if edges.only_label[d] not in (-1, label) or (h > desk.situation.later and label > 0):
            cost[label] = IMPOSSIBLE
        if cost[label] < cost[best]:
            best = label
    for label in range(cost.size):
        edges.cost[d, h, label] = cost[label]
    edges.least[d, h], edges.label[d, h] = cost[best], best
    write_before()
    edges.is_judged[d, h] = JUDGED


@inlined
def judge_arc(desk, edges, d, h):
    """Judge the edges of an arc, all labels, unless already judged."""
    if not edges.is_judged[d, h]:
        judge_labels(desk, edges, d, h)
    read_before()


# --- for Python ---------------------------------------------------------------------------------------------


@entry
def judge_as_tree(desk, edges, tree):
    """Return the cost of edges and pairs, the cost of the context, and the number of impossible edges."""
    desk, edges, tree = by_reference(desk), by_reference(edges), by_reference(tree)
    plain, contextual = judge_all(desk, tree)
    barred = 0
    for d in range(1, tree.heads.size):
        is_other = edges.only_label[d] not in (-1, tree.labels[d])
        barred += edges.is_judged[d, tree.heads[d]] == BARRED or is_other
    return plain, contextual, barred
