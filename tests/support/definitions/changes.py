"""Changes of a tree, and the attack on a conflict, in plain Python.

A *change* gives a dependent another head and label, and keeps a tree:

1. If the new head stands below the dependent, the dependent's child on the way there takes its old head.
2. A new child of the root may take over the one that the root has, or the first of them.
3. A virtual node is in use while something hangs on it: an unused one takes its best edge once it has a
   dependent, or the head that this had, and one that has lost its last dependent is unused.

What moves along takes the label that is best for the edge by itself; of equal edges the first is the best, by
heads and then by labels. An *attack* on a conflict makes every change of its edges, and
gives the best tree that keeps out the conflicts which were removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from definitions.conflicts import cost_in, judge
from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.definition import FaultError, NamedEdge, View, Violation
from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Removed, Tree


@dataclass(frozen=True)
class Changes:
    """The changes of trees in a situation, by definition; an open prefix may have words on LATER."""

    situation: Situation
    is_open: bool = True
    _edge_costs: dict[Edge, int] = field(default_factory=dict)

    # --- costs ----------------------------------------------------------------------------------------------

    def conflicts(self, tree: Tree) -> list[Violation]:
        return judge(self.situation, tree.heads, self._names(tree.labels))[0]

    def cost(self, tree: Tree) -> int:
        return sum(conflict.cost for conflict in self.conflicts(tree))

    def _names(self, labels: Sequence[int]) -> list[str]:
        return [self.situation.program.labels[label] for label in labels]

    def edge_cost(self, edge: Edge) -> int:
        """The cost of an edge by itself."""
        if edge not in self._edge_costs:
            self._edge_costs[edge] = self._edge_cost(edge)
        return self._edge_costs[edge]

    def _edge_cost(self, edge: Edge) -> int:
        if not self._may_be(edge):
            return IMPOSSIBLE
        named = NamedEdge(edge.dependent, edge.head, self.situation.program.labels[edge.label])
        view, total = View(self.situation, (), (), named), 0
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

    def best_label(self, dependent: int, head: int) -> Edge:
        edges = [Edge(dependent, head, label) for label in range(len(self.situation.program.labels))]
        return min(edges, key=self.edge_cost)

    def has_second_way(self, tree: Tree, d: int, h: int) -> bool:
        """Whether the root's child can be taken over, or a virtual node put below the present head."""
        if h == 0:
            return self.child_of_root(tree, d) > 0
        if not self.is_unused(tree.heads, h) or self.is_unused(tree.heads, d):
            return False
        return not self.is_below(tree.heads, tree.heads[d], h)

    def changed(self, tree: Tree, edge: Edge, is_second: bool = False) -> Tree:
        """The tree after a change, in the first way or in the second one."""
        d, h = edge.dependent, edge.head
        heads, labels = [*tree.heads], [*tree.labels]

        def hang(other: Edge) -> None:
            heads[other.dependent], labels[other.dependent] = other.head, other.label

        if self.is_below(heads, h, d):
            child = next(node for node in self._way_up(heads, h) if heads[node] == d)
            hang(self.best_label(child, heads[d]))
        if is_second and h == 0:
            hang(self.best_label(self.child_of_root(tree, d), d))
        hang(edge)
        if self.is_unused(heads, h):
            hang(self.best_label(h, tree.heads[d]) if is_second else self._best_edge(heads, h))
        self._release(heads, labels, tree.heads[d])
        return Tree(tuple(heads), tuple(labels))

    def _best_edge(self, heads: Sequence[int], node: int) -> Edge:
        """The best edge of a virtual node that keeps the tree."""
        free = [head for head in self.heads_of(node) if not self.is_below(heads, head, node)]
        edges = [self.best_label(node, head) for head in free if head != self.situation.unused]
        return min(edges, key=self.edge_cost)

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

    def is_unused(self, heads: Sequence[int], node: int) -> bool:
        return self.is_virtual(node) and heads[node] == self.situation.unused

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
                ways, labels = 1 + self.has_second_way(tree, d, h), len(self.situation.program.labels)
                for way, label in product(range(ways), range(labels)):
                    if (h, label) != (tree.heads[d], tree.labels[d]):
                        changed = self.changed(tree, Edge(d, h, label), bool(way))
                        if changed.heads[d] == h:
                            yield changed

    def attacked(self, tree: Tree, removed: Sequence[Removed]) -> Tree | None:
        """The best tree that an attack on the last removed conflict leads to; of equal ones the first."""
        trees = self.attacks(tree, [edge.dependent for edge in removed[-1].edges])
        allowed = [tree for tree in trees if self._is_possible(tree) and self._keeps_out(tree, removed)]
        return min(allowed, key=self.cost, default=None)

    def _is_possible(self, tree: Tree) -> bool:
        return all(self._may_be(tree.edge(node)) for node in range(1, self.situation.later))

    def _may_be(self, edge: Edge) -> bool:
        """Whether a dependent may have an edge; what is unused has label 0."""
        is_labelled = edge.head != self.situation.unused or edge.label == 0
        return is_labelled and edge.head in self.heads_of(edge.dependent)

    def _keeps_out(self, tree: Tree, removed: Sequence[Removed]) -> bool:
        found = {Removed.of(conflict, tree) for conflict in self.conflicts(tree)}
        return found.isdisjoint(removed)
