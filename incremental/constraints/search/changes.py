"""Changes of a tree, and the attack on a conflict, in plain Python: they judge the kernels that search.

A *change* gives a dependent another head and label, and keeps a tree:

1. If the new head stands below the dependent, the dependent's child on the way there takes its old head.
2. A new child of the root may take over the one that the root has, or the first of them.
3. A virtual node is in use while something hangs on it: an unused one takes its best edge once it has a
   dependent, and one that has lost its last dependent is unused.

What moves along in 1 and 2 takes the label that is best for the edge by itself, in 3 the best edge; of equal
ones the first, by heads and then by labels. An *attack* on a conflict makes every change of its edges, and
gives the best tree that keeps out the conflicts which were removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from treewhile.incremental.constraints.machine.definition import (
    Edge,
    FaultError,
    Judged,
    View,
    cost_in,
    judge,
)
from treewhile.incremental.constraints.machine.kernels import IMPOSSIBLE
from treewhile.incremental.constraints.machine.situations import Situation


class Arc(NamedTuple):
    """An edge with the number of its label."""

    dependent: int
    head: int
    label: int


class Tree(NamedTuple):
    """The head and the number of the label of every dependent; both have a 0 in the root's place."""

    heads: tuple[int, ...]
    labels: tuple[int, ...]

    def arc(self, dependent: int) -> Arc:
        return Arc(dependent, self.heads[dependent], self.labels[dependent])


class Removed(NamedTuple):
    """A conflict that is kept out: a constraint and the edges that violated it."""

    constraint: int
    arcs: tuple[Arc, ...]

    @classmethod
    def of(cls, conflict: Judged, tree: Tree) -> Removed:
        dependents = (conflict.x, conflict.y) if conflict.y else (conflict.x,)
        return cls(conflict.constraint, tuple(map(tree.arc, dependents)))


