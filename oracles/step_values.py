"""Scores that the steps of a configuration can still attain: a named tuple for each system."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.eager_transitions import EAGER_TRANSITIONS
from treewhile.oracles.transitions import STEPS

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
