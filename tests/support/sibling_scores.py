"""Scores of siblings, and what trees are worth by them, by definition."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random

import numpy as np
from every_tree import trees_of

from treewhile.oracles.trees.best_trees import EdgeArray
from treewhile.oracles.trees.sibling_decoding import SiblingArray


def triple_scores(rng: Random, n: int) -> SiblingArray:
    """Scores of three nodes each: small integers, or floats without ties; some are minus infinity."""
    generator = np.random.default_rng(rng.randrange(2**32))
    if rng.random() < 0.3:
        return generator.normal(size=(n + 1,) * 3)
    scores = generator.integers(-4, 5, (n + 1,) * 3).astype(float)
    scores[generator.random(scores.shape) < rng.choice([0, 0.1])] = -inf
    return scores


def worth(heads: Sequence[int], scores: EdgeArray, siblings: SiblingArray) -> float:
    """Each head's dependents on either side, from near to far."""
    total = 0.0
    for head in range(len(heads) + 1):
        dependents = [word for word, other in enumerate(heads, 1) if other == head]
        right = [word for word in dependents if word > head]
        left = [word for word in reversed(dependents) if word < head]
        for side in (left, right):
            for inner, word in zip([head, *side], side, strict=False):
                total += scores[head, word] + siblings[head, inner, word]
    return total


def best_listed(scores: EdgeArray, siblings: SiblingArray, trees: str, single_root: bool) -> float:
    """The score of the best tree of a class; minus infinity if there is none."""
    found = (heads for heads in trees_of(trees, len(scores) - 1) if not single_root or heads.count(0) == 1)
    return max((worth(heads, scores, siblings) for heads in found), default=-inf)
