"""Constraints that speak for an arc and against its rival: those whose violations cost the rival most.

Two trees are judged under the grammar: the analysis, and the one in which a word has the rival arc instead.
Where that alone would be no tree, one more word turns round: the word between the rival head and the changed
word takes over the old head, and the former child of the root hangs on a new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from treewhile.incremental.constraints.machine.costs import penalty_of
from treewhile.incremental.constraints.machine.judging import conflicts_in
from treewhile.incremental.constraints.machine.kernels.records import ConflictColumn, Edge
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.search import DecidingConstraint

LikeliestLabel = Callable[[int, int], int]  # given head and dependent


def deciding_constraints(
    situation: Situation, tree: Tree, rivals: Mapping[int, Decision], likeliest: LikeliestLabel
) -> Iterator[tuple[int, DecidingConstraint]]:
    """Yield the constraint that costs the rival of a word's arc most beyond the tree, for words with one.

    Arcs from and to words that are still to come are left out.
    """
    before, names = costs_by_constraint(situation, tree), situation.program.grammar.constraints
    for word, rival in rivals.items():
        if not (isinstance(rival.head, int) and tree.heads[word] <= situation.t):
            continue
        edge = Edge(word, rival.head, situation.program.label_numbers[rival.label])
        more = costs_by_constraint(situation, with_edge(tree, edge, likeliest))
        more.subtract(before)
        number, cost = max(more.items(), key=lambda item: item[1], default=(0, 0))
        if cost > 0:
            yield word, DecidingConstraint(names[number].name, penalty_of(cost))


def costs_by_constraint(situation: Situation, tree: Tree) -> Counter[int]:
    """Return the cost of the violations of each violated constraint, by number, in grammar order."""
    rows = conflicts_in(situation, tree.arrays())
    costs = Counter[int]()
    for number, cost in sorted(rows[:, [ConflictColumn.CONSTRAINT, ConflictColumn.COST]].tolist()):
        costs[number] += cost
    return costs


def with_edge(tree: Tree, edge: Edge, likeliest: LikeliestLabel) -> Tree:
    """Return the tree with another edge, and with one more where it would be none."""
    heads, labels = [*tree.heads], [*tree.labels]
    word, head, label = edge
    turned = _turned(tree, word, head)
    if turned is not None:
        dependent, new_head = turned
        heads[dependent], labels[dependent] = new_head, likeliest(new_head, dependent)
    heads[word], labels[word] = head, label
    return Tree(tuple(heads), tuple(labels))


def _turned(tree: Tree, word: int, head: int) -> tuple[int, int] | None:
    """Return the dependent that needs another head if the word gets a new one, and that head."""
    if head == 0:
        others = [one for one in range(1, len(tree.heads)) if tree.heads[one] == 0 and one != word]
        return (others[0], word) if others else None
    node = head
    while 0 < node < len(tree.heads):
        if tree.heads[node] == word:
            return node, tree.heads[word]
        node = tree.heads[node]
    return None
