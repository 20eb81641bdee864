"""The optimal steps of one computation, answered after every step from what is already known.

The reference decides how: `kept_facts` where it is heads that are projective, else `kept_chart`. Both give
what `optimal_steps` gives from scratch.
"""

from __future__ import annotations

from copy import copy
from threading import Lock
from typing import Any

from treewhile.oracles.errors import InputError
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.kept_facts import KeptFacts
from treewhile.oracles.projective_steps import is_for
from treewhile.oracles.references import EdgeScores, Heads, Reference, Scores, as_heads_or_scores
from treewhile.oracles.steps_from_scratch import OptimalSteps, as_optimal_steps, as_reference_for
from treewhile.oracles.transitions import TRANSITIONS, Configuration, as_strategy

STEP_NUMBERS = {step: number for number, step in enumerate(TRANSITIONS)}


class OptimalStepTracker:
    """Follows a computation from a configuration on, by default from the first one.

    The reference is heads or scores, and a single root is one, as `optimal_steps` has them. An early child of
    the root is not among the scores then, but can be applied; one more is to come after it.

    Any thread may call it: what it does and says it does at once, and one call after the other. A `copy()`
    begins where the tracker is, with all that it knows, and goes its own way.
    """

    def __init__(
        self,
        reference: Heads | Scores,
        strategy: str = "left-before-right",
        configuration: Configuration | None = None,
        single_root: bool = False,
    ) -> None:
        self._turn = Lock()  # kernels run without the interpreter's lock, and write to what is kept
        self._strategy, self._single_root = strategy, single_root
        checked = as_heads_or_scores(reference)
        self._configuration = configuration or Configuration.initial(checked.n)
        self._reference = as_reference_for(self._configuration, checked)
        self._past: list[Configuration] = []  # as they were when other words may have been known
        self._scores: OptimalSteps | None = None
        self._filled_before = 0
        self._kept = self._keep(self._reference, self._configuration)

    def _keep(self, reference: Reference | EdgeScores, configuration: Configuration) -> KeptFacts | KeptChart:
        strategy = as_strategy(self._strategy)
        if is_for(reference, strategy, self._single_root):
            return KeptFacts(reference, strategy, configuration, self._single_root)
        return KeptChart(reference, strategy, configuration, self._single_root)

    @property
    def strategy(self) -> str:
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
            reference, configuration = self._reference, self._configuration
        fresh = OptimalStepTracker(reference, self._strategy, configuration, self._single_root)
        fresh.scores()
        return fresh.entries_filled

    def scores(self) -> OptimalSteps:
        """What each step can still attain, as `optimal_steps` says it."""
        with self._turn:
            if self._scores is None:
                self._scores = as_optimal_steps(self._kept.scores(), self._configuration, self._single_root)
            return self._scores

    def apply(self, step: str) -> None:
        """Takes a legal step, optimal or not."""
        with self._turn:
            after = self._configuration.apply(step)
            self._past.append(self._configuration)
            self._kept.take(STEP_NUMBERS[step])
            self._configuration, self._scores = after, None

    def undo(self) -> None:
        """Goes back to the configuration before the last step."""
        with self._turn:
            if not self._past:
                raise InputError(
                    "there is no step to undo: this is the configuration that the tracker began with"
                )
            past, n = self._past.pop(), self._configuration.n
            self._configuration, self._scores = Configuration(past.stack, past.front, n), None
            self._kept.place(self._configuration)

    def set_heads(self, reference: Heads | Scores) -> None:
        """Goes on with other heads, or scores, of any length that keeps the words before the front."""
        checked = as_heads_or_scores(reference)
        with self._turn:
            self._refer_to(checked)

    def _refer_to(self, reference: Reference | EdgeScores) -> None:
        front, n = self._configuration.front, reference.n
        if n < front - 1:
            raise InputError(
                f"the new reference has {n} words, but the parser has already shifted {front - 1}"
            )
        configuration = Configuration(self._configuration.stack, front, n)
        suits_facts = is_for(reference, as_strategy(self._strategy), self._single_root)
        fits = isinstance(self._kept, KeptFacts if suits_facts else KeptChart)
        if not (fits and self._kept.refer_to(reference, configuration)):
            kept = self._keep(reference, configuration)
            self._filled_before += self._kept.entries_filled
            self._kept = kept
        self._reference, self._configuration, self._scores = reference, configuration, None

    def copy(self) -> OptimalStepTracker:
        """Another tracker that stands where this one does, with the same steps to undo, for beams."""
        return copy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimalStepTracker:
        return self.copy()  # what both share is never written to

    def __getstate__(self) -> dict[str, Any]:
        """What a copy begins with, in this process or another one: all but the turns that threads take."""
        with self._turn:
            own = {"_past": [*self._past], "_kept": self._kept.copy()}
            return {name: value for name, value in vars(self).items() if name != "_turn"} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turn=Lock())
