"""Random scores of edges for the decoders of trees, and how a decoder is judged by listing all trees."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random

from every_tree import best_by_listing
from judges import EdgeScores, random_scores

from treewhile.oracles import BestTree, InputError

Best = Callable[[EdgeScores], BestTree]


def random_floats(rng: Random, n: int, never: float = 0.0) -> EdgeScores:
    """Normally distributed scores without ties, of which a share is minus infinity."""

    def score() -> float:
        return -inf if rng.random() < never else rng.gauss(0, 3)

    return [[score() for _ in range(n + 1)] for _ in range(n + 1)]


def exact_or_float(rng: Random, n: int) -> EdgeScores:
    """Scores with exact sums and ties, or without any; some edges may not be."""
    return random_scores(rng, n) if rng.random() < 0.7 else random_floats(rng, n, rng.choice([0, 0.3]))


def score_or_never(best: Best, scores: EdgeScores) -> float:
    """The score of the best tree, minus infinity where there is none; the tree has to have that score."""
    try:
        found = best(scores)
    except InputError:
        return -inf
    total = sum(scores[head][word] for word, head in enumerate(found.heads, 1))
    assert abs(total - found.score) < 1e-9
    return found.score


def check_by_listing(best: Best, scores: EdgeScores, trees: str, single_root: bool, seed: object) -> bool:
    """Whether there is a tree; what is best is compared with all trees of the class."""
    expected = best_by_listing(scores, trees, single_root)
    found = score_or_never(best, scores)
    assert found == expected or abs(found - expected) < 1e-9, (seed, scores)
    return expected > -inf
