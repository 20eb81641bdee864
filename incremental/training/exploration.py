"""Walks of a parser that is being trained: where its own steps lead, and which steps are optimal there.

Columns 3 to 5 of Table 7 (Nederhof 2019): after a wrong step the parser learns to make the best of it. The
reference is the projectivized tree or, which can be better, the original one.

All sentences of a batch are walked in lockstep, so that the network scores many configurations at once. A
walk keeps to the rules of the growing parse: the root takes one child, when no words remain. The oracle knows
this rule, so what it says is exact for references with several words under the root too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import ROOT_LABEL
from treewhile.incremental.parsers.labelled_computations import REDUCE_LEFT, SHIFT, LabelledComputation
from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.step_rules import (
    ANY_STEP,
    IS_FINAL,
    MUST_REDUCE,
    MUST_SHIFT,
    MUST_TAKE_ROOT,
    barred_classes,
    labels_of,
    situation,
)
from treewhile.incremental.training.computations import Codes
from treewhile.oracles import OptimalStepTracker, is_projective, projectivize
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.transitions import TRANSITIONS

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Scorer = Callable[[Codes, Codes], Scores]  # (roles[m, role], sentence[m]) -> scores[m, class]

STEPS: Final = tuple(TRANSITIONS)

STRATEGY: Final = "left-before-right"  # as gold computations have it


class Explorable(NamedTuple):
    """A sentence to walk over: its reference, and the labels of its words, negative where unknown."""

    reference: Reference
    labels: Sequence[int]

    @classmethod
    def of(
        cls, heads: Heads, labels: Sequence[int], reference: Literal["projectivized", "original"]
    ) -> Explorable:
        """The sentence with its heads as they are, or as projectivization makes them where edges cross."""
        keeps = reference == "original" or is_projective(heads)
        return cls(as_reference(heads if keeps else projectivize(heads)), tuple(map(int, labels)))


class Visited(NamedTuple):
    """The configurations of some walks, in the order in which the network saw them."""

    roles: Codes  # [configuration, role]: words of the sentence, or codes of what is there instead
    sentence: Codes  # [configuration]
    optimal: Mask  # [configuration, class]
    taken: Codes  # [configuration]: the class of the step


class Explorer:
    """Walks along the best steps of a network, and counts what the oracle is asked."""

    def __init__(self, labels: Sequence[str], root_labels: Collection[str] = (ROOT_LABEL,)) -> None:
        self._kinds = len(labels)
        self._inner_labels, self._root_labels = (
            labels_of(labels, is_root, root_labels) for is_root in (False, True)
        )
        self._barred = barred_classes(labels, root_labels)
        self.oracle_calls = 0
        self.seconds_in_oracle = 0.0  # following the walks included

    def walk(self, examples: Sequence[Explorable], ahead: Iterable[int], score: Scorer) -> Visited:
        """What the parser visits that looks so many words ahead in each sentence.

        A reduction is optimal with the gold label of the word that gets its head. Where that is not known, or
        the root's label though the head is not the root, each label is as good as any other.
        """
        with self._time_in_oracle():
            walked = enumerate(zip(examples, ahead, strict=True))
            walks = [_Walk(sentence, *what, self._kinds) for sentence, what in walked]
        rounds = [self._nothing()]
        while walks := [walk for walk in walks if walk.situation() != IS_FINAL]:
            rounds.append(self._round(walks, score))
        return Visited(*map(np.concatenate, zip(*rounds, strict=True)))

    def _nothing(self) -> Visited:
        none = np.zeros(0, np.int64)
        return Visited(none.reshape(0, len(ROLES)), none, np.zeros((0, 1 + 2 * self._kinds), bool), none)

    def _round(self, walks: Sequence[_Walk], score: Scorer) -> Visited:
        """The next step of every walk."""
        situations = [walk.situation() for walk in walks]
        roles = np.array([walk.computation.roles(walk.ahead, is_closed=True) for walk in walks], np.int64)
        sentence = np.array([walk.sentence for walk in walks], np.int64)
        taken = (score(roles, sentence) + self._barred[situations]).argmax(1)
        optimal = self._optimal(walks, situations)
        with self._time_in_oracle():
            for walk, step_class in zip(walks, taken.tolist(), strict=True):
                walk.take(step_class)
        return Visited(roles, sentence, optimal, taken)

    def _optimal(self, walks: Sequence[_Walk], situations: Sequence[int]) -> Mask:
        """[walk, class]"""
        with self._time_in_oracle():
            steps = [walk.optimal_steps(now) for walk, now in zip(walks, situations, strict=True)]
        self.oracle_calls += sum(now in (ANY_STEP, MUST_REDUCE) for now in situations)
        optimal = np.zeros((len(walks), 1 + 2 * self._kinds), bool)
        ones = [
            (row, step_class)
            for row, walk in enumerate(walks)
            for step in steps[row]
            for step_class in self._classes(walk, step)
        ]
        optimal[tuple(zip(*ones, strict=True))] = True
        return optimal

    @contextmanager
    def _time_in_oracle(self) -> Iterator[None]:
        started = perf_counter()
        yield
        self.seconds_in_oracle += perf_counter() - started

    def _classes(self, walk: _Walk, step: int) -> Iterator[int]:
        """The classes of an optimal step that are optimal."""
        computation = walk.computation
        labels = (0,) if step == SHIFT else self._labels(walk, computation.child(step))
        return (computation.class_of(step, label) for label in labels)

    def _labels(self, walk: _Walk, child: int) -> Sequence[int]:
        label = walk.labels[child - 1]
        possible = self._root_labels if len(walk.computation.stack) == 2 else self._inner_labels
        return (label,) if label in possible else possible


class _Walk:
    """One sentence on its way."""

    def __init__(self, sentence: int, example: Explorable, ahead: int, kinds: int) -> None:
        self.sentence, self.ahead, self.labels = sentence, int(ahead), example.labels
        self.computation = LabelledComputation(kinds, example.reference.n)
        self._tracker = OptimalStepTracker(example.reference, STRATEGY, single_root=True)

    def situation(self) -> int:
        return situation(len(self.computation.stack), self.computation.remaining > 0)

    def optimal_steps(self, now: int) -> Sequence[int]:
        """The best of the legal steps, of which the oracle is asked where there are several."""
        if now == MUST_SHIFT:
            return (SHIFT,)
        if now == MUST_TAKE_ROOT:
            return (REDUCE_LEFT,)
        best = self._tracker.scores().best
        return [number for number, step in enumerate(STEPS) if step in best]

    def take(self, step_class: int) -> None:
        self._tracker.apply(STEPS[self.computation.step_of(step_class)])
        self.computation.take(step_class)
