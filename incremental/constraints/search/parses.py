"""Parses as trees of a situation, and back: nodes to come are numbers in one and names in the other."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.analyses import Analysis, Decision, expected_words


def edge_of(situation: Situation, dependent: int, decision: Decision) -> Edge:
    number = situation.program.label_numbers[decision.label]
    return Edge(dependent, situation.nodes.number(decision.head), number)


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


def analysis_of(situation: Situation, tree: Tree, tagged: Analysis) -> Analysis:
    """Return the analysis of a tree, with the tags of another analysis."""
    nodes, numbers = situation.nodes, tree.heads[1:]
    heads = nodes.names(numbers)
    labels = [*map(situation.program.labels.__getitem__, tree.labels[1:])]
    expected = expected_words(nodes, numbers, heads, labels)
    words, tags, features = tagged.words, tagged.tags, tagged.features
    return Analysis(words, tags, features, tuple(heads[: nodes.t]), tuple(labels[: nodes.t]), expected)