@dataclass(frozen=True)
class Changes:
    """The changes of trees in a situation, by definition; an open prefix may have words on LATER."""

    situation: Situation
    is_open: bool = True
    _edge_costs: dict[Arc, int] = field(default_factory=dict)

    # --- costs ----------------------------------------------------------------------------------------------

    def conflicts(self, tree: Tree) -> list[Judged]:
        return judge(self.situation, tree.heads, self._names(tree.labels))[0]

    def cost(self, tree: Tree) -> int:
        return sum(conflict.cost for conflict in self.conflicts(tree))

    def _names(self, labels: Sequence[int]) -> list[str]:
        return [self.situation.program.labels[label] for label in labels]

    def edge_cost(self, arc: Arc) -> int:
        """The cost of an edge by itself."""
        if arc not in self._edge_costs:
            self._edge_costs[arc] = self._edge_cost(arc)
        return self._edge_costs[arc]

    def _edge_cost(self, arc: Arc) -> int:
        if not self._may_be(arc):
            return IMPOSSIBLE
        edge = Edge(arc.dependent, arc.head, self.situation.program.labels[arc.label])
        view, total = View(self.situation, (), (), edge), 0
        for number, constraint in enumerate(self.situation.program.grammar.constraints):
            if constraint.is_alone and self.situation.is_judged(number):
                try:
                    total += cost_in(view, constraint)
                except FaultError:
                    continue
        return total

    # --- trees ----------------------------------------------------------------------------------------------

    def heads_of(self, dependent: int) -> list[int]:
        """The heads that a dependent may have."""
        later = [self.situation.later] if self.is_open else []
        unused = [self.situation.unused] if dependent > self.situation.t else []
        return [head for head in (*range(self.situation.later), *later, *unused) if head != dependent]

    def best_label(self, dependent: int, head: int) -> Arc:
        arcs = [Arc(dependent, head, label) for label in range(len(self.situation.program.labels))]
        return min(arcs, key=self.edge_cost)

    def changed(self, tree: Tree, arc: Arc, takes_over: bool = False) -> Tree:
        """The tree after a change."""
        d, h = arc.dependent, arc.head
        heads, labels = [*tree.heads], [*tree.labels]

        def hang(edge: Arc) -> None:
            heads[edge.dependent], labels[edge.dependent] = edge.head, edge.label

        if self.is_below(heads, h, d):
            child = next(node for node in self._way_up(heads, h) if heads[node] == d)
            hang(self.best_label(child, heads[d]))
        if takes_over:
            hang(self.best_label(self.child_of_root(tree, d), d))
        hang(arc)
        if self.is_virtual(h) and heads[h] == self.situation.unused:
            hang(self._best_arc(heads, h))
        self._release(heads, labels, tree.heads[d])
        return Tree(tuple(heads), tuple(labels))

    def _best_arc(self, heads: Sequence[int], node: int) -> Arc:
        """The best edge of a virtual node that keeps the tree."""
        free = [head for head in self.heads_of(node) if not self.is_below(heads, head, node)]
        arcs = [self.best_label(node, head) for head in free if head != self.situation.unused]
        return min(arcs, key=self.edge_cost)

    def _release(self, heads: list[int], labels: list[int], node: int) -> None:
        """A virtual node on which nothing hangs any more is unused, and then the one above it perhaps."""
        while self.is_virtual(node) and heads[node] != self.situation.unused and node not in heads[1:]:
            above = heads[node]
            heads[node], labels[node] = self.situation.unused, 0
            node = above

    def child_of_root(self, tree: Tree, d: int) -> int:
        """The first child of the root but for one dependent; 0 if there is none."""
        children = (node for node in range(1, self.situation.later) if node != d and tree.heads[node] == 0)
        return next(children, 0)

    def is_virtual(self, node: int) -> bool:
        return self.situation.t < node < self.situation.later

    def is_below(self, heads: Sequence[int], node: int, above: int) -> bool:
        """Whether one node is the other or stands below it."""
        return above in self._way_up(heads, node)

    def _way_up(self, heads: Sequence[int], node: int) -> Iterator[int]:
        while 1 <= node < self.situation.later:
            yield node
            node = heads[node]

    # --- attacks --------------------------------------------------------------------------------------------

    def attacks(self, tree: Tree, dependents: Sequence[int]) -> Iterator[Tree]:
        """The trees that changes of the edges of some dependents lead to.

        A virtual node that would lose its last dependent by what it takes over does not get another head.
        """
        for d in dependents:
            for h in self.heads_of(d):
                overtaking = h == 0 and self.child_of_root(tree, d) > 0
                for takes_over, label in product(
                    range(1 + overtaking), range(len(self.situation.program.labels))
                ):
                    if (h, label) != (tree.heads[d], tree.labels[d]):
                        changed = self.changed(tree, Arc(d, h, label), bool(takes_over))
                        if changed.heads[d] == h:
                            yield changed

    def attacked(self, tree: Tree, removed: Sequence[Removed]) -> Tree | None:
        """The best tree that an attack on the last removed conflict leads to; of equal ones the first."""
        trees = self.attacks(tree, [arc.dependent for arc in removed[-1].arcs])
        allowed = [tree for tree in trees if self._is_possible(tree) and self._keeps_out(tree, removed)]
        return min(allowed, key=self.cost, default=None)

    def _is_possible(self, tree: Tree) -> bool:
        return all(self._may_be(tree.arc(node)) for node in range(1, self.situation.later))

    def _may_be(self, arc: Arc) -> bool:
        """Whether a dependent may have an edge; what is unused has label 0."""
        is_labelled = arc.head != self.situation.unused or arc.label == 0
        return is_labelled and arc.head in self.heads_of(arc.dependent)

    def _keeps_out(self, tree: Tree, removed: Sequence[Removed]) -> bool:
        found = {Removed.of(conflict, tree) for conflict in self.conflicts(tree)}
        return found.isdisjoint(removed)
