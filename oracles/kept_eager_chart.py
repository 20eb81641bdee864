"""Optimal steps of arc-eager for any reference, kept up to date from step to step.

The recurrence is that of `eager_steps`. The values of a stack prefix depend on nothing above it or left of
the remaining words, so they outlive steps and undone steps. A shift or right_arc makes one new prefix, with
O(m) values of O(m) time each; the other steps need no new values.
"""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np

from treewhile.oracles.eager_steps import as_eager_scores, has_head_by_level
from treewhile.oracles.kept_chart import KeptChart
from treewhile.oracles.kernels import eager_values
from treewhile.oracles.projective_steps import Scores
from treewhile.oracles.transitions import EAGER_TRANSITIONS, Configuration, EagerConfiguration


class KeptEagerChart(KeptChart):
    """Chart that follows one computation of arc-eager for any reference; arc-eager has no strategies."""

    node_values: ClassVar = 1
    steps: ClassVar = len(EAGER_TRANSITIONS)

    def place(self, configuration: Configuration) -> None:
        eager = cast(EagerConfiguration, configuration)
        stack, has_head = np.array(eager.stack, dtype=np.int32), has_head_by_level(eager)
        eager_values.place_eager_stack(stack, has_head, eager.front, self.words, self.nodes, self.standing)

    def take(self, step: int) -> None:
        eager_values.take_eager_step(step, self.words, self.nodes, self.standing)

    def scores(self) -> Scores:
        eager_values.score_eager_steps(
            self.words, self.weight, self.spans, self.nodes, self.values[0], self.standing, self.found
        )
        return as_eager_scores(self.found, self.weight is not None)
