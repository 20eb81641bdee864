"""Optimal steps for projective references, kept up to date from step to step in near-constant time.

The facts are those of `projective_steps`. Each fact is stored under all that it depends on: the stack up to a
level as one number, the word on top, the state, and the last shift that touched a gold neighbour of any of
these. So no fact ever gets stale: a step, an undone step or a moved edge only changes the keys, and a key
that comes again still finds its fact. A full table is emptied.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.kept_chart import KeptComputation
from treewhile.oracles.kernels import followed_stacks as stacks
from treewhile.oracles.kernels import memos, situations
from treewhile.oracles.kernels import standings as at
from treewhile.oracles.kernels.memos import memo_rows
from treewhile.oracles.kernels.values import Ints
from treewhile.oracles.projective_steps import Scores, as_scores, is_for
from treewhile.oracles.references import EdgeScores, Reference
from treewhile.oracles.transitions import Configuration, Strategy

NO_WORD = -2


class KeptFacts(KeptComputation):
    """Table of facts that follows one computation for a projective reference; see `projective_steps.is_for`.

    A step that gives the root its single child too early is not marked as such here.
    """

    def __init__(
        self,
        reference: Reference,
        strategy: Strategy,
        configuration: Configuration,
        single_root: bool = False,
    ) -> None:
        super().__init__(strategy, single_root)
        self.table = np.zeros((stacks.TABLE_ROWS, reference.n + 2), dtype=np.int32)
        self.options = np.empty((situations.MOST_OPTIONS, situations.OPTION_COLUMNS), dtype=np.int32)
        self.found = np.empty(3, dtype=np.int64)
        self._make_room(memo_rows(reference.n))
        stacks.describe_reference(reference.heads, self.table)
        self.identities = reference.n + 2  # number of identities given out so far
        self.table[stacks.IDENTITY] = np.arange(self.identities)
        self.place(configuration)

    def copy(self) -> KeptFacts:
        """Return an independent copy with all known facts."""
        other = object.__new__(KeptFacts)
        other.strategy, other.single_root = self.strategy, self.single_root
        other.identities = self.identities
        other.table, other.standing, other.memo = self.table.copy(), self.standing.copy(), self.memo.copy()
        other.todo = np.empty_like(self.todo)
        other.options, other.found = np.empty_like(self.options), np.empty_like(self.found)
        return other

    def _place(self, stack: Ints, front: int) -> None:
        stacks.place_stack(stack, front, self.table, self.memo, self.standing)

    def take(self, step: int) -> None:
        stacks.take_step(step, self.table, self.memo, self.standing)

    def scores(self) -> Scores:
        while not situations.score_steps(
            self.table, self.memo, self.standing, self.todo, self.options, self.found
        ):
            self._make_room(4 * len(self.memo))
            stacks.forget(self.table, self.memo, self.standing)
        return as_scores(self.found)

    def refer_to(self, reference: Reference | EdgeScores, configuration: Configuration) -> bool:
        """Continue with another reference, of any length; return False if facts cannot be used for it.

        A word gets a new identity if its head, its children or the components that it can see change; the
        facts about all other stacks and words are found again.
        """
        if not is_for(reference, self.strategy, self.single_root):
            return False
        before = self.table
        self.table = np.zeros((stacks.TABLE_ROWS, reference.n + 2), dtype=np.int32)
        stacks.describe_reference(reference.heads, self.table)
        identity, shared = self.table[stacks.IDENTITY], min(before.shape[1], self.table.shape[1])
        identity[:shared] = before[stacks.IDENTITY, :shared]
        touched = np.flatnonzero(_touched(before, self.table))
        identity[touched] = self.identities + np.arange(touched.size)
        self.identities += touched.size
        if len(self.memo) < memo_rows(reference.n):
            self._make_room(memo_rows(reference.n))
        self.place(configuration)
        return True

    def _make_room(self, rows: int) -> None:
        self.memo = np.full((rows, memos.MEMO_COLUMNS), -1, dtype=np.int64)
        self.todo = np.empty((rows, situations.OPTION_COLUMNS), dtype=np.int32)
        self.standing[at.FACTS] = self.standing[at.NODES] = 0


def _touched(before: Ints, after: Ints) -> npt.NDArray[np.bool_]:
    """Return the mask of words whose edges or visible components differ between the two tables."""
    old, new = (_padded(table, stacks.HEAD, after, before) for table in (before, after))
    seen, sees = (_padded(table, stacks.COMPONENT, after, before) for table in (before, after))
    moved, shifted = old != new, seen != sees
    touched: npt.NDArray[np.bool_] = moved | shifted | moved[sees] | (shifted[new] & (new >= 0))
    for heads in (old[moved], new[moved]):
        touched[heads[heads >= 0]] = True
    return touched[: after.shape[1]]


def _padded(table: Ints, row: int, *others: Ints) -> Ints:
    """Return a row of the table, as long as in the longest of the others, filled up with NO_WORD."""
    longest = max(other.shape[1] for other in others)
    ended = np.full(longest - table.shape[1] + 1, NO_WORD, dtype=np.int32)
    return np.concatenate([table[row, :-1], ended])
