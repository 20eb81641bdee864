"""Work of one thread of a search: judging edges and trees, and attacking conflicts.

A *row* of attacks ends if no tree is left, at trees that cost a margin more than the best, after the longest
row's attacks, and if no attack can pay: the removed edges are forbidden in the row, and the best remaining
edge of each dependent gives a lower bound on the cost of all trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine.costs import COST_OF_E, IMPOSSIBLE
from treewhile.incremental.constraints.machine.judging import ROWS, new_desk
from treewhile.incremental.constraints.machine.kernels import arcs, attacks, changes
from treewhile.incremental.constraints.machine.kernels.records import (
    Attack,
    Edge,
    EdgeCosts,
    JudgedArrays,
    Longs,
    RemovedColumn,
    TreeArrays,
)
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.trees import Removed, Tree, copy_of
from treewhile.oracles.interrupts import Interrupt


class Margins(NamedTuple):
    """Limits of a search: wider ones find better trees, and take longer."""

    cost: int = 2 * COST_OF_E  # of trees in a row, beyond the best
    longest_row: int = 8  # number of attacks
    restarted: int = 6  # maximum number of words of sentences that are searched again from other trees


USUAL: Final = Margins()
GUIDED: Final = USUAL._replace(restarted=4)  # for searches that begin near the best tree, by probabilities
MOST_BARRED: Final = 8  # counted at most, since their sum is a number of 64 bits
CONFLICTS_PER_NODE: Final = 8  # room for conflicts in a row


class JudgedTree(NamedTuple):
    """Tree with its cost, in all and without context; `plain` also counts forbidden edges."""

    tree: Tree
    known: JudgedArrays  # the same as arrays, read-only
    cost: int
    plain: int
    conflicts: Longs  # [i, ConflictColumn], the hardest first

    @property
    def arrays(self) -> TreeArrays:
        return self.known.tree


class Found(NamedTuple):
    """Tree and its cost, or no tree."""

    cost: int
    tree: Tree


class Turn(NamedTuple):
    """First conflict of a thread's share whose row pays or was interrupted, and the tree found."""

    number: int
    cost: int  # IMPOSSIBLE if none pays, negative if interrupted
    found: TreeArrays


