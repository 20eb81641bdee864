"""Optimal steps of one computation, kept up to date after every step.

The reference decides on the data structure: `kept_facts` for projective heads, else `kept_chart`; arc-eager
has a `KeptEagerChart` for all. The scores are those that `optimal_steps` computes from scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Literal, cast, overload

from treewhile.oracles.errors import InputError
from treewhile.oracles.kept_chart import KeptChart, KeptEagerChart
from treewhile.oracles.kept_facts import KeptFacts
from treewhile.oracles.projective_steps import is_for
from treewhile.oracles.references import EdgeScores, Heads, Reference, Scores, as_heads_or_scores
from treewhile.oracles.steps_from_scratch import as_reference_for
from treewhile.oracles.systems import (
    ARC_EAGER,
    ARC_STANDARD,
    EagerSteps,
    OptimalSteps,
    StepValues,
    as_system,
    configuration_of,
    strategy_of,
)
from treewhile.oracles.transitions import STEPS, Configuration, step_numbered

STEP_NUMBERS = {step: number for number, step in enumerate(STEPS)}


Kept = KeptFacts | KeptChart

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Values = TypeVar("Values", bound=StepValues, default=OptimalSteps)  # a plain tracker is of arc-standard
else:
    from typing import TypeVar

    Values = TypeVar("Values")


class OptimalStepTracker(Generic[Values]):
    """Tracker of a computation from a configuration on, by default from the initial one.

    The reference, the single root and the system are as in `optimal_steps`. An early child of the root, or in
    arc-eager the loss of its only child, has no score then, but can be applied; the root then gets one more
    child later.

    Any thread may call a tracker: calls are atomic, one after the other. A `copy()` begins in the tracker's
    state, with all that it knows, and is independent.
    """

    @overload
    def __init__(
        self: OptimalStepTracker[OptimalSteps],
        reference: Heads | Scores,
        strategy: str | None = None,
        configuration: Configuration | None = None,
        single_root: bool = False,
        system: Literal["arc-standard"] = "arc-standard",
    ) -> None: ...

    @overload
    def __init__(
        self: OptimalStepTracker[EagerSteps],
        reference: Heads | Scores,
        strategy: None = None,
        configuration: Configuration | None = None,
        single_root: bool = False,
        *,
        system: Literal["arc-eager"],
    ) -> None: ...

    def __init__(
        self,
        reference: Heads | Scores,
        strategy: str | None = None,
        configuration: Configuration | None = None,
        single_root: bool = False,
        system: str = ARC_STANDARD,
    ) -> None:
        self._turn = Lock()  # kernels run without the interpreter's lock, and write to the kept values
        self._rules, self._system, self._single_root = strategy_of(system, strategy), system, single_root
        self._row = as_system(system)
        self._strategy = self._row.strategy if strategy is None else strategy
        checked = as_heads_or_scores(reference)
        begin = configuration or Configuration.initial(checked.n)
        self._configuration = configuration_of(system, begin)
        self._reference = as_reference_for(self._configuration, checked)
        self._past: list[tuple[Configuration, str]] = []  # with the number of words at that time
        self._scores: Values | None = None
        self._filled_before = 0
        self._kept = self._keep(self._reference, self._configuration)

    def _keep(self, reference: Reference | EdgeScores, configuration: Configuration) -> Kept:
        kind: Callable[..., Kept] = self._kind(reference)
        return kind(reference, self._rules, configuration, self._single_root)

    def _kind(self, reference: Reference | EdgeScores) -> type[Kept]:
        """Return the class that follows the computation for this reference."""
        if self._system == ARC_EAGER:
            return KeptEagerChart
        return KeptFacts if is_for(reference, self._rules, self._single_root) else KeptChart

    @property
    def system(self) -> str:
        return self._system

    @property
    def strategy(self) -> str | None:
        """Name of the strategy; None in arc-eager, which has no strategies."""
        return self._strategy

    @property
    def single_root(self) -> bool:
        return self._single_root

    @property
    def configuration(self) -> Configuration:
        return self._configuration

    @property
    def entries_filled(self) -> int:
        """Number of memo entries filled since the tracker, or the one that it was copied from, was made."""
        with self._turn:
            return self._filled_before + self._kept.entries_filled

    def entries_from_scratch(self) -> int:
        """Return the number of entries that scoring the current configuration from scratch fills."""
        with self._turn:
            fresh = self._keep(self._reference, self._configuration)
        fresh.scores()
        return fresh.entries_filled

    def scores(self) -> Values:
        """Return the score that each step can still attain, as `optimal_steps` does."""
        with self._turn:
            if self._scores is None:
                found = self._kept.scores()
                self._scores = cast(
                    Values, self._row.as_values(found, self._configuration, self._single_root)
                )
            return self._scores

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Each (head, child) made since the tracker began and not undone, in order."""
        with self._turn:
            past = [*self._past]
        return _edges_of(past)

    def apply(self, step: str | int) -> None:
        """Take a legal step, optimal or not, by its name or its number in the order of the scores."""
        steps = self._row.values.steps
        name = step if isinstance(step, str) else step_numbered(step, steps)
        with self._turn:
            after = self._configuration.apply(name)
            self._past.append((self._configuration, name))
            self._kept.take(steps.index(name))
            self._configuration, self._scores = after, None

    def undo(self) -> None:
        """Go back to the configuration before the last step."""
        with self._turn:
            if not self._past:
                raise InputError(
                    "there is no step to undo: this is the configuration that the tracker began with"
                )
            past, _ = self._past.pop()
            self._configuration, self._scores = replace(past, n=self._configuration.n), None
            self._kept.place(self._configuration)

    def set_heads(self, reference: Heads | Scores) -> None:
        """Continue with other heads, or scores, of any length that keeps the words that were shifted.

        In arc-eager the new reference must also keep each word that has an edge, which may include the front,
        and leave words that can be the heads of those on the stack.
        """
        checked = as_heads_or_scores(reference)
        with self._turn:
            self._refer_to(checked)

    def _refer_to(self, reference: Reference | EdgeScores) -> None:
        self._check_length(reference.n)
        configuration = replace(self._configuration, n=reference.n)
        fits = type(self._kept) is self._kind(reference)
        if not (fits and self._kept.refer_to(reference, configuration)):
            kept = self._keep(reference, configuration)
            self._filled_before += self._kept.entries_filled
            self._kept = kept
        self._reference, self._configuration, self._scores = reference, configuration, None

    def _check_length(self, n: int) -> None:
        front = self._configuration.front
        if n < front - 1:
            raise InputError(
                f"the new reference has {n} words, but the parser has already shifted {front - 1}"
            )
        at_front = (step for step in self._past if step[0].front == front)
        if n < front and any(front in edge for edge in _edges_of(at_front)):
            raise InputError(f"the new reference has {n} words, but word {front} already has an edge")

    def copy(self) -> OptimalStepTracker[Values]:
        """Return an independent tracker in the same state, with the same steps to undo, for beams."""
        return copy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimalStepTracker[Values]:
        return self.copy()  # the shared values are never written to

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, in this process or another one: everything but the lock."""
        with self._turn:
            own = {"_past": [*self._past], "_kept": self._kept.copy()}
            return {name: value for name, value in vars(self).items() if name != "_turn"} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turn=Lock())


def _edges_of(past: Iterable[tuple[Configuration, str]]) -> tuple[tuple[int, int], ...]:
    """Return the edges of the steps taken."""
    made = (configuration.edge(step) for configuration, step in past)
    return tuple(edge for edge in made if edge is not None)
