"""The optimal steps of one computation, answered after every step from what is already known.

The reference decides how: `kept_facts` where it is heads that are projective, else `kept_chart`; arc-eager
has `kept_eager_chart` for all. They give what `optimal_steps` gives from scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Literal, cast, overload

from treewhile.oracles.errors import InputError
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.kept_eager_chart import KeptEagerChart
from treewhile.oracles.kept_facts import KeptFacts
from treewhile.oracles.projective_steps import is_for
from treewhile.oracles.references import EdgeScores, Heads, Reference, Scores, as_heads_or_scores
from treewhile.oracles.step_values import EagerSteps, OptimalSteps, StepValues
from treewhile.oracles.steps_from_scratch import as_reference_for
from treewhile.oracles.systems import ARC_EAGER, ARC_STANDARD, as_system, configuration_of, strategy_of
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
    """Follows a computation from a configuration on, by default from the first one.

    The reference is heads or scores, and a single root is one, as `optimal_steps` has them; so is the system.
    An early child of the root, or in arc-eager the loss of its only one, is not among the scores then, but
    can be applied; one more is to come after it.

    Any thread may call it: what it does and says it does at once, and one call after the other. A `copy()`
    begins where the tracker is, with all that it knows, and goes its own way.
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
        self._turn = Lock()  # kernels run without the interpreter's lock, and write to what is kept
        self._rules, self._system, self._single_root = strategy_of(system, strategy), system, single_root
        self._row = as_system(system)
        self._strategy = self._row.strategy if strategy is None else strategy
        checked = as_heads_or_scores(reference)
        begin = configuration or Configuration.initial(checked.n)
        self._configuration = configuration_of(system, begin)
        self._reference = as_reference_for(self._configuration, checked)
        self._past: list[tuple[Configuration, str]] = []  # as they were when other words may have been known
        self._scores: Values | None = None
        self._filled_before = 0
        self._kept = self._keep(self._reference, self._configuration)

    def _keep(self, reference: Reference | EdgeScores, configuration: Configuration) -> Kept:
        kind: Callable[..., Kept] = self._kind(reference)
        return kind(reference, self._rules, configuration, self._single_root)

    def _kind(self, reference: Reference | EdgeScores) -> type[Kept]:
        """What keeps up with this reference."""
        if self._system == ARC_EAGER:
            return KeptEagerChart
        return KeptFacts if is_for(reference, self._rules, self._single_root) else KeptChart

    @property
    def system(self) -> str:
        return self._system

    @property
    def strategy(self) -> str | None:
        """None in arc-eager, which has none."""
        return self._strategy

    @property
    def single_root(self) -> bool:
        return self._single_root

    @property
    def configuration(self) -> Configuration:
        return self._configuration

    @property
    def entries_filled(self) -> int:
        """How many memo entries were filled since the tracker was made, or that of which it is a copy."""
        with self._turn:
            return self._filled_before + self._kept.entries_filled

    def entries_from_scratch(self) -> int:
        """How many entries the answer for the present configuration takes where nothing is known yet."""
        with self._turn:
            fresh = self._keep(self._reference, self._configuration)
        fresh.scores()
        return fresh.entries_filled

    def scores(self) -> Values:
        """What each step can still attain, as `optimal_steps` says it."""
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
        """Takes a legal step, optimal or not: its name, or its number in the order of the scores."""
        steps = self._row.values.steps
        name = step if isinstance(step, str) else step_numbered(step, steps)
        with self._turn:
            after = self._configuration.apply(name)
            self._past.append((self._configuration, name))
            self._kept.take(steps.index(name))
            self._configuration, self._scores = after, None

    def undo(self) -> None:
        """Goes back to the configuration before the last step."""
        with self._turn:
            if not self._past:
                raise InputError(
                    "there is no step to undo: this is the configuration that the tracker began with"
                )
            past, _ = self._past.pop()
            self._configuration, self._scores = replace(past, n=self._configuration.n), None
            self._kept.place(self._configuration)

    def set_heads(self, reference: Heads | Scores) -> None:
        """Goes on with other heads, or scores, of any length that keeps the words that were shifted.

        In arc-eager it keeps all that edges have been made with, which the front may be among, and words
        that could be the heads of those on the stack.
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
        """Another tracker that stands where this one does, with the same steps to undo, for beams."""
        return copy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimalStepTracker[Values]:
        return self.copy()  # what both share is never written to

    def __getstate__(self) -> dict[str, Any]:
        """What a copy begins with, in this process or another one: all but the turns that threads take."""
        with self._turn:
            own = {"_past": [*self._past], "_kept": self._kept.copy()}
            return {name: value for name, value in vars(self).items() if name != "_turn"} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turn=Lock())


def _edges_of(past: Iterable[tuple[Configuration, str]]) -> tuple[tuple[int, int], ...]:
    """The edges of the steps that were taken."""
    made = (configuration.edge(step) for configuration, step in past)
    return tuple(edge for edge in made if edge is not None)
