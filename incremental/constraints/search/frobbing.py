"""Frobbing: the best tree reachable by changes, by the constraints of a grammar (Algorithm 1).

After Foth, Schröder & Menzel 2000 and Köhn & Menzel 2013. The hardest conflict of the best tree is attacked:
among all trees that one change of its edges leads to (`changes` defines them) the search continues with the
best one without the conflict, attacks the hardest conflict there, and so on in a *row*, which keeps removed
conflicts out; `attackers` defines its end. A tree that costs less than the best so far is the new best, and
everything restarts. If a row ends without one, its first conflict is unsolvable, and the next one is
attacked. If all are, a short sentence is searched again: from trees with each of its words as the root of all
others, from two chains, and from the best tree with each word under its second best head; then the search is
settled. The search can be interrupted at any time and continued later.

If a class of trees is requested, a row that ends in a tree outside counts as unsuccessful. Projectivity is
not enforced so: a constraint weighs two crossing edges against their benefits.

Costs are integers, and rows are independent: so threads can attack conflicts in turn, and the result of the
first conflict that pays is taken, which gives the same trees with any number of threads. Costs of single
edges are computed once, by any thread, for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import Final, TypeVar

import numpy as np

from treewhile.incremental.constraints.machine.costs import IMPOSSIBLE
from treewhile.incremental.constraints.machine.judging import NO_TREE, new_rows
from treewhile.incremental.constraints.machine.kernels.records import Edge, JudgedArrays, Longs, TreeArrays
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.attackers import (
    USUAL,
    Attacker,
    JudgedTree,
    Margins,
    Turn,
    costs_of_edges,
)
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.tree_decoding import ANY, is_prefix_in_class
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

Some = TypeVar("Some")

COSTLIEST: Final = 1 << 62  # more than any tree costs
NOTHING: Final = JudgedTree(
    Tree((), ()), JudgedArrays(NO_TREE, new_rows(0)), COSTLIEST, COSTLIEST, new_rows(0)
)


def check_threads(threads: int, executor: Executor | None) -> None:
    if threads > 1 and executor is None:
        raise InputError(f"{threads} threads need an executor that has them: give one, or take one thread")


def shapes(t: int) -> Iterator[tuple[int, ...]]:
    """Yield the heads of each word's star, and of the chains from the first word and from the last one."""
    for root in range(1, t + 1):
        yield tuple(0 if word == root else root for word in range(1, t + 1))
    yield tuple(range(t))
    yield (*range(2, t + 1), 0)


