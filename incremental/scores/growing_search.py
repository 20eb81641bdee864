"""Search over a sentence that grows word by word, by constraints alone, without scorers or other parsers.

The tree of the first word has the best single edge. From then on each prefix continues from the previous
tree, as in Köhn & Menzel 2013: the new word gets its best edge, and the search starts from there. When the
sentence ends, children of words to come go under the root's child.
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
    """Decisions of the best tree for every word, and whether the search is settled."""

    decisions: list[Decision]
    is_settled: bool


class GrowingSearch:
    """Search for the best tree of the words so far, with a stock of virtual nodes given by tags."""

    def __init__(self, program: Program, stock: Sequence[str]) -> None:
        self._program, self._stock = program, tuple(stock)
        k = len(self._stock)
        self._t = 0
        self._tree = Tree((0, *[k + 2] * k), (0,) * (1 + k))  # virtual nodes, all unused

    def go_on(self, tagged: Analysis, is_open: bool, interrupt: Interrupt) -> Searched:
        """Return the result until the interrupt; only words, tags and features of the analysis are read.

        Its words must extend those of the last call.
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
        """Return the previous tree, with room for more words, which go under the root at first."""
        new = t - self._t
        heads = [head + new if head > self._t else head for head in self._tree.heads]
        labels, at = [*self._tree.labels], 1 + self._t
        return Tree((*heads[:at], *[0] * new, *heads[at:]), (*labels[:at], *[0] * new, *labels[at:]))

    def _closed(self, t: int) -> Tree:
        """Return the previous tree without words to come, with room for more known words."""
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
