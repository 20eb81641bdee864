"""The transition systems of committed parses by name: what differs from system to system, as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers import eager_computations, eager_rules, labelled_computations, step_rules
from treewhile.incremental.parsers.eager_computations import EagerComputation
from treewhile.incremental.parsers.eager_rules import barred_eager_classes, eager_situation
from treewhile.incremental.parsers.labelled_computations import LabelledComputation
from treewhile.incremental.parsers.network_shapes import step_classes
from treewhile.incremental.parsers.step_rules import barred_classes, situation
from treewhile.oracles.errors import InputError
from treewhile.oracles.systems import ARC_EAGER, ARC_STANDARD, SYSTEMS
from treewhile.oracles.transitions import step_numbered

Computation = LabelledComputation | EagerComputation


def checked_classes(system: str, classes: Sequence[int], kinds: int, n: int, is_open: bool) -> list[int]:
    """The classes, which have to be legal one after the other, over n words of which none is shifted.

    In arc-eager it matters whether more words may come, though no step may be about them.
    """
    row, oracle = STEP_SYSTEMS[system], SYSTEMS[system]
    configuration = oracle.configuration.initial(n + (is_open and system == ARC_EAGER))
    legal = range(step_classes(kinds, system))
    for place, step_class in enumerate(classes, 1):
        if step_class not in legal:
            what = f"step {place} is {step_class!r:.40}, and the classes of step are 0 to {legal[-1]}"
            raise InputError(f"{what}: give one of these")
        step = step_numbered(row.step_of(step_class, kinds), oracle.values.steps)
        if configuration.front > n and step != "reduce" and system == ARC_EAGER:
            raise InputError(f"{step} is about word {n + 1}, which is not there: leave it out")
        configuration = configuration.apply(step)
    return [*map(int, classes)]


def _situation(computation: LabelledComputation, knows_the_end: bool) -> int:
    return situation(len(computation.stack), computation.remaining > 0 or not knows_the_end)


def _eager_situation(computation: EagerComputation, knows_the_end: bool) -> int:
    nodes, remaining = len(computation.stack), computation.remaining
    return eager_situation(nodes, computation.has_head, computation.headless, remaining, knows_the_end)


class StepSystem(NamedTuple):
    """A row."""

    ahead: Sequence[int]  # those of words that need not have come yet
    computation: Callable[[int, int], Computation]  # (labels, words)
    barred: Callable[[Sequence[str], Collection[str]], npt.NDArray[np.float32]]  # (labels, those of roots)
    step_of: Callable[[int, int], int]  # (class, labels)
    final: int  # the situation in which nothing can be done
    situation: Callable[[Any, bool], int]  # (computation, whether the end is known): what can be done next


STEP_SYSTEMS: Final = {
    ARC_STANDARD: StepSystem(
        labelled_computations.AHEAD,
        LabelledComputation,
        barred_classes,
        labelled_computations.step_of,
        step_rules.IS_FINAL,
        _situation,
    ),
    ARC_EAGER: StepSystem(
        eager_computations.AHEAD,
        EagerComputation,
        barred_eager_classes,
        eager_computations.step_of,
        eager_rules.IS_FINAL,
        _eager_situation,
    ),
}