class TreeSearch:
    """Search in one situation, starting from the best of some trees.

    `kept` edges stay in all trees, and trees must be of a class if given. New words and conflicts are shared
    among the threads, of which an executor has all but one.
    """

    def __init__(
        self,
        situation: Situation,
        is_open: bool = True,
        kept: Iterable[Edge] = (),
        threads: int = 1,
        executor: Executor | None = None,
        trees: str = ANY,
        margins: Margins = USUAL,
    ) -> None:
        check_threads(threads, executor)
        self.situation, self._executor, self._trees = situation, executor, trees
        self._margins, kept = margins, [*kept]
        edges = costs_of_edges(situation, is_open, kept)
        self._attackers = [Attacker(situation, edges) for _ in range(threads)]
        self._best = self._judged = NOTHING  # the best tree, and the best one since the last restart
        self._unsolvable = 0  # number of conflicts of the latter known to be unsolvable
        is_short = situation.t <= margins.restarted and not kept
        # For restarts, the last one first: the heads of whole trees, then words that get other heads.
        self._shapes = [*shapes(situation.t)][::-1] if is_short else []
        self._movable = [*range(situation.t, 0, -1)] if is_short else []

    @property
    def best(self) -> Tree:
        return self._best.tree

    @property
    def judged_best(self) -> JudgedTree:
        return self._best

    @property
    def best_arrays(self) -> TreeArrays:
        """Best tree so far as arrays, read-only."""
        return self._best.arrays

    @property
    def cost(self) -> int:
        return self._best.cost

    @property
    def conflicts(self) -> Longs:
        """Conflicts of the best tree: [i, ConflictColumn], the hardest first."""
        return self._best.conflicts

    @property
    def tried(self) -> int:
        """Number of trees tried."""
        return sum(attacker.tried for attacker in self._attackers)

    @property
    def is_settled(self) -> bool:
        """True if no attack would lead to a better tree."""
        return self._is_stuck and (not self._movable or self.is_proven)

    @property
    def is_proven(self) -> bool:
        """True if no tree can cost less than the best."""
        return self.cost <= self.floor

    @property
    def floor(self) -> int:
        """Lower bound on the cost of all trees, by the edges that are judged so far."""
        return self._attackers[0].floor

    @property
    def _is_stuck(self) -> bool:
        return self._unsolvable == len(self._judged.conflicts)

    # --- where to begin -------------------------------------------------------------------------------------

    def begin(self, *trees: Tree) -> None:
        """Continue from the cheapest of other trees, the first on ties, if it is cheaper than the best.

        Trees outside the class are ignored, unless all are.
        """
        allowed = [*filter(self._is_allowed, dict.fromkeys(trees))] or trees
        judged = [self._attackers[0].judged(tree) for tree in allowed]
        best = min(judged, key=lambda one: one.cost)
        if best.cost < self.cost:
            self._go_on(best)

    def _restart(self) -> None:
        """Go on from the next other tree, unless it is outside the class."""
        attacker = self._attackers[0]
        if self._shapes:
            tree = attacker.labelled(self._shapes.pop())
        else:
            tree = attacker.hung_elsewhere(self.best, self._movable.pop())
        if self._is_allowed(tree):
            self._go_on(attacker.judged(tree))

    def judged(self, tree: Tree) -> JudgedTree:
        """Return another tree with its cost and conflicts."""
        return self._attackers[0].judged(tree)

    def _go_on(self, judged: JudgedTree) -> None:
        self._judged, self._unsolvable = judged, 0
        if judged.cost < self.cost:
            self._best = judged

    def with_words(self, tree: Tree, first: int, interrupt: Interrupt) -> Tree:
        """Return the tree with the best single edge for every word from one on, until interrupted."""
        if first > self.situation.t:
            return tree
        if first < self.situation.t:
            self._judge_words(tree, first, interrupt)
        return self._attackers[0].hang_words(tree, first, interrupt)

    def _judge_words(self, tree: Tree, first: int, interrupt: Interrupt) -> None:
        """Judge the possible edges of the words from one on, in all threads."""

        def judge(attacker: Attacker, words: range) -> None:
            attacker.judge_words(tree, words, interrupt)

        self._in_threads(judge, range(first, 1 + self.situation.t))

    # --- the loop -------------------------------------------------------------------------------------------

    def run(self, interrupt: Interrupt) -> bool:
        """Search until interrupted; return whether the search is settled."""
        while not self.is_settled and not interrupt.is_set:
            if self._is_stuck:
                self._restart()
            else:
                self._attack(interrupt)
        return self.is_settled

    def _attack(self, interrupt: Interrupt) -> None:
        """Attack the conflicts not known to be unsolvable until one of them leads to a better tree."""
        turns = self._turns(interrupt)
        first = min(turns, key=lambda turn: turn.number if turn.cost >= 0 else len(self._judged.conflicts))
        if not 0 <= first.cost < IMPOSSIBLE:
            self._unsolvable = min(turn.number for turn in turns)
        elif self._is_allowed(found := Tree.of(first.found)):
            self._go_on(self._attackers[0].judged(found))
        else:
            others = [turn.number for turn in turns if turn is not first]
            self._unsolvable = min(first.number + 1, *others, len(self._judged.conflicts))

    def _is_allowed(self, tree: Tree) -> bool:
        words = tree.heads[1 : 1 + self.situation.t]
        return self._trees == ANY or is_prefix_in_class(self._trees, words)

    def _turns(self, interrupt: Interrupt) -> list[Turn]:
        """Return the results of attacks in each thread."""
        best, paid = self._judged, np.array([len(self._judged.conflicts)])

        def attack(attacker: Attacker, turns: range) -> Turn:
            return attacker.attack_in_turn(best, turns, paid, self._margins, interrupt)

        return self._in_threads(attack, range(self._unsolvable, len(self._judged.conflicts)))

    def _in_threads(self, work: Callable[[Attacker, range], Some], numbers: range) -> list[Some]:
        """Return the results of work on numbers, shared by all threads; unstarted shares run here."""
        if self._executor is None:
            return [work(self._attackers[0], numbers)]
        step = len(self._attackers)
        own, *others = [(attacker, numbers[place:][::step]) for place, attacker in enumerate(self._attackers)]
        running = [(share, self._executor.submit(work, *share)) for share in others]
        found = work(*own)
        return [found, *(work(*share) if later.cancel() else later.result() for share, later in running)]
