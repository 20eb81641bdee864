"""Trees of a search, and the conflicts that it has removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewhile.incremental.constraints.machine.definition import Violation
from treewhile.incremental.constraints.machine.kernels.records import Edge, TreeArrays


class Tree(NamedTuple):
    """Head and label number of every dependent; both have a 0 for the root."""

    heads: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(cls, arrays: TreeArrays) -> Tree:
        return cls(tuple(arrays.heads.tolist()), tuple(arrays.labels.tolist()))

    def edge(self, dependent: int) -> Edge:
        return Edge(dependent, self.heads[dependent], self.labels[dependent])

    def arrays(self) -> TreeArrays:
        """Return the tree as writable arrays for kernels."""
        return TreeArrays(np.array(self.heads, np.int64), np.array(self.labels, np.int64))


class Removed(NamedTuple):
    """Conflict that is kept out: a constraint and the edges that violated it."""

    constraint: int
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, violation: Violation, tree: Tree) -> Removed:
        dependents = (violation.x, violation.y) if violation.y else (violation.x,)
        return cls(violation.constraint, tuple(map(tree.edge, dependents)))


def copy_of(tree: TreeArrays) -> TreeArrays:
    """Return a writable copy of the tree."""
    return TreeArrays(tree.heads.copy(), tree.labels.copy())
