"""What the steps of a configuration can still attain, as callers get it: a named tuple for each system."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.eager_transitions import EAGER_TRANSITIONS
from treewhile.oracles.transitions import STEPS

SAME = 1e-9  # sums of real numbers that differ less, in proportion, are the same

Mask = npt.NDArray[np.bool_]


class StepValues(tuple[float | None, ...]):
    """What can be made after each step, the step's own edge included; None where it is not legal.

    With heads, the number of gold edges; with scores, the greatest sum of scores, -inf where each way on has
    an edge that may not be.
    """

    __slots__ = ()

    steps: ClassVar[tuple[str, ...]]  # the names of the fields

    @property
    def attainable(self) -> float:
        """The most that can still be made; 0 in a final configuration."""
        return max([score for score in self if score is not None], default=0)

    @property
    def best(self) -> tuple[str, ...]:
        """The names of the optimal steps, in the order of the fields; none in a final configuration."""
        least = self._least_optimal()
        return tuple(
            [
                step
                for step, score in zip(self.steps, self, strict=True)
                if score is not None and score >= least
            ]
        )

    def as_array(self) -> npt.NDArray[np.float64]:
        """The scores in the order of the fields; NaN where a step is not legal."""
        return np.array([np.nan if score is None else score for score in self])

    def legal_mask(self) -> Mask:
        """Which steps have a score, in the order of the fields."""
        return np.array([score is not None for score in self])

    def optimal_mask(self) -> Mask:
        """Which steps are optimal, in the order of the fields."""
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
    """What each step of arc-standard can still attain."""

    __slots__ = ()
    steps = STEPS


class EagerSteps(_Eager, StepValues):
    """What each step of arc-eager can still attain."""

    __slots__ = ()
    steps = tuple(EAGER_TRANSITIONS)
