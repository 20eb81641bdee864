"""Weights of edges by a reference, heads or scores: of one edge, or among stack and remaining input."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.kernels.values import NEVER
from treewhile.oracles.kernels.values import Scores as Values
from treewhile.oracles.kernels.weights import gold_weights
from treewhile.oracles.references import EdgeScores, Reference
from treewhile.oracles.tabular_parsing import check_length
from treewhile.oracles.transitions import Configuration


def worth(reference: Reference | EdgeScores, edge: tuple[int, int] | None) -> float:
    """Return the score that an edge (head, dependent) adds; 0 if there is no edge."""
    if edge is None:
        return 0
    head, dependent = edge
    if isinstance(reference, EdgeScores):
        return float(reference.scores[head, dependent])
    return int(reference.heads[dependent] == head)


def never_by(reference: Reference | EdgeScores) -> float:
    """Return minus infinity as the weights of this reference express it."""
    return -np.inf if isinstance(reference, EdgeScores) else NEVER


def weights_among_waiting(configuration: Configuration, reference: Reference | EdgeScores) -> Values:
    """Return weight[head, dependent] over the stack and the remaining input, in a new array."""
    nodes = np.array([*configuration.stack, *range(configuration.front, configuration.n + 1)])
    check_length(len(nodes) - 1)
    if isinstance(reference, EdgeScores):
        weight: Values = reference.scores[nodes[:, None], nodes]
    else:
        weight = gold_weights(reference.heads, nodes)
    return weight
