"""Lower bounds on the costs of trees: by the best edges that are left to each dependent."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, inlined
from treewhile.incremental.constraints.machine.kernels.records import RemovedColumn
from treewhile.incremental.constraints.machine.kernels.references import read_before


@inlined
def forbids_arc(conflict, d, h):
    """Return whether a removed conflict forbids an edge of this arc."""
    is_arc = conflict[RemovedColumn.X] == d and conflict[RemovedColumn.X_HEAD] == h
    return conflict[RemovedColumn.FORBIDS] and is_arc


@inlined
def least_without(edges, removed, length, d, h):
    """Return the least cost of an arc over the labels that are not forbidden."""
    least = edges.least[d, h]
    for i in range(length):
        if forbids_arc(removed[i], d, h):
            least = IMPOSSIBLE
    if least < IMPOSSIBLE or not edges.is_judged[d, h]:
        return edges.least[d, h]
    read_before()
    for label in range(edges.cost.shape[2]):
        is_free = True
        for i in range(length):
            if forbids_arc(removed[i], d, h) and removed[i, RemovedColumn.X_LABEL] == label:
                is_free = False
        if is_free:
            least = min(least, edges.cost[d, h, label])
    return least


@inlined
def is_bound(removed, length, d):
    """Return whether a removed conflict forbids an edge of a dependent."""
    count = 0
    for i in range(length):
        count += removed[i, RemovedColumn.FORBIDS] and removed[i, RemovedColumn.X] == d
    return count > 0


@inlined
def least_of(edges, d):
    """Return the least cost of the edges of a dependent."""
    least = IMPOSSIBLE
    for h in range(edges.least.shape[1]):
        least = min(least, edges.least[d, h])
    return least


@bare
def least_of_bound(edges, removed, length, d):
    """Return the least cost of the edges of a dependent that are not forbidden."""
    least = IMPOSSIBLE
    for h in range(edges.least.shape[1]):
        if edges.least[d, h] < least:
            least = min(least, least_without(edges, removed, length, d, h))
    return least


@bare
def floor_of(edges, removed, length):
    """Return a lower bound on the cost of trees without the edges that the first removed conflicts forbid."""
    total = 0
    for d in range(1, edges.least.shape[0]):
        if is_bound(removed, length, d):
            total += least_of_bound(edges, removed, length, d)
        else:
            total += least_of(edges, d)
    return total


@bare
def floor_of_others(edges, d):
    """Return a lower bound on the cost of the edges of all dependents but one."""
    total = 0
    for other in range(1, edges.least.shape[0]):
        if other != d:
            total += least_of(edges, other)
    return total
