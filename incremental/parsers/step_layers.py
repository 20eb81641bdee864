"""Layers from causal states to scores of steps: contributions of words to the next step, by role."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from treewhile.incremental.parsers.kernels.steps import step_scores
from treewhile.incremental.parsers.kernels.tiles import on_lines
from treewhile.incremental.parsers.layers import Array, Products, linear
from treewhile.incremental.parsers.model_files import in_eight_bits


class StepLayers:
    """Layers of steps; `layers`, for `take_steps`: role weights and scales, bias, and two more layers."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._roles = [
            Products(*in_eight_bits(part))
            for part in np.split(
                arrays["roles.weight"], len(arrays["roles.weight"]) // arrays["steps_bias"].size
            )
        ]
        self._hidden, self._steps = (linear(arrays, name).layer for name in ("steps_hidden", "steps"))
        self._bias, self._missing = arrays["steps_bias"], arrays["missing"]
        weights = on_lines(np.array([part.layer[0] for part in self._roles]))
        scales = np.array([part.layer[1] for part in self._roles])
        self.layers = weights, scales, self._bias, self._hidden, self._steps

    @cached_property
    def missing_roles(self) -> Array:
        """Contributions [vector, role, hidden] of the substitutes for missing words."""
        return self.roles(self._missing)

    def roles(self, top: Array) -> Array:
        """Return [word, role, hidden]: the contribution of each word to the next step in each role."""
        return np.stack([part(top) for part in self._roles], axis=1)

    def scores(self, chosen: Array) -> Array:
        """Return the scores of all classes, then PATIENCE, given [role, hidden] of the words in the roles."""
        scores: Array = step_scores(chosen, self._bias, self._hidden, self._steps)
        return scores
