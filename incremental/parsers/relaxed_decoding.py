"""Best of all trees as a shortcut: if it is in the requested class, it is the best of the class.

That is so most often, and is checked in O(n^2), while a chart of trees whose edges may cross takes O(n^4) or
more. For a prefix other conditions are relaxed as well: the number of children of the root, and words below
virtual nodes. The tree then counts only if it meets these conditions.
"""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Scores, Weights
from treewhile.incremental.parsers.class_membership import is_in_class
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import spanning_decoding


def best_of_all(trees: str, weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the best tree's heads as numbers; None if it is of another class, or if interrupted."""
    if weights.t == 0:
        return None
    heads = _relaxed_heads(weights, interrupt)
    if heads is None or not _is_possible(weights, heads):
        return None
    return heads if is_in_class(trees, _as_whole_tree(weights, heads)) else None


def _relaxed_heads(weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the best acyclic assignment of heads to all nodes; LATER and UNUSED have none."""
    ends, later = np.array([0, weights.later, weights.unused], np.int32), weights.later
    outside: Scores = weights.weight[ends, :later]
    is_whole = bool(outside[1:].max(initial=-np.inf) == -np.inf)
    scores = weights.weight[:later, :later].copy()
    scores[0] = outside.max(axis=0)
    heads = spanning_decoding.decode(scores, is_whole, interrupt)
    if heads is None:
        return None
    kinds = ends[outside.argmax(axis=0)]
    found: Numbers = np.where(heads == 0, kinds, heads)[1:]
    return found


def _is_possible(weights: Weights, heads: Numbers) -> bool:
    """Return whether the root has at most one child, and exactly the used virtual nodes have dependents."""
    nodes = np.arange(1, weights.later)
    if heads.min() < 0 or np.count_nonzero(heads == 0) > 1:
        return False
    if weights.weight[heads, nodes].min() == -np.inf:
        return False
    virtual = nodes[weights.t :]
    return bool(((heads[weights.t :] != weights.unused) == np.isin(virtual, heads)).all())


def _as_whole_tree(weights: Weights, heads: Numbers) -> list[int]:
    """Return the heads of all used nodes, and of LATER, a child of the root, renumbered."""
    is_used = np.append(heads != weights.unused, True)
    numbers = np.concatenate([[0], np.cumsum(is_used)])
    whole: list[int] = numbers[np.append(heads, 0)[is_used]].tolist()
    return whole
