"""The best of all trees where it is of a class that is asked for: then none of the class is better.

That is most often so, and it is known in O(n^2), while a chart of trees whose edges may cross takes O(n^4) or
more. For a prefix all that a class does not ask for is left open as well: how many children the root has, and
whether virtual nodes have words below them. What is found then counts where it keeps to that.
"""

from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Scores, Weights
from treewhile.incremental.parsers.class_membership import is_in_class
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import spanning_decoding


def best_of_all(trees: str, weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """The best tree's heads as numbers of nodes; None where it is of another class, or if interrupted."""
    if weights.t == 0:
        return None
    heads = _relaxed_heads(weights, interrupt)
    if heads is None or not _is_possible(weights, heads):
        return None
    return heads if is_in_class(trees, _as_whole_tree(weights, heads)) else None


def _relaxed_heads(weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """The best way to give all nodes a head, so that none is below itself; LATER and UNUSED have none."""
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
    """Whether the root has one child at most, and virtual nodes have dependents exactly if they are used."""
    nodes = np.arange(1, weights.later)
    if heads.min() < 0 or np.count_nonzero(heads == 0) > 1:
        return False
    if weights.weight[heads, nodes].min() == -np.inf:
        return False
    virtual = nodes[weights.t :]
    return bool(((heads[weights.t :] != weights.unused) == np.isin(virtual, heads)).all())


def _as_whole_tree(weights: Weights, heads: Numbers) -> list[int]:
    """The heads of all nodes that are used, and of LATER, which hangs on the root, numbered anew."""
    is_used = np.append(heads != weights.unused, True)
    numbers = np.concatenate([[0], np.cumsum(is_used)])
    whole: list[int] = numbers[np.append(heads, 0)[is_used]].tolist()
    return whole
