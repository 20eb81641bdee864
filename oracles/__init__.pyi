"""Public names of the package, each imported when it is first used: see `late_names`."""

from treewhile.oracles.computations import Computations as Computations
from treewhile.oracles.computations import OptimalStepBatch as OptimalStepBatch
from treewhile.oracles.computations import optimal_computations as optimal_computations
from treewhile.oracles.computations import scores_along as scores_along
from treewhile.oracles.constituents.openings import Openings as Openings
from treewhile.oracles.errors import InputError as InputError
from treewhile.oracles.projective_trees import count_projectivizations as count_projectivizations
from treewhile.oracles.projective_trees import is_projective as is_projective
from treewhile.oracles.projective_trees import lift as lift
from treewhile.oracles.projective_trees import projectivize as projectivize
from treewhile.oracles.steps_from_scratch import optimal_steps as optimal_steps
from treewhile.oracles.systems import EagerSteps as EagerSteps
from treewhile.oracles.systems import OptimalSteps as OptimalSteps
from treewhile.oracles.tracker import OptimalStepTracker as OptimalStepTracker
from treewhile.oracles.transitions import Configuration as Configuration
from treewhile.oracles.transitions import EagerConfiguration as EagerConfiguration
from treewhile.oracles.trees.best_trees import BestTree as BestTree
from treewhile.oracles.trees.best_trees import best_tree as best_tree
from treewhile.oracles.trees.gap_minding_siblings import (
    best_gap_minding_sibling_tree as best_gap_minding_sibling_tree,
)
from treewhile.oracles.trees.grandparents import best_tree_with_grandparents as best_tree_with_grandparents
from treewhile.oracles.trees.marginals import edge_marginals as edge_marginals
from treewhile.oracles.trees.marginals import pruned as pruned
from treewhile.oracles.trees.sibling_decoding import best_sibling_tree as best_sibling_tree
from treewhile.oracles.trees.sibling_decoding import rearranged_sibling_tree as rearranged_sibling_tree
from treewhile.oracles.trees.tree_classes import TreeClasses as TreeClasses
from treewhile.oracles.trees.tree_classes import tree_classes as tree_classes
