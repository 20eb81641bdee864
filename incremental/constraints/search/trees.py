"""Trees of a search, analyses as such trees, and the conflicts that a search has removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewhile.incremental.constraints.machine.definition import Violation
from treewhile.incremental.constraints.machine.kernels.records import Edge, TreeArrays
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.parsers.analyses import Analysis, expected_words
from treewhile.incremental.parsers.rescoring import Preference


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


def edges_kept(situation: Situation, fixed: Preference) -> list[Edge]:
    """Return the edges that stay; a head or label that is free is -1."""
    labels, edges = situation.program.label_numbers, dict[int, Edge]()
    for word, decision in fixed.fixed.items():
        edges[word] = Edge(word, situation.nodes.number(decision.head), labels[decision.label])
    for word, (head, label, _) in fixed.corrections.items():
        before = edges.get(word, Edge(word, -1, -1))
        edges[word] = Edge(
            word, before.head if head is None else head, before.label if label is None else labels[label]
        )
    return [*edges.values()]


def tree_of(situation: Situation, analysis: Analysis) -> Tree:
    """Return the tree of an analysis of all words or the first ones; later words go under the root."""
    heads = [0] * (1 + situation.t) + [situation.unused] * situation.k
    labels, numbers = [0] * situation.later, situation.program.label_numbers
    for word, (head, label) in enumerate(zip(analysis.heads, analysis.labels, strict=True), 1):
        heads[word] = head if isinstance(head, int) else situation.nodes.number(head)
        labels[word] = numbers[label]
    for expected in analysis.expected:
        node = situation.nodes.number(expected.node)
        heads[node], labels[node] = situation.nodes.number(expected.head), numbers[expected.label]
    return Tree(tuple(heads), tuple(labels))


def analysis_of(situation: Situation, tree: Tree) -> Analysis:
    """Return the analysis of a tree, with the tags of a situation."""
    nodes, numbers = situation.nodes, tree.heads[1:]
    heads = nodes.names(numbers)
    labels = [*map(situation.program.labels.__getitem__, tree.labels[1:])]
    expected = expected_words(nodes, numbers, heads, labels)
    tagged = situation.words, situation.tags, situation.features
    return Analysis(*tagged, tuple(heads[: nodes.t]), tuple(labels[: nodes.t]), expected)
