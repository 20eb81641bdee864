"""Next steps of a sentence: attainable scores by a reference, and expected scores.

The reference is the gold heads, or the best analysis with its words to come. Its trackers keep their facts
between configurations as long as the steps continue from the last ones, forwards or backwards. Expected
scores are computed anew for each configuration, from the probabilities of all edges: stacks are short, and
few words remain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.sessions.messages import ChoiceView, PlannedView, Prediction, StepName
from treewhile.incremental.sessions.plans import (
    SHIFT,
    STEP_NAMES,
    Edge,
    best_of,
    choice_views,
    edges_of,
    plan_views,
    rebuilt_steps,
)
from treewhile.incremental.sessions.words_to_come import ForestHeads, Outlook, Wording, outlook_of
from treewhile.oracles.steps_from_scratch import optimal_steps
from treewhile.oracles.systems import SAME, OptimalSteps
from treewhile.oracles.tracker import OptimalStepTracker
from treewhile.oracles.transitions import Configuration

# Longer sentences are not scored from scratch, which would take longer than the answer.
LONGEST_COUNTED: Final = 60

NO_HEADS: Final[ForestHeads] = ()

Array = npt.NDArray[np.float64]


class Chances:
    """Probabilities of all edges of an open sentence, computed on first use, and kept."""

    def __init__(self, make: Callable[[], Array]) -> None:
        self._make: Callable[[], Array] | None = make
        self._made: Array | None = None

    def __call__(self) -> Array:
        if self._make is not None:
            self._made, self._make = self._make(), None
        assert self._made is not None
        return self._made


class Question(NamedTuple):
    """Question about the steps of a sentence."""

    steps: bytes  # numbers of the steps that led to the configuration
    analysis: Analysis  # as shown
    is_open: bool
    gold: ForestHeads | None = None
    chances: Chances | None = None
    wants_plan: bool = False
    prediction: Prediction = "virtual"
    drift: float | None = None  # drift limit for the parser's own steps; None for other steps

    @property
    def outlook(self) -> Outlook:
        """Reference for the scores."""
        if self.gold is not None:
            return Outlook(self.gold, (), self.gold)
        return outlook_of(self.analysis, self.is_open)


class NextSteps(NamedTuple):
    """Answer for one configuration."""

    question: Question
    configuration: Configuration  # over the known words
    waits: bool  # whether a shift would wait for a word
    scores: OptimalSteps
    known: OptimalSteps
    expected: OptimalSteps | None
    share: float
    entries_filled: int
    entries_in_all: int | None
    choices: list[ChoiceView]
    plan: list[PlannedView] | None
    has_drifted: bool

    @property
    def advised(self) -> list[StepName]:
        """Best steps by expected scores, waiting first; without them, by the reference."""
        if self.expected is None:
            return self.best
        best = best_of(self.expected)
        return ["shift"] if "shift" in best else best

    @property
    def best(self) -> list[StepName]:
        return best_of(self.scores)


def configuration_after(steps: Sequence[int], n: int) -> Configuration:
    """Return the configuration after legal steps."""
    stack, front = [0], 1
    for step in steps:
        if step == SHIFT:
            stack.append(front)
            front += 1
        else:
            del stack[-step]
    return Configuration(tuple(stack), front, n)


def steps_within(steps: bytes, words: int) -> bytes:
    """Return the steps before the first one that shifts a word behind the first `words`."""
    taken = 0
    for place, step in enumerate(steps):
        taken += step == SHIFT
        if taken > words:
            return steps[:place]
    return steps


class StepFollower:
    """Follower of the steps of one sentence, whose reference may change with every question."""

    def __init__(self) -> None:
        self._whole, self._known = _Track(), _Track()

    def answer(self, question: Question) -> NextSteps:
        """Return the attainable scores after the steps, choices and plan."""
        outlook, steps = question.outlook, question.steps
        single_root = question.gold is None and outlook.heads.count(0) <= 1
        tracker, filled = self._whole.go_to(steps, outlook.heads, single_root)
        scores, edges, place = tracker.scores(), edges_of(steps), tracker.configuration
        filled = tracker.entries_filled - filled
        in_all = tracker.entries_from_scratch() if len(outlook.heads) <= LONGEST_COUNTED else None
        configuration = Configuration(place.stack, place.front, outlook.n)
        to_make = len(outlook.heads) - outlook.heads.count(None) - _made(edges, outlook.heads)
        share = scores.attainable / to_make if to_make else 1.0
        expected = None if question.chances is None else expectation(configuration, question.chances())
        wording = Wording(question.analysis, outlook.names, question.prediction)
        return NextSteps(
            question,
            configuration,
            place.front == outlook.n + 1 and place.n > outlook.n,
            scores,
            self._known_scores(steps, outlook, single_root, scores),
            expected,
            share,
            filled,
            in_all,
            choice_views(tracker, outlook.heads, wording),
            plan_views(tracker, outlook.heads, wording) if question.wants_plan else None,
            share < 1 and expected is not None and _has_drifted(question, configuration, expected),
        )

    def _known_scores(
        self, steps: bytes, outlook: Outlook, single_root: bool, scores: OptimalSteps
    ) -> OptimalSteps:
        if outlook.known == outlook.heads:
            return scores
        return self._known.go_to(steps, outlook.known, single_root)[0].scores()


class _Track:
    """Tracker that moves between configurations by the fewest steps."""

    def __init__(self) -> None:
        self._tracker, self._steps, self._heads = OptimalStepTracker([]), b"", NO_HEADS

    def go_to(self, steps: bytes, heads: ForestHeads, single_root: bool) -> tuple[OptimalStepTracker, int]:
        """Return the tracker after the steps, with the number of entries that it had filled before."""
        if self._tracker.single_root != single_root:
            self._tracker = OptimalStepTracker(heads, single_root=single_root)
            self._steps, self._heads = b"", heads
        filled = self._tracker.entries_filled
        same = _common_length(self._steps, steps)
        for _ in self._steps[same:]:
            self._tracker.undo()
        if heads != self._heads:
            self._tracker.set_heads(heads)
            self._heads = heads
        for step in steps[same:]:
            self._tracker.apply(STEP_NAMES[step])
        self._steps = steps
        return self._tracker, filled


def _common_length(some: bytes, others: bytes) -> int:
    shorter = min(len(some), len(others))
    if some[:shorter] == others[:shorter]:
        return shorter
    return next(place for place, (one, other) in enumerate(zip(some, others, strict=False)) if one != other)


def _made(edges: Sequence[Edge], heads: ForestHeads) -> int:
    return sum(heads[child - 1] == head for head, child in edges)


# --- what is to be expected -------------------------------------------------------------------------------


def expectation(configuration: Configuration, chances: Array) -> OptimalSteps:
    """Return the expected correct edges after each step; one word stands for all words to come."""
    stack, front, n = configuration.stack, configuration.front, configuration.n
    return optimal_steps(Configuration(stack, front, n + 1), chances, single_root=True)


def _has_drifted(question: Question, configuration: Configuration, expected: OptimalSteps) -> bool:
    """Return whether rebuilt steps along the analysis have a sufficiently higher expected score.

    The expected scores of both are compared on words that only one of the two has attached: edges made, plus
    attainable ones.
    """
    assert question.chances is not None
    chances, n = question.chances(), configuration.n
    own = dict(_by_child(question.steps))
    if question.drift is None or not _may_have_drifted(own, expected.attainable, chances, question.drift):
        return False
    anew = bytes(rebuilt_steps(question.analysis, configuration.front, is_closed=False))
    others = dict(_by_child(anew))
    kept = expected.attainable + _expected(own, others, chances)
    could_be = expectation(configuration_after(anew, n), chances).attainable
    could_be += _expected(others, own, chances)
    return kept < question.drift * could_be - SAME


def _may_have_drifted(own: Mapping[int, int], attainable: float, chances: Array, drift: float) -> bool:
    """Return whether any other steps could have a sufficiently higher score; mostly none can."""
    most = chances.max(axis=0).tolist()
    lost = sum(min(0.0, chances[head, child] - drift * most[child]) for child, head in own.items())
    waiting = sum(value for word, value in enumerate(most) if word not in own)
    return bool(attainable + lost < drift * waiting)


def _by_child(steps: Sequence[int]) -> list[tuple[int, int]]:
    return [(child, head) for head, child in edges_of(steps)]


def _expected(heads: Mapping[int, int], others: Mapping[int, int], chances: Array) -> float:
    """Return the expected correct edges of words that are not attached in the others."""
    return float(sum(chances[head, child] for child, head in heads.items() if child not in others))
