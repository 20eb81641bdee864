"""Exact answers about dependency trees: optimal next steps, projectivization, and the charts beneath them.

Its names are imported when they are asked for, since compiled loops take a second to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewhile.oracles.late_names import late_names

if TYPE_CHECKING:
    from treewhile.oracles.errors import InputError
    from treewhile.oracles.projective_trees import count_projectivizations, is_projective, lift, projectivize
    from treewhile.oracles.steps_from_scratch import OptimalSteps, optimal_steps
    from treewhile.oracles.tracker import OptimalStepTracker
    from treewhile.oracles.transitions import Configuration

__all__ = [
    "Configuration",
    "InputError",
    "OptimalStepTracker",
    "OptimalSteps",
    "count_projectivizations",
    "is_projective",
    "lift",
    "optimal_steps",
    "projectivize",
]

_PLACES = {
    "Configuration": "transitions",
    "InputError": "errors",
    "OptimalStepTracker": "tracker",
    "OptimalSteps": "steps_from_scratch",
    "count_projectivizations": "projective_trees",
    "is_projective": "projective_trees",
    "lift": "projective_trees",
    "optimal_steps": "steps_from_scratch",
    "projectivize": "projective_trees",
}

__getattr__, __dir__ = late_names(__name__, _PLACES)
