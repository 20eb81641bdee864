"""Trees as a search goes from one to the next, and the conflicts that it has removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewhile.incremental.constraints.machine.definition import Violation
from treewhile.incremental.constraints.machine.kernels.records import Edge, TreeArrays


class Tree(NamedTuple):
    """The head and the number of the label of every dependent; both have a 0 in the root's place."""

    heads: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(cls, arrays: TreeArrays) -> Tree:
        return cls(tuple(arrays.heads.tolist()), tuple(arrays.labels.tolist()))

    def edge(self, dependent: int) -> Edge:
        return Edge(dependent, self.heads[dependent], self.labels[dependent])

    def arrays(self) -> TreeArrays:
        """The same as kernels have it, to be written to."""
        return TreeArrays(np.array(self.heads, np.int64), np.array(self.labels, np.int64))


class Removed(NamedTuple):
    """A conflict that is kept out: a constraint and the edges that violated it."""

    constraint: int
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, violation: Violation, tree: Tree) -> Removed:
        dependents = (violation.x, violation.y) if violation.y else (violation.x,)
        return cls(violation.constraint, tuple(map(tree.edge, dependents)))


def copy_of(tree: TreeArrays) -> TreeArrays:
    """The same tree, to be written to."""
    return TreeArrays(tree.heads.copy(), tree.labels.copy())
