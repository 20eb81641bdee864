"""Exact algorithms for dependency trees: optimal next steps, projectivization, and charts for both.

Its names are imported when they are asked for, since compiled loops take a second to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewhile.oracles.late_names import late_names

if TYPE_CHECKING:
    from treewhile.oracles.computations import (
        Computations,
        OptimalStepBatch,
        optimal_computations,
        scores_along,
    )
    from treewhile.oracles.constituents.openings import Openings
    from treewhile.oracles.eager_transitions import EagerConfiguration
    from treewhile.oracles.errors import InputError
    from treewhile.oracles.projective_trees import count_projectivizations, is_projective, lift, projectivize
    from treewhile.oracles.step_values import EagerSteps, OptimalSteps
    from treewhile.oracles.steps_from_scratch import optimal_steps
    from treewhile.oracles.tracker import OptimalStepTracker
    from treewhile.oracles.transitions import Configuration
    from treewhile.oracles.trees.best_trees import BestTree, best_tree
    from treewhile.oracles.trees.gap_minding_siblings import best_gap_minding_sibling_tree
    from treewhile.oracles.trees.grandparents import best_tree_with_grandparents
    from treewhile.oracles.trees.marginals import edge_marginals
    from treewhile.oracles.trees.pruning import pruned
    from treewhile.oracles.trees.rearrangement import rearranged_sibling_tree
    from treewhile.oracles.trees.sibling_decoding import best_sibling_tree
    from treewhile.oracles.trees.tree_classes import TreeClasses, tree_classes

__all__ = [
    "BestTree",
    "Computations",
    "Configuration",
    "EagerConfiguration",
    "EagerSteps",
    "InputError",
    "Openings",
    "OptimalStepBatch",
    "OptimalStepTracker",
    "OptimalSteps",
    "TreeClasses",
    "best_gap_minding_sibling_tree",
    "best_sibling_tree",
    "best_tree",
    "best_tree_with_grandparents",
    "count_projectivizations",
    "edge_marginals",
    "is_projective",
    "lift",
    "optimal_computations",
    "optimal_steps",
    "projectivize",
    "pruned",
    "rearranged_sibling_tree",
    "scores_along",
    "tree_classes",
]

_PLACES = {
    "BestTree": "trees.best_trees",
    "Computations": "computations",
    "Configuration": "transitions",
    "EagerConfiguration": "eager_transitions",
    "EagerSteps": "step_values",
    "InputError": "errors",
    "Openings": "constituents.openings",
    "OptimalStepBatch": "computations",
    "OptimalStepTracker": "tracker",
    "OptimalSteps": "step_values",
    "TreeClasses": "trees.tree_classes",
    "best_gap_minding_sibling_tree": "trees.gap_minding_siblings",
    "best_sibling_tree": "trees.sibling_decoding",
    "best_tree": "trees.best_trees",
    "best_tree_with_grandparents": "trees.grandparents",
    "count_projectivizations": "projective_trees",
    "edge_marginals": "trees.marginals",
    "is_projective": "projective_trees",
    "lift": "projective_trees",
    "optimal_computations": "computations",
    "optimal_steps": "steps_from_scratch",
    "projectivize": "projective_trees",
    "pruned": "trees.pruning",
    "rearranged_sibling_tree": "trees.rearrangement",
    "scores_along": "computations",
    "tree_classes": "trees.tree_classes",
}

__getattr__, __dir__ = late_names(__name__, _PLACES)
