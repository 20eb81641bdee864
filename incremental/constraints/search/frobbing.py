"""Frobbing: the best tree that changes lead to, by the constraints of a grammar (Algorithm 1).

After Foth, Schröder & Menzel 2000 and Köhn & Menzel 2013. The hardest conflict of the best tree is
attacked: of all trees that one change of its edges leads to (`changes` defines them) the search goes on
with the best that is rid of it, attacks the hardest conflict there, and so on in a *row*, which keeps out
all conflicts that it was rid of. A tree that costs less than the best so far is the new best, and
everything begins anew. If a row ends, the conflict that it began with is unsolvable, and the next one has
its turn; when all are, the search is settled.

A row ends where no tree is left, at trees that cost MARGIN more than the best, after LONGEST_ROW attacks,
and where none can pay: the edges that it was rid of are forbidden in it, and the best edges that are left
to each dependent bound from below what any tree can cost. A search can be interrupted at any time and go on
later.

Costs are whole numbers, and rows do not know of each other: so threads can attack conflicts in turn, and
what the first conflict that pays leads to is taken, which gives the same trees with any number of them.
What an edge costs by itself any thread finds out for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.machine import kernels
from treewhile.incremental.constraints.machine.kernels import COST_OF_E, IMPOSSIBLE
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.changes import Arc, Removed, Tree
from treewhile.incremental.constraints.search.conflicts import Rows
from treewhile.incremental.interrupts import Interrupt
from treewhile.oracles.errors import InputError

Longs = npt.NDArray[np.int64]
Some = TypeVar("Some")

MARGIN: Final = 2 * COST_OF_E
LONGEST_ROW: Final = 8

UNKNOWN: Final = 1 << 62  # more than any tree costs
MOST_BARRED: Final = 8  # that are counted: their sum is a number of 64 bits


class Found(NamedTuple):
    """A tree and its cost, or that there is none."""

    cost: int
    tree: Tree


class Judged(NamedTuple):
    """A tree and what it costs, in all and without the context; `plain` counts edges that may not be, too."""

    tree: Tree
    cost: int
    plain: int
    conflicts: Rows  # the hardest first


class Turn(NamedTuple):
    """The first conflict of a thread's share whose row pays or was interrupted, and what it led to."""

    number: int
    cost: int
    heads: Longs
    labels: Longs


def check_threads(threads: int, executor: Executor | None) -> None:
    if threads > 1 and executor is None:
        raise InputError(f"{threads} threads need an executor that has them: give one, or take one thread")


