"""Transition systems by name, as data, and the scores that their steps can still attain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.transitions import (
    EAGER_TRANSITIONS,
    STEPS,
    Configuration,
    EagerConfiguration,
    Strategy,
    as_strategy,
    row_named,
)

SAME = 1e-9  # relative difference below which two sums of real numbers count as equal

Mask = npt.NDArray[np.bool_]


class StepValues(tuple[float | None, ...]):
    """Score after each step, the step's own edge included; None if the step is not legal.

    With heads, the score is the number of gold edges; with scores, the greatest sum of scores, -inf if every
    continuation has a forbidden edge.
    """

    __slots__ = ()

    steps: ClassVar[tuple[str, ...]]  # names of the fields

    @property
    def attainable(self) -> float:
        """Maximum that can still be attained; 0 in a final configuration."""
        return max([score for score in self if score is not None], default=0)

    @property
    def best(self) -> tuple[str, ...]:
        """Names of the optimal steps, in the order of the fields; empty in a final configuration."""
        least = self._least_optimal()
        return tuple(
            [
                step
                for step, score in zip(self.steps, self, strict=True)
                if score is not None and score >= least
            ]
        )

    def as_array(self) -> npt.NDArray[np.float64]:
        """Return the scores in the order of the fields; NaN if a step is not legal."""
        return np.array([np.nan if score is None else score for score in self])

    def legal_mask(self) -> Mask:
        """Return the mask of steps that have a score, in the order of the fields."""
        return np.array([score is not None for score in self])

    def optimal_mask(self) -> Mask:
        """Return the mask of optimal steps, in the order of the fields."""
        least = self._least_optimal()
        return np.array([score is not None and score >= least for score in self])

    def _least_optimal(self) -> float:
        attainable = self.attainable
        return attainable - SAME * max(1, abs(attainable))


class _Standard(NamedTuple):
    shift: float | None
    reduce_left: float | None
    reduce_right: float | None


class _Eager(NamedTuple):
    shift: float | None
    left_arc: float | None
    right_arc: float | None
    reduce: float | None


class OptimalSteps(_Standard, StepValues):
    """Score that each step of arc-standard can still attain."""

    __slots__ = ()
    steps = STEPS


class EagerSteps(_Eager, StepValues):
    """Score that each step of arc-eager can still attain."""

    __slots__ = ()
    steps = tuple(EAGER_TRANSITIONS)


ARC_STANDARD: Final = "arc-standard"
ARC_EAGER: Final = "arc-eager"

Scores = Sequence[float | None]  # [step], in the order of the table; None if the step is not legal


class System(NamedTuple):
    """Transition system, a row of the table below."""

    configuration: type[Configuration]
    values: type[OptimalSteps] | type[EagerSteps]
    strategy: str | None  # default strategy; None if the system has no strategies
    leaves_root_alone: str  # the step after which no word is on the stack

    def as_values(
        self, scores: Scores, configuration: Configuration, single_root: bool
    ) -> OptimalSteps | EagerSteps:
        """Return the scores as a named tuple; a single root does not gain, or lose, its child early."""
        values = self.values(*scores)
        is_early = single_root and len(configuration.stack) == 2 and configuration.front <= configuration.n
        return values._replace(**{self.leaves_root_alone: None}) if is_early else values


SYSTEMS: Final = {
    ARC_STANDARD: System(Configuration, OptimalSteps, "left-before-right", "reduce_left"),
    ARC_EAGER: System(EagerConfiguration, EagerSteps, None, "reduce"),
}


def as_system(name: str) -> System:
    return row_named(SYSTEMS, "system", name)


def configuration_of(system: str, configuration: Configuration) -> Configuration:
    """Return the configuration as one of the system; words of a plain configuration have no head."""
    wanted = as_system(system).configuration
    if type(configuration) is wanted:
        return configuration
    if wanted is EagerConfiguration:
        return EagerConfiguration(configuration.stack, configuration.front, configuration.n)
    raise InputError(f"this is a configuration of {ARC_EAGER}: say so by system={ARC_EAGER!r}")


def strategy_of(system: str, strategy: str | None) -> Strategy:
    """Return the strategy of this name, or the default strategy of the system."""
    row = as_system(system)
    if row.strategy is not None:
        return as_strategy(row.strategy if strategy is None else strategy)
    if strategy is None:
        return Strategy(False, False, False)
    raise InputError(f"{system} has no strategies, which order the steps of {ARC_STANDARD}: leave it out")
