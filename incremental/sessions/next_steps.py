"""The next steps of a sentence: what each can still attain of a reference, and steps that lead to it.

The reference is a forest: what hangs on words to come has no edge in it. The tracker keeps its facts from one
configuration to the next as long as the steps go on from those before, forwards or backwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.sessions.messages import StepName
from treewhile.incremental.sessions.words_to_come import ForestHeads, forest_of
from treewhile.oracles.optimal_steps import OptimalSteps
from treewhile.oracles.tracker import OptimalStepTracker
from treewhile.oracles.transitions import Configuration

STEP_NAMES: Final[tuple[StepName, ...]] = (
    "shift",
    "reduce_left",
    "reduce_right",
)  # in the order of TRANSITIONS
SHIFT, REDUCE_LEFT, REDUCE_RIGHT = range(3)

# Longer sentences are not counted from scratch, which would take longer than the answer.
LONGEST_COUNTED: Final = 60


class NextSteps(NamedTuple):
    """The answer for one configuration."""

    configuration: Configuration
    scores: OptimalSteps
    share: float
    entries_filled: int
    entries_in_all: int | None


def configuration_after(steps: Sequence[int], n: int) -> Configuration:
    """The configuration that legal steps lead to."""
    stack, front = [0], 1
    for step in steps:
        if step == SHIFT:
            stack.append(front)
            front += 1
        else:
            del stack[-step]
    return Configuration(tuple(stack), front, n)


class StepFollower:
    """Follows the steps of one sentence, whose reference may change with every question."""

    def __init__(self) -> None:
        self._tracker = OptimalStepTracker([])
        self._steps = b""

    def answer(self, steps: bytes, heads: ForestHeads) -> NextSteps:
        """What is attainable after the steps, for a forest over all words."""
        filled_before = self._tracker.entries_filled
        made = self._go_to(steps, heads)
        scores = self._tracker.scores()
        to_make = sum(head is not None for head in heads) - made
        return NextSteps(
            self._tracker.configuration,
            scores,
            scores.attainable / to_make if to_make else 1.0,
            self._tracker.entries_filled - filled_before,
            self._tracker.entries_from_scratch() if len(heads) <= LONGEST_COUNTED else None,
        )

    def _go_to(self, steps: bytes, heads: ForestHeads) -> int:
        """How many edges of the forest the steps have made, once the tracker stands behind them."""
        same = next(
            (place for place, pair in enumerate(zip(self._steps, steps, strict=False)) if len({*pair}) > 1),
            min(len(self._steps), len(steps)),
        )
        for _ in self._steps[same:]:
            self._tracker.undo()
        self._tracker.set_heads(heads)
        for step in steps[same:]:
            self._tracker.apply(STEP_NAMES[step])
        self._steps = steps
        return sum(heads[child - 1] == head for head, child in edges_of(steps))


def edges_of(steps: Sequence[int]) -> list[tuple[int, int]]:
    """The (head, child) that the steps have made."""
    edges, stack, front = [], [0], 1
    for step in steps:
        if step == SHIFT:
            stack.append(front)
            front += 1
        else:
            child = stack.pop(-step)
            edges.append((stack[-1], child))
    return edges


def rebuilt_classes(best: Analysis, front: int, is_closed: bool, labels: Mapping[str, int]) -> list[int]:
    """Classes of step to a configuration with the same front from which all of an analysis is attainable.

    Left children are taken at once, right ones as late as they can be: more may come for them. A sentence
    that is closed is parsed to its end.
    """
    heads = forest_of(best)
    tracker, classes = OptimalStepTracker(heads), []
    while (step := _unhurried(tracker, heads, front, is_closed)) is not None:
        edge = tracker.configuration.edge(STEP_NAMES[step])
        label = labels.get(best.labels[edge[1] - 1], 0) if edge else 0
        classes.append(SHIFT if edge is None else 1 + (step - 1) * len(labels) + label)
        tracker.apply(STEP_NAMES[step])
    return classes


def _unhurried(tracker: OptimalStepTracker, heads: ForestHeads, front: int, is_closed: bool) -> int | None:
    """The next step to a configuration with this front; None once it is there."""
    best = [STEP_NAMES.index(name) for name in tracker.scores().best]
    configuration = tracker.configuration
    edges = {step: configuration.edge(STEP_NAMES[step]) for step in best}
    wanted = [step for step, edge in edges.items() if edge and heads[edge[1] - 1] == edge[0]]
    goes_on = configuration.front < front
    if REDUCE_RIGHT in wanted:
        return REDUCE_RIGHT
    if SHIFT in best and goes_on:
        return SHIFT
    return next(iter(wanted + best), None) if goes_on or is_closed else None