class Search:
    """The search in one situation, from the best of some trees on.

    `best` is the best tree so far, `cost` what it costs, `conflicts` what it breaks, the hardest first;
    `tried` counts the trees that were looked at. Edges that are `kept` stay for good. Words that come and
    conflicts are shared among so many threads, of which an executor has all but one.
    """

    def __init__(
        self,
        situation: Situation,
        is_open: bool = True,
        kept: Iterable[Arc] = (),
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        check_threads(threads, executor)
        self.situation, self._executor = situation, executor
        self._program, self._arrays = situation.program.arrays, situation.arrays
        edges = _edge_costs(situation, is_open, [*kept], threads)
        self._edges = [edges._replace(own=edges.own + place) for place in range(threads)]
        self._tried = np.zeros((threads, 1), np.int64)
        self.best, self.cost, self._plain = NO_TREE, UNKNOWN, UNKNOWN
        self.conflicts: Rows = np.empty((0, 4), np.int64)
        self._unsolvable = 0  # how many of them are

    @property
    def tried(self) -> int:
        return int(self._tried.sum())

    @property
    def is_settled(self) -> bool:
        """Whether no attack would lead to a better tree."""
        return self._unsolvable == len(self.conflicts)

    # --- where to begin -------------------------------------------------------------------------------------

    def begin(self, *trees: Tree) -> None:
        """Goes on from the first of other trees with the least cost if that is less than the best so far."""
        judged = [self._judged(tree) for tree in dict.fromkeys(trees)]
        best = min(judged, key=lambda one: one.cost)
        if best.cost < self.cost:
            self._go_on(best)

    def _judged(self, tree: Tree) -> Judged:
        plain, contextual, barred, rows = kernels.judge_tree(
            self._program, self._arrays, self._edges[0], *_arrays(tree)
        )
        return Judged(tree, plain + contextual, plain + IMPOSSIBLE * min(barred, MOST_BARRED), rows)

    def _go_on(self, judged: Judged) -> None:
        self.best, self.cost, self._plain, self.conflicts = judged
        self._unsolvable = 0

    def with_words(self, tree: Tree, first: int, interrupt: Interrupt) -> Tree:
        """The tree once every word from one on has the edge that is best by itself, until interrupted."""
        if first > self.situation.t:
            return tree
        heads, labels = _arrays(tree)
        if first < self.situation.t:
            self._judge_words(heads, first, interrupt)
        kernels.hang_words(self._program, self._arrays, self._edges[0], interrupt.flag, heads, labels, first)
        return _tree(heads, labels)

    def _judge_words(self, heads: Longs, first: int, interrupt: Interrupt) -> None:
        """Judges the edges that some words may get, each thread those of every so manieth word."""

        def judge(place: int) -> None:
            kernels.judge_words(
                self._program, self._arrays, self._edges[place], interrupt.flag, heads, first + place, step
            )

        step = len(self._edges)
        self._in_threads(judge)

    def first_tree(self, interrupt: Interrupt) -> Tree:
        """Every word at the edge that is best by itself, as far as that keeps a tree."""
        t, k, unused = self.situation.t, self.situation.k, self.situation.unused
        return self.with_words(Tree((0,) * (1 + t) + (unused,) * k, (0,) * (1 + t + k)), 1, interrupt)

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
        if 0 <= first.cost < IMPOSSIBLE:
            self._go_on(self._judged(_tree(first.heads, first.labels)))
        else:
            self._unsolvable = min(turn.number for turn in turns)

    def _turns(self, interrupt: Interrupt) -> list[Turn]:
        """What the conflicts lead to in each thread, which takes every so manieth of them."""
        paid, step = np.array([len(self.conflicts)]), len(self._edges)

        def turn(place: int) -> Turn:
            return Turn(*kernels.attack_in_turn(
                self._program, self._arrays, self._edges[place], interrupt.flag, *_arrays(self.best),
                self._plain, self.conflicts, self._unsolvable + place, step,
                self.cost, MARGIN, LONGEST_ROW, paid, self._tried[place],
            ))  # fmt: skip

        return self._in_threads(turn)

    def _in_threads(self, work: Callable[[int], Some]) -> list[Some]:
        """What a piece of work for each thread gives; a piece that no other thread has begun is done here."""
        places = range(1, len(self._edges)) if self._executor else ()
        others = [(place, self._executor.submit(work, place)) for place in places if self._executor]
        own = work(0)
        return [own, *(work(place) if later.cancel() else later.result() for place, later in others)]

    def attacked(self, tree: Tree, removed: Sequence[Removed], interrupt: Interrupt) -> Found:
        """The best tree that an attack on the last removed conflict finds; its cost is IMPOSSIBLE if none."""
        cost, heads, labels = kernels.attack_in_row(
            self._program, self._arrays, self._edges[0], interrupt.flag, *_arrays(tree),
            self._judged(tree).plain, self._rows(removed), IMPOSSIBLE, 0, len(removed), self._tried[0],
        )  # fmt: skip
        return Found(cost, _tree(heads, labels))

    def _rows(self, removed: Sequence[Removed]) -> Longs:
        """Conflicts of any tree as the kernels read them."""
        rows = np.zeros((len(removed), 8), np.int64)
        constraints = self.situation.program.grammar.constraints
        for row, (number, arcs) in zip(rows, removed, strict=True):
            flat = [value for arc in arcs for value in arc]
            row[0], row[1 : 1 + len(flat)] = number, flat
            row[7] = constraints[number].is_alone
        return rows


NO_TREE: Final = Tree((), ())


def _arrays(tree: Tree) -> tuple[Longs, Longs]:
    return np.array(tree.heads, np.int64), np.array(tree.labels, np.int64)


def _tree(heads: Longs, labels: Longs) -> Tree:
    return Tree(tuple(heads.tolist()), tuple(labels.tolist()))


def _edge_costs(situation: Situation, is_open: bool, kept: list[Arc], threads: int) -> kernels.EdgeCosts:
    """The costs of edges, none of which is judged yet, but for those that may not be."""
    shape = (situation.later, situation.unused + 1)
    only_head, only_label = np.full((2, situation.later), -1, np.int64)
    for arc in kept:
        only_head[arc.dependent], only_label[arc.dependent] = arc.head, arc.label
    edges = kernels.EdgeCosts(
        np.empty((shape[0] + threads, shape[1], len(situation.program.labels)), np.int64),
        np.empty(shape, np.int64),
        np.zeros(shape, np.int64),
        np.empty(shape, np.uint8),
        only_label,
        situation.program.alike,
        shape[0],
    )
    arrays, weights = situation.arrays, situation.program.weights
    head_weight, label_weight = weights["head_probability"], weights["label_probability"]
    kernels.begin_edges(
        edges, arrays.head_log, arrays.label_log, head_weight, label_weight, situation.t, is_open, only_head
    )
    return edges
