"""Committed steps over words that come one by one; all steps that a word makes possible are taken at once.

`LabelledComputation` is the same computation in plain Python, for readers and for training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.kernels.steps import (
    CHILD,
    CLASS,
    COUNTS,
    DEPTH,
    FRONT,
    NODE_ROWS,
    WAITS,
    Computation,
    attach_word,
    take_class,
    take_steps,
    undo_steps,
)
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import SHIFT

ROOM: Final = 16  # number of words by which room grows
PARTS_KEPT: Final = 20  # cached contributions of words to steps, by role, a kilobyte and a half each

WAITS_ALWAYS: Final = -math.inf  # risk of steps that wait for all the words that they may see
WAITS_IF_ANY: Final = -1e30  # the same, unless only one step is possible
NEVER_WAITS: Final = math.inf

# Step: its class, and for an arc also the child, the head, and the probability of the step.
Taken: TypeAlias = tuple[int, int, int, float]

ONE: Final = np.float32(1)


class AttachedWord(NamedTuple):
    """Numbers of the best tag and features of a word that has come, and the steps taken then."""

    tag: int
    features: int
    taken: list[Taken]
    ahead: list[Taken]  # steps that would follow without waiting; empty if not requested


class Patience(NamedTuple):
    """Bounds on waiting: number of words to wait for, and edges that a step may lose by not waiting."""

    ahead: int
    risk: float


class GreedySteps:
    """Best steps, each decided once `ahead` words are known beyond the words that it attaches.

    A step is decided earlier if waiting is expected to gain no more correct edges than the `risk`.
    """

    def __init__(self, model: Model, ahead: int, risk: float = WAITS_ALWAYS, n: int = 0) -> None:
        scorer = model.network.steps
        self._ahead, self._risk, self._n, self._followed = ahead, risk, n, n
        self._count = 0  # number of steps
        # number of steps taken when each word came, after the followed ones, and then the end
        self._counts_before: list[int] = []
        self._is_closed = False
        self._kinds = len(model.inventory.labels)
        self._layers = scorer.layers, scorer.missing_roles, model.barred_steps
        self._causal = model.network.causal.next_layers
        counts = np.zeros(COUNTS, np.int64)
        counts[[FRONT, DEPTH]] = 1
        self._computation: Computation = (
            np.zeros((NODE_ROWS, 1 + n + ROOM), np.int32),
            np.zeros((2 * (n + ROOM), 4), np.int32),
            counts,
            np.zeros((PARTS_KEPT, 3), np.int64),
            np.empty((PARTS_KEPT, scorer.missing_roles.shape[-1]), np.float32),
        )

    def __copy__(self) -> GreedySteps:
        other = object.__new__(GreedySteps)
        vars(other).update(vars(self))
        other._counts_before = [*self._counts_before]
        nodes, taken, counts, slots, parts = self._computation
        other._computation = nodes.copy(), taken.copy(), counts.copy(), slots.copy(), parts.copy()
        return other

    @property
    def _taken(self) -> npt.NDArray[np.int32]:
        """Steps so far."""
        return self._computation[1][: self._count]

    @property
    def front(self) -> int:
        """First word that is not shifted."""
        return int(self._computation[2][FRONT])

    @property
    def delays(self) -> list[int]:
        """Number of known words beyond the shifted ones at each arc, while the sentence was open.

        Steps that were followed do not count.
        """
        taken = self._taken
        came = np.searchsorted(self._counts_before, np.arange(len(taken)), side="right")
        shifted = np.cumsum(taken[:, CLASS] == SHIFT)
        counts = (taken[:, CHILD] > 0) & (came > 0) & (came <= self._n - self._followed)
        waited: list[int] = (self._followed + came - shifted)[counts].tolist()
        return waited

    def attach(self, gates: Array, states: CausalStates, tops: Array, looks_ahead: bool) -> AttachedWord:
        """Add one more word, and return its tag and steps: all in one call.

        The gates become input of the first layer; `states` and `tops` are updated in place.
        """
        self._come()
        known = self._n, self._ahead, self._risk, looks_ahead, tops
        layers = self._computation, *self._layers
        (tag, features), taken = attach_word(gates, self._causal, *states, *known, *layers)
        return AttachedWord(tag, features, *self._told(*taken))

    def append(self, tops: Array) -> list[Taken]:
        """Add one more word, and return the new steps; tops[word - 1, unit] are the states of all words."""
        self._come()
        return self._go_on(tops, self._risk)

    def _come(self) -> None:
        """Count one more word."""
        self._n += 1
        if self._n >= self._computation[0].shape[1]:
            self._make_room()
        self._counts_before.append(self._count)

    def close(self, tops: Array) -> list[Taken]:
        """End the sentence, and return the new steps."""
        self._counts_before.append(self._count)
        self._is_closed = True
        return self._go_on(tops, self._risk)

    def without_waiting(self, tops: Array) -> list[Taken]:
        """Return the steps that would follow without waiting; none is taken."""
        before, counts = self._count, self._computation[2]
        waits = counts[WAITS]
        steps = self._go_on(tops, NEVER_WAITS)
        self._undo_to(before)
        counts[WAITS] = waits
        return steps

    def cut(self, t: int) -> tuple[int, list[int]]:
        """Undo the steps since word t + 1, or the end, came; return their number, and the detached words."""
        self._n, self._is_closed = t, False
        kept = self._counts_before[t] if t < len(self._counts_before) else self._count
        del self._counts_before[t:]
        undone = self._taken[kept:, CHILD].tolist()
        self._undo_to(kept)
        return len(undone), [child for child in undone if child]

    def follow(self, classes: Sequence[int]) -> list[Taken]:
        """Take steps of these classes, which must be legal."""
        for step in classes:
            take_class(step, self._kinds, self._computation)
        before, self._count = self._count, self._count + len(classes)
        rows: list[list[int]] = self._taken[before:].tolist()
        return [(step, child, head if child else 0, 1.0) for step, child, head, _ in rows]

    def _undo_to(self, kept: int) -> None:
        """Undo all but the first `kept` steps, and drop cached values of words that are gone."""
        undo_steps(kept, self._n, self._kinds, self._computation)
        self._count = kept

    def _go_on(self, tops: Array, risk: float) -> list[Taken]:
        known = self._n, self._ahead, risk, self._is_closed, False, tops
        taken, _ = self._told(*take_steps(*known, self._computation, *self._layers))
        return taken

    def _told(self, count: int, with_those_ahead: int, less: Array) -> tuple[list[Taken], list[Taken]]:
        """Return the steps that were taken, up to `count`, and the steps that were only previewed."""
        before, self._count = self._count, count
        if before == with_those_ahead:
            return [], []
        rows: list[list[int]] = self._computation[1][before:with_those_ahead].tolist()
        confidences = iter(_confidences(less))
        steps = [
            (step, child, head, next(confidences)) if child else (step, 0, 0, 1.0)
            for step, child, head, _ in rows
        ]
        return steps[: count - before], steps[count - before :]

    def _make_room(self) -> None:
        nodes, taken, counts, slots, parts = self._computation
        nodes = np.concatenate([nodes, np.zeros((len(nodes), ROOM), np.int32)], axis=1)
        taken = np.concatenate([taken, np.zeros((2 * ROOM, 4), np.int32)])
        self._computation = nodes, taken, counts, slots, parts


def _confidences(less: Array) -> list[float]:
    """Return the probability of the chosen class for each row of differences to other classes."""
    if not len(less):
        return []
    probable: list[float] = (ONE / np.add.reduce(np.exp(less, less), 1)).tolist()
    return probable
