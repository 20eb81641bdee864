"""Walks of a parser that is being trained: where its own steps lead, and which steps are optimal there.

Columns 3 to 5 of Table 7 (Nederhof 2019): after a wrong step the parser learns to make the best of it. The
reference is the projectivized tree or, which can be better, the original one.

All sentences of a batch are walked in lockstep, so that the network scores many configurations at once. A
walk keeps to the rules of the growing parse: the root takes one child, when no words remain. The oracle does
not know this rule, but while a reference has no more than one word under the root it says the same: where a
tree has several, all but that one can hang on it at no loss, and left children still come before right ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.labelled_computations import REDUCE_LEFT, SHIFT, LabelledComputation
from treewhile.incremental.network_shapes import ROLES
from treewhile.incremental.training.computations import Codes
from treewhile.oracles import OptimalStepTracker, is_projective, projectivize
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.transitions import TRANSITIONS

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Scorer = Callable[[Codes, Codes], Scores]  # (roles[m, role], sentence[m]) -> scores[m, class]

# What the rules allow at a configuration, by whether words remain and by the nodes on the stack.
MUST_SHIFT, ANY_STEP, MUST_REDUCE, MUST_TAKE_ROOT, IS_FINAL = range(5)

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

    def __init__(self, kinds: int, root_label: int | None) -> None:
        self._kinds = kinds
        self._inner_labels = [label for label in range(kinds) if label != root_label] or [*range(kinds)]
        self._root_labels = [*range(kinds)] if root_label is None else [root_label]
        self._barred = self._barred_classes()
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
            steps = [walk.optimal_steps(situation) for walk, situation in zip(walks, situations, strict=True)]
        self.oracle_calls += sum(situation in (ANY_STEP, MUST_REDUCE) for situation in situations)
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

    def _barred_classes(self) -> Scores:
        """[situation, class]: -inf for classes that are not legal."""
        is_legal = np.zeros((IS_FINAL, 1 + 2 * self._kinds), bool)
        inner, root = np.array(self._inner_labels, int), np.array(self._root_labels, int)
        is_legal[[MUST_SHIFT, ANY_STEP], SHIFT] = True
        for situation in (ANY_STEP, MUST_REDUCE):
            is_legal[situation, 1 + inner] = is_legal[situation, 1 + self._kinds + inner] = True
        is_legal[MUST_TAKE_ROOT, 1 + root] = True
        return np.where(is_legal, 0, -np.inf).astype(np.float32)


class _Walk:
    """One sentence on its way."""

    def __init__(self, sentence: int, example: Explorable, ahead: int, kinds: int) -> None:
        self.sentence, self.ahead, self.labels = sentence, int(ahead), example.labels
        self.computation = LabelledComputation(kinds, example.reference.n)
        self._tracker = OptimalStepTracker(example.reference, STRATEGY)

    def situation(self) -> int:
        nodes = len(self.computation.stack)
        if self.computation.remaining:
            return MUST_SHIFT if nodes < 3 else ANY_STEP
        return (IS_FINAL, MUST_TAKE_ROOT, MUST_REDUCE)[min(nodes, 3) - 1]

    def optimal_steps(self, situation: int) -> Sequence[int]:
        """The best of the legal steps, of which the oracle is asked where there are several."""
        if situation == MUST_SHIFT:
            return (SHIFT,)
        if situation == MUST_TAKE_ROOT:
            return (REDUCE_LEFT,)
        scores = self._tracker.scores()
        attainable = scores.attainable
        return [step for step, score in enumerate(scores) if score == attainable]

    def take(self, step_class: int) -> None:
        self._tracker.apply(STEPS[self.computation.step_of(step_class)])
        self.computation.take(step_class)