class Attacker:
    """Worker of a thread, on costs of edges that all threads of a search share."""

    def __init__(self, situation: Situation, edges: EdgeCosts) -> None:
        self._situation = situation
        self._edges = EdgeCosts(*edges[:-1], np.empty(len(situation.program.labels), np.int64))
        self._tried = np.zeros(1, np.int64)

    @property
    def tried(self) -> int:
        """Number of trees tried."""
        return int(self._tried[0])

    def judged(self, tree: Tree) -> JudgedTree:
        rooms, found, arrays = (0, 0), (ROWS, ROWS), tree.arrays()
        while found != rooms:
            rooms = found
            desk = new_desk(self._situation, rooms[0], watched=rooms[1])
            plain, contextual, barred = arcs.judge_as_tree(desk, self._edges, arrays)
            found = max(ROWS, int(desk.found[0])), max(ROWS, int(desk.watching[0]))
        cost, more = int(plain + contextual), IMPOSSIBLE * min(int(barred), MOST_BARRED)
        known = JudgedArrays(arrays, desk.watched[: desk.watching[0]])
        return JudgedTree(tree, known, cost, int(plain) + more, desk.rows[: desk.found[0]])

    def judge_words(self, tree: Tree, words: range, interrupt: Interrupt) -> None:
        """Judge the possible edges of some words, until interrupted."""
        self._place(tree.arrays(), words, False, interrupt)

    def hang_words(self, tree: Tree, first: int, interrupt: Interrupt) -> Tree:
        """Return the tree with the best single edge for every word from one on, until interrupted."""
        arrays = tree.arrays()
        self._place(arrays, range(first, 1 + self._situation.t), True, interrupt)
        return Tree.of(arrays)

    def _place(self, tree: TreeArrays, words: range, hangs: bool, interrupt: Interrupt) -> None:
        desk, edges = new_desk(self._situation), self._edges
        changes.place_words(desk, edges, tree, interrupt.flag, words.start, words.step, hangs)

    def labelled(self, heads: Sequence[int]) -> Tree:
        """Return the tree with these heads of words, and the labels best by themselves."""
        t, k = self._situation.t, self._situation.k
        arrays = Tree((0, *heads, *[self._situation.unused] * k), (0,) * (1 + t + k)).arrays()
        changes.label_words(new_desk(self._situation), self._edges, arrays)
        return Tree.of(arrays)

    def hung_elsewhere(self, tree: Tree, word: int) -> Tree:
        """Return the tree with the best single edge of a word from another head."""
        arrays = tree.arrays()
        changes.hang_elsewhere(new_desk(self._situation), self._edges, arrays, word)
        return Tree.of(arrays)

    @property
    def floor(self) -> int:
        """Lower bound on the cost of all trees, by the edges known so far."""
        return floor_of(self._edges)

    def attack_in_turn(
        self, best: JudgedTree, turns: range, paid: Longs, margins: Margins, interrupt: Interrupt
    ) -> Turn:
        """Attack the conflicts of a tree in turn, until the row of one pays.

        All conflicts before that one are unsolvable in their rows. The work also ends if the row of a
        conflict before paid[0], which other threads may write, has paid.
        """
        longest, unsolvable = margins.longest_row, len(best.conflicts)
        attack = self._attack(best.arrays, best.cost, margins.cost, longest, unsolvable, interrupt)
        first, step = turns.start, turns.step
        number, cost = attacks.run_rows(attack, best.known, best.plain, best.conflicts, first, step, paid)
        return Turn(int(number), int(cost), attack.found)

    def attacked(self, tree: Tree, removed: Sequence[Removed], interrupt: Interrupt) -> Found:
        """Return the best tree of an attack on the last removed conflict; cost IMPOSSIBLE if none."""
        attack = self._attack(tree.arrays(), IMPOSSIBLE, 0, len(removed), 0, interrupt)
        for row, conflict in zip(attack.removed, removed, strict=True):
            self._write(row, conflict)
        begun = self.judged(tree)
        cost = attacks.run_one_row(attack, begun.known, begun.plain, begun.conflicts, len(removed))
        return Found(int(cost), Tree.of(attack.found))

    def _attack(
        self, tree: TreeArrays, limit: int, margin: int, longest: int, unsolvable: int, interrupt: Interrupt
    ) -> Attack:
        room, columns = CONFLICTS_PER_NODE * len(tree.heads), len(RemovedColumn)
        return Attack(
            new_desk(self._situation, room),
            self._edges,
            interrupt.flag,
            limit,
            margin,
            np.zeros((longest, columns), np.int64),
            np.empty((unsolvable, columns), np.int64),
            copy_of(tree),
            copy_of(tree),
            copy_of(tree),
            self._tried,
        )

    def _write(self, row: npt.NDArray[np.int64], conflict: Removed) -> None:
        """Write a conflict of any tree in the layout of the kernels."""
        constraint = self._situation.program.grammar.constraints[conflict.constraint]
        flat = [number for edge in conflict.edges for number in edge]
        row[RemovedColumn.CONSTRAINT], row[RemovedColumn.X : RemovedColumn.X + len(flat)] = (
            conflict.constraint,
            flat,
        )
        row[RemovedColumn.FORBIDS] = constraint.is_alone


def costs_of_edges(situation: Situation, is_open: bool, kept: Iterable[Edge]) -> EdgeCosts:
    """Return the costs of edges, none judged yet, with forbidden ones marked."""
    shape, weights = (situation.later, situation.unused + 1), situation.program.weights
    only_head, only_label = np.full((2, situation.later), -1, np.int64)
    for edge in kept:
        only_head[edge.dependent], only_label[edge.dependent] = edge.head, edge.label
    edges = EdgeCosts(
        np.empty((*shape, len(situation.program.labels)), np.int64),
        np.empty(shape, np.int64),
        np.zeros(shape, np.int64),
        np.empty(shape, np.uint8),
        only_head,
        only_label,
        np.empty(0, np.int64),
    )
    head_weight, label_weight = weights["head_probability"], weights["label_probability"]
    arcs.begin_edges(edges, situation.arrays, head_weight, label_weight, is_open)
    return edges


def floor_of(edges: EdgeCosts) -> int:
    """Return a lower bound on the cost of all trees; by the arc scorer alone before edges are judged."""
    return int(edges.least[1:].min(axis=1, initial=IMPOSSIBLE).sum())
