"""Parses as trees of a situation, and back: what stands to come has numbers in one and names in the other."""

from __future__ import annotations

from treewhile.incremental.constraints.machine.kernels.records import Edge
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.analyses import LATER, Analysis, Decision, ExpectedWord, Head, Virtual


def _node(situation: Situation, head: Head) -> int:
    if isinstance(head, Virtual):
        return situation.t + head.number
    return situation.later if head == LATER else int(head)


def edge_of(situation: Situation, dependent: int, decision: Decision) -> Edge:
    number = situation.program.label_numbers[decision.label]
    return Edge(dependent, _node(situation, decision.head), number)


def tree_of(situation: Situation, analysis: Analysis) -> Tree:
    """An analysis of all words or the first ones; words after these hang on the root for the time being."""
    heads = [0] * (1 + situation.t) + [situation.unused] * situation.k
    labels, numbers = [0] * situation.later, situation.program.label_numbers
    for word, (head, label) in enumerate(zip(analysis.heads, analysis.labels, strict=True), 1):
        heads[word] = head if isinstance(head, int) else _node(situation, head)
        labels[word] = numbers[label]
    for expected in analysis.expected:
        node = _node(situation, expected.node)
        heads[node], labels[node] = _node(situation, expected.head), numbers[expected.label]
    return Tree(tuple(heads), tuple(labels))


def analysis_of(situation: Situation, tree: Tree, tagged: Analysis) -> Analysis:
    """The tree with the tags of another analysis."""
    heads = [*map(situation.head_at, tree.heads)]
    labels = [*map(situation.program.labels.__getitem__, tree.labels)]
    t, unused = situation.t, situation.unused
    expected = [
        ExpectedWord(Virtual(node - t, situation.virtual_tags[node - t - 1]), heads[node], labels[node])
        for node, head in enumerate(tree.heads[t + 1 :], t + 1)
        if head != unused
    ]
    words, tags, features = tagged.words, tagged.tags, tagged.features
    return Analysis(words, tags, features, tuple(heads[1 : t + 1]), tuple(labels[1 : t + 1]), tuple(expected))
