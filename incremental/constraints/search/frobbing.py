"""Frobbing: the best tree that changes lead to, by the constraints of a grammar (Algorithm 1).

After Foth, Schröder & Menzel 2000 and Köhn & Menzel 2013. The hardest conflict of the best tree is
attacked: of all trees that one change of its edges leads to (`changes` defines them) the search goes on
with the best that is rid of it, attacks the hardest conflict there, and so on in a *row*, which keeps out
all conflicts that it was rid of; `attackers` says where it ends. A tree that costs less than the best so far
is the new best, and everything starts over. If a row ends without one, the conflict that it began with is
unsolvable, and the next one has its turn; when all are, the search is settled. It can be interrupted at any
time and go on later.

Where trees of a class are asked for, a row that ends in another tree has led to nothing. Projective trees are
not: there a constraint sees to it, and says how much two edges that cross have to be worth.

Costs are whole numbers, and rows do not know of each other: so threads can attack conflicts in turn, and
what the first conflict that pays leads to is taken, which gives the same trees with any number of them.
What an edge costs by itself any thread finds out for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Final, TypeVar

import numpy as np

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.judging import NO_TREE, new_rows
from treewhile.incremental.constraints.machine.kernels.records import Edge, Longs, TreeArrays
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.attackers import Attacker, JudgedTree, Turn, costs_of_edges
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.class_membership import ANY, is_prefix_in_class
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

Some = TypeVar("Some")

COSTLIEST: Final = 1 << 62  # more than any tree costs
NOTHING: Final = JudgedTree(Tree((), ()), NO_TREE, COSTLIEST, COSTLIEST, new_rows(0))


def check_threads(threads: int, executor: Executor | None) -> None:
    if threads > 1 and executor is None:
        raise InputError(f"{threads} threads need an executor that has them: give one, or take one thread")


class TreeSearch:
    """The search in one situation, from the best of some trees on.

    Edges that are `kept` stay for good, and trees have to be of a class if there is one. Words that come and
    conflicts are shared among the threads, of which an executor has all but one.
    """

    def __init__(
        self,
        situation: Situation,
        is_open: bool = True,
        kept: Iterable[Edge] = (),
        threads: int = 1,
        executor: Executor | None = None,
        trees: str = ANY,
    ) -> None:
        check_threads(threads, executor)
        self.situation, self._executor, self._trees = situation, executor, trees
        edges = costs_of_edges(situation, is_open, kept)
        self._attackers = [Attacker(situation, edges) for _ in range(threads)]
        self._judged = NOTHING
        self._unsolvable = 0  # how many of the conflicts are

    @property
    def best(self) -> Tree:
        """The best tree so far."""
        return self._judged.tree

    @property
    def best_arrays(self) -> TreeArrays:
        """The same, not to be written to."""
        return self._judged.arrays

    @property
    def cost(self) -> int:
        return self._judged.cost

    @property
    def conflicts(self) -> Longs:
        """What the best tree breaks: [i, ConflictColumn], the hardest first."""
        return self._judged.conflicts

    @property
    def tried(self) -> int:
        """How many trees were looked at."""
        return sum(attacker.tried for attacker in self._attackers)

    @property
    def is_settled(self) -> bool:
        """Whether no attack would lead to a better tree."""
        return self._unsolvable == len(self.conflicts)

    # --- where to begin -------------------------------------------------------------------------------------

    def begin(self, *trees: Tree) -> None:
        """Goes on from the first of other trees with the least cost if that is less than the best so far.

        Those that are not of the class do not count, unless none is.
        """
        allowed = [*filter(self._is_allowed, dict.fromkeys(trees))] or trees
        judged = [self._attackers[0].judged(tree) for tree in allowed]
        best = min(judged, key=lambda one: one.cost)
        if best.cost < self.cost:
            self._go_on(best)

    def _go_on(self, judged: JudgedTree) -> None:
        self._judged, self._unsolvable = judged, 0

    def with_words(self, tree: Tree, first: int, interrupt: Interrupt) -> Tree:
        """The tree once every word from one on has the edge that is best by itself, until interrupted."""
        if first > self.situation.t:
            return tree
        if first < self.situation.t:
            self._judge_words(tree, first, interrupt)
        return self._attackers[0].hang_words(tree, first, interrupt)

    def _judge_words(self, tree: Tree, first: int, interrupt: Interrupt) -> None:
        """Judges the edges that the words from one on may get, in all threads."""

        def judge(attacker: Attacker, words: range) -> None:
            attacker.judge_words(tree, words, interrupt)

        self._in_threads(judge, range(first, 1 + self.situation.t))

    # --- the loop -------------------------------------------------------------------------------------------

    def run(self, interrupt: Interrupt) -> bool:
        """Searches until interrupted; whether the search is settled."""
        while not self.is_settled and not interrupt.is_set:
            self._attack(interrupt)
        return self.is_settled

    def _attack(self, interrupt: Interrupt) -> None:
        """Attacks the conflicts that are not unsolvable until one of them leads to a better tree."""
        turns = self._turns(interrupt)
        first = min(turns, key=lambda turn: turn.number if turn.cost >= 0 else len(self.conflicts))
        if not 0 <= first.cost < IMPOSSIBLE:
            self._unsolvable = min(turn.number for turn in turns)
        elif self._is_allowed(found := Tree.of(first.found)):
            self._go_on(self._attackers[0].judged(found))
        else:
            others = [turn.number for turn in turns if turn is not first]
            self._unsolvable = min(first.number + 1, *others, len(self.conflicts))

    def _is_allowed(self, tree: Tree) -> bool:
        words = tree.heads[1 : 1 + self.situation.t]
        return self._trees == ANY or is_prefix_in_class(self._trees, words)

    def _turns(self, interrupt: Interrupt) -> list[Turn]:
        """What the conflicts lead to in each thread."""
        best, paid = self._judged, np.array([len(self.conflicts)])

        def attack(attacker: Attacker, turns: range) -> Turn:
            return attacker.attack_in_turn(best, turns, paid, interrupt)

        return self._in_threads(attack, range(self._unsolvable, len(self.conflicts)))

    def _in_threads(self, work: Callable[[Attacker, range], Some], numbers: range) -> list[Some]:
        """What work on numbers gives, which all threads share; what no thread has begun is done here."""
        if self._executor is None:
            return [work(self._attackers[0], numbers)]
        step = len(self._attackers)
        own, *others = [(attacker, numbers[place:][::step]) for place, attacker in enumerate(self._attackers)]
        running = [(share, self._executor.submit(work, *share)) for share in others]
        found = work(*own)
        return [found, *(work(*share) if later.cancel() else later.result() for share, later in running)]
