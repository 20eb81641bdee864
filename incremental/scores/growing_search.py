"""A sentence that grows word by word and is parsed by constraints alone: no scorer or other parser is asked.

The tree of the first word has the edge that is best by itself. From then on each prefix goes on from the tree
of the one before, as in Köhn & Menzel 2013: the new word hangs by its best edge, and the search takes it from
there. When the sentence ends, what hung on words to come hangs on the root's child.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.oracles.interrupts import Interrupt


class Searched(NamedTuple):
    """What the best tree says of every word, and whether nothing would improve it."""

    decisions: list[Decision]
    is_settled: bool


class GrowingSearch:
    """The search for the best tree of the words so far, with a stock of virtual nodes by their tags."""

    def __init__(self, program: Program, stock: Sequence[str]) -> None:
        self._program, self._stock = program, tuple(stock)
        k = len(self._stock)
        self._t = 0
        self._tree = Tree((0, *[k + 2] * k), (0,) * (1 + k))  # virtual nodes, all of them unused

    def go_on(self, tagged: Analysis, is_open: bool, interrupt: Interrupt) -> Searched:
        """What is found until the interrupt is set; of the analysis only words, tags and features are read.

        Its words are those of the last call, and more.
        """
        stock = self._stock if is_open else ()
        situation = Situation.of(self._program, tagged.words, tagged.tags, tagged.features, stock)
        search = TreeSearch(situation, is_open)
        before = self._grown(situation.t) if is_open else self._closed(situation.t)
        search.begin(search.with_words(before, 1 + self._t, interrupt))
        is_settled = search.run(interrupt)
        self._t, self._tree = situation.t, search.best
        return Searched(_decisions(situation, search.best), is_settled)

    def _grown(self, t: int) -> Tree:
        """The tree before, with room for more words, which hang on the root for now."""
        new = t - self._t
        heads = [head + new if head > self._t else head for head in self._tree.heads]
        labels, at = [*self._tree.labels], 1 + self._t
        return Tree((*heads[:at], *[0] * new, *heads[at:]), (*labels[:at], *[0] * new, *labels[at:]))

    def _closed(self, t: int) -> Tree:
        """The tree before without words to come, with room for more that have come."""
        heads, new = [*self._tree.heads[: 1 + self._t]], t - self._t
        waiting = [word for word, head in enumerate(heads) if head > self._t]
        root = next((word for word, head in enumerate(heads) if word and head == 0), min(waiting, default=0))
        for word in waiting:
            heads[word] = 0 if word == root else root
        return Tree((*heads, *[0] * new), (*self._tree.labels[: 1 + self._t], *[0] * new))


def _decisions(situation: Situation, tree: Tree) -> list[Decision]:
    labels = situation.program.labels
    words = zip(tree.heads[1 : situation.t + 1], tree.labels[1:], strict=False)
    return [Decision(situation.nodes.name(head), labels[label]) for head, label in words]
