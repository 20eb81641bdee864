"""Scores of edges for tree decoders, drawn by a seeded generator."""

from __future__ import annotations

from random import Random

from judges import random_scores

from treewhile.oracles.trees.best_trees import EdgeArray, edge_array


def drawn_scores(rng: Random, n: int) -> EdgeArray:
    """Scores of which some tie and some bar an edge, or which are any numbers."""
    if rng.random() < 0.5:
        return edge_array(random_scores(rng, n))
    return edge_array([[rng.gauss(0, 1) for _ in range(n + 1)] for _ in range(n + 1)])
