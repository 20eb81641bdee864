"""Exact answers about dependency trees: optimal next steps, projectivization, and the charts beneath them."""

from treewhile.oracles.errors import InputError
from treewhile.oracles.optimal_steps import OptimalSteps, optimal_steps
from treewhile.oracles.projective_trees import count_projectivizations, is_projective, lift, projectivize
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
