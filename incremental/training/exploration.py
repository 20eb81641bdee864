"""Walks of a parser in training: the configurations that its own steps reach, with the optimal steps there.

Columns 3 to 5 of Table 7 (Nederhof 2019): after a wrong step the parser learns to make the best of it. The
reference is the projectivized tree or, which can be better, the original one.

All sentences of a batch are walked in lockstep, so that the network scores many configurations at once. A
walk keeps to the rules of the growing parse: the root takes one child, when no words remain. The oracle knows
this rule, so its losses are exact for references with several words under the root too.

The value of waiting is learnt on the way: the number of edges of the reference that the best step with the
words in view gives up, less the number that the best step with the greatest lookahead gives up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.network_shapes import ROLES
from treewhile.incremental.parsers.shift_reduce import (
    AHEAD,
    END,
    HIDDEN,
    REDUCE_LEFT,
    REDUCE_RIGHT,
    ROOT_LABEL,
    SHIFT,
    LabelledComputation,
    barred_classes,
    labels_of,
    situation,
    step_of,
)
from treewhile.oracles import OptimalStepTracker, is_projective, projectivize
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.transitions import STEPS

UNKNOWN = -100  # target that is not trained on, as in torch

Codes = npt.NDArray[np.int64]


def gold_computation(heads: Sequence[int | None], labels: Sequence[int], kinds: int) -> tuple[Codes, Codes]:
    """Return the roles[step, role] before every step, and the step's class; left children are taken first.

    The heads are projective. A step whose label is not known is taken, but its class is UNKNOWN; a
    computation ends where a word of unknown head prevents the next step.
    """
    computation, roles, steps = LabelledComputation(kinds, len(heads)), [], []
    waiting = Counter(head for head in heads if head is not None)
    while (step := _gold_step(computation, heads, waiting)) is not None:
        roles.append(computation.roles(len(AHEAD), is_closed=True))
        steps.append(_gold_class(computation, step, labels))
        computation.take(computation.class_of(step, label=0))
    return np.array(roles, np.int64).reshape(-1, len(ROLES)), np.array(steps, np.int64)


def _gold_step(
    computation: LabelledComputation, heads: Sequence[int | None], waiting: Counter[int]
) -> int | None:
    stack, remaining = computation.stack, computation.remaining
    if len(stack) < 2:
        return SHIFT if remaining else None
    s0, s1 = stack[:-3:-1]
    if s1 and heads[s1 - 1] == s0:
        waiting[s0] -= 1
        return REDUCE_RIGHT
    if heads[s0 - 1] == s1 and not waiting[s0] and (s1 or not remaining):
        waiting[s1] -= 1
        return REDUCE_LEFT
    is_in_the_way = s1 and heads[s1 - 1] is None and heads[s0 - 1] != s1
    return SHIFT if remaining and not is_in_the_way else None


def _gold_class(computation: LabelledComputation, step: int, labels: Sequence[int]) -> int:
    label = 0 if step == SHIFT else labels[computation.child(step) - 1]
    return UNKNOWN if label < 0 else computation.class_of(step, label)


def hidden_beyond(roles: Codes, ahead: int, to_the_end: bool) -> Codes:
    """Return the roles for a parser with so many words of lookahead, where the end may be unknown."""
    roles = roles.copy()
    is_open = np.ones(len(roles), bool) if to_the_end else roles[:, AHEAD[0]] != END
    for role in AHEAD[ahead:]:
        roles[is_open, role] = HIDDEN
    return roles


ARCS: Final = (REDUCE_LEFT, REDUCE_RIGHT)  # the steps that have labels

Scores = npt.NDArray[np.float32]
Losses = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Scorer = Callable[[Codes, Codes], Scores]  # (roles[m, role], sentence[m]) -> scores[m, class]


class Explorable(NamedTuple):
    """Sentence to walk over: its reference, and the labels of its words, negative where unknown."""

    reference: Reference
    labels: Sequence[int]

    @classmethod
    def of(
        cls, heads: Heads, labels: Sequence[int], reference: Literal["projectivized", "original"]
    ) -> Explorable:
        """Return the sentence with its heads as given, or projectivized where edges cross."""
        keeps = reference == "original" or is_projective(heads)
        return cls(as_reference(heads if keeps else projectivize(heads)), tuple(map(int, labels)))


class Visited(NamedTuple):
    """Configurations of some walks, in the order in which the network saw these."""

    roles: Codes  # [configuration, role]: words of the sentence, or codes of missing words
    sentence: Codes  # [configuration]
    optimal: Mask  # [configuration, class]
    taken: Codes  # [configuration]: the class of the step
    far_roles: Codes  # [configuration, role], as seen by a parser with the greatest lookahead
    situation: Codes  # [configuration]: the kinds of steps that are legal
    losses: Losses  # [configuration, step]: lost edges of the reference; NaN where not legal


class Explorer:
    """Walker along the best steps of a network, with a count of the calls of the oracle."""

    def __init__(self, labels: Sequence[str], root_labels: Collection[str] = (ROOT_LABEL,)) -> None:
        self._kinds = len(labels)
        self._inner_labels, self._root_labels = (
            labels_of(labels, is_root, root_labels) for is_root in (False, True)
        )
        self._barred = barred_classes(labels, root_labels)
        classes = range(self._barred.shape[1])
        self._steps = np.array([step_of(one, self._kinds) for one in classes])
        self._forced = [self._forced_losses(barred) for barred in self._barred]
        self.oracle_calls = 0
        self.seconds_in_oracle = 0.0  # following the walks included

    def walk(self, examples: Sequence[Explorable], ahead: Iterable[int], score: Scorer) -> Visited:
        """Return the configurations visited in each sentence by a parser with the given lookahead.

        A reduction is optimal with the gold label of the word that gets its head. Where that label is not
        known, or is the root's label though the head is not the root, each label is as good as any other.
        """
        with self._time_in_oracle():
            walked = enumerate(zip(examples, ahead, strict=True))
            walks = [_Walk(sentence, *what, self._kinds) for sentence, what in walked]
        rounds = [self._nothing()]
        while walks := [walk for walk in walks if not walk.is_final]:
            rounds.append(self._round(walks, score))
        return Visited(*map(np.concatenate, zip(*rounds, strict=True)))

    def losses_of_best(self, visited: Visited, scores: Scores) -> Losses:
        """Return the losses [configuration] of the legal steps best by scores[configuration, class]."""
        best = (scores + self._barred[visited.situation]).argmax(1)
        losses: Losses = visited.losses[np.arange(len(best)), self._steps[best]]
        return losses

    def _forced_losses(self, barred: npt.NDArray[np.float32]) -> Sequence[float] | None:
        """Return the losses [step] where a single step is legal, which loses nothing; else None."""
        legal = {*self._steps[barred == 0].tolist()}
        return [0.0 if step in legal else math.nan for step in range(len(STEPS))] if len(legal) == 1 else None

    def _nothing(self) -> Visited:
        none, no_roles = np.zeros(0, np.int64), np.zeros((0, len(ROLES)), np.int64)
        no_classes = np.zeros((0, self._barred.shape[1]), bool)
        no_losses = np.zeros((0, len(STEPS)), np.float32)
        return Visited(no_roles, none, no_classes, none, no_roles, none, no_losses)

    def _round(self, walks: Sequence[_Walk], score: Scorer) -> Visited:
        """Return the next step of every walk."""
        situations = [walk.situation() for walk in walks]
        roles = _roles(walks, [walk.ahead for walk in walks])
        far_roles = _roles(walks, [len(AHEAD)] * len(walks))
        sentence = np.array([walk.sentence for walk in walks], np.int64)
        taken = (score(roles, sentence) + self._barred[situations]).argmax(1)
        losses = self._losses(walks, situations)
        optimal = self._optimal(walks, losses)
        with self._time_in_oracle():
            for walk, step_class in zip(walks, taken.tolist(), strict=True):
                walk.take(step_class)
        return Visited(roles, sentence, optimal, taken, far_roles, np.array(situations, np.int64), losses)

    def _losses(self, walks: Sequence[_Walk], situations: Sequence[int]) -> Losses:
        """Return [walk, step]: the edges that a step loses, NaN where it is not legal."""
        with self._time_in_oracle():
            losses = [self._forced[now] or walk.losses() for walk, now in zip(walks, situations, strict=True)]
        self.oracle_calls += sum(self._forced[now] is None for now in situations)
        return np.array(losses, np.float32)

    def _optimal(self, walks: Sequence[_Walk], losses: Losses) -> Mask:
        """Return the mask [walk, class] of optimal classes."""
        optimal = np.zeros((len(walks), self._barred.shape[1]), bool)
        for row, step in zip(*np.nonzero(losses == 0), strict=True):
            optimal[row, [*self._classes(walks[row], int(step))]] = True
        return optimal

    @contextmanager
    def _time_in_oracle(self) -> Iterator[None]:
        started = perf_counter()
        yield
        self.seconds_in_oracle += perf_counter() - started

    def _classes(self, walk: _Walk, step: int) -> Iterator[int]:
        """Return the classes of an optimal step that are optimal."""
        computation = walk.computation
        labels = self._labels(walk, step) if step in ARCS else (0,)
        return (computation.class_of(step, label) for label in labels)

    def _labels(self, walk: _Walk, step: int) -> Sequence[int]:
        label = walk.labels[walk.computation.child(step) - 1]
        possible = self._root_labels if walk.is_root_arc(step) else self._inner_labels
        return (label,) if label in possible else possible


def _roles(walks: Sequence[_Walk], ahead: Sequence[int]) -> Codes:
    """Return the roles [walk, role] for parsers with a number of words of lookahead."""
    pairs = zip(walks, ahead, strict=True)
    return np.array([walk.computation.roles(words, is_closed=True) for walk, words in pairs], np.int64)


class _Walk:
    """Walk over one sentence."""

    def __init__(self, sentence: int, example: Explorable, ahead: int, kinds: int) -> None:
        self.sentence, self.ahead, self.labels = sentence, int(ahead), example.labels
        self.computation = LabelledComputation(kinds, example.reference.n)
        self._tracker = OptimalStepTracker(example.reference, single_root=True)

    @property
    def is_final(self) -> bool:
        return bool(self._tracker.configuration.is_final)

    def situation(self) -> int:
        return situation(len(self.computation.stack), self.computation.remaining > 0)

    def is_root_arc(self, step: int) -> bool:
        """Return whether a step makes the root's arc."""
        edge = self._tracker.configuration.edge(STEPS[step])
        return edge is not None and edge[0] == 0

    def losses(self) -> Sequence[float]:
        """Return the number of edges lost by each step."""
        scores = self._tracker.scores()
        attainable = scores.attainable
        return [math.nan if score is None else attainable - score for score in scores]

    def take(self, step_class: int) -> None:
        self._tracker.apply(self.computation.step_of(step_class))
        self.computation.take(step_class)
