"""The best tree of a few words by branch and bound over all edges: what judges where searches settle.

Words get their edges from the first to the last. A part of a tree is given up if its edges and pairs cost as
much as the best tree, together with the best single edge of each word to come; constraints that look at the
whole analysis are judged on whole trees. Nothing here knows how searches work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine.judging import new_desk
from treewhile.incremental.constraints.machine.kernels.analyses import judge_all
from treewhile.incremental.constraints.machine.kernels.arcs import judge_arc
from treewhile.incremental.constraints.machine.kernels.inside_numba import bare, entry
from treewhile.incremental.constraints.machine.kernels.lists import cost_of_pair
from treewhile.incremental.constraints.machine.kernels.records import Desk, Edge, EdgeCosts, TreeArrays
from treewhile.incremental.constraints.machine.kernels.references import by_reference
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.attackers import costs_of_edges

Longs = npt.NDArray[np.int64]


class Branches(NamedTuple):
    """State of the enumeration: the number of each word's edge, and the costs before and behind it."""

    at: Longs
    before: Longs  # [d]: of the first d words
    floor: Longs  # [d]: lower bound for the words behind d


def least_cost(situation: Situation, limit: int) -> int:
    """Return the least cost of all trees of a whole sentence, or the limit if none costs less."""
    t, labels = situation.t, len(situation.program.labels)
    edges = costs_of_edges(situation, False, ())._replace(draft=np.empty(labels, np.int64))
    tree = TreeArrays(np.zeros(1 + t, np.int64), np.zeros(1 + t, np.int64))
    branches = Branches(*np.zeros((3, 2 + t), np.int64))
    return int(enumerate_trees(new_desk(situation), edges, tree, branches, limit))


@bare
def write_floor(desk: Desk, edges: EdgeCosts, floor: Longs) -> None:
    """Judge all edges, and write the lower bounds."""
    t = desk.situation.t
    for d in range(t, 0, -1):
        least = edges.least[d, d]
        for h in range(t + 1):
            judge_arc(desk, edges, d, h)
            least = min(least, edges.least[d, h])
        floor[d - 1] = floor[d] + least


@bare
def ends(heads: Longs, d: int) -> bool:
    """Return whether the way up from a word, among the first d words, does not come back to it."""
    node = heads[d]
    while 0 < node < d:
        node = heads[node]
    return bool(node != d)


@bare
def cost_of_word(desk: Desk, edges: EdgeCosts, tree: TreeArrays, d: int) -> int:
    """Return the cost of a word's edge, alone and in pairs with those of the words before."""
    edge = Edge(d, tree.heads[d], tree.labels[d])
    total = edges.cost[d, edge.head, edge.label]
    for other in range(1, d):
        total += cost_of_pair(desk, edge, Edge(other, tree.heads[other], tree.labels[other]))
    return int(total)


@entry
def enumerate_trees(desk: Desk, edges: EdgeCosts, tree: TreeArrays, branches: Branches, limit: int) -> int:
    desk, edges, tree = by_reference(desk), by_reference(edges), by_reference(tree)
    at, before, floor = branches.at, branches.before, branches.floor
    write_floor(desk, edges, floor)
    t, labels, best, d = desk.situation.t, edges.cost.shape[2], limit, 1
    at[1] = -1
    while d > 0:
        at[d] += 1
        h, label = at[d] // labels, at[d] % labels
        if h > t:
            d -= 1
            continue
        tree.heads[d], tree.labels[d] = h, label
        if before[d - 1] + edges.cost[d, h, label] + floor[d] >= best or not ends(tree.heads, d):
            continue
        before[d] = before[d - 1] + cost_of_word(desk, edges, tree, d)
        if before[d] + floor[d] >= best:
            continue
        if d < t:
            d += 1
            at[d] = -1
            continue
        plain, contextual = judge_all(desk, tree)
        best = min(best, plain + contextual)
    return best
