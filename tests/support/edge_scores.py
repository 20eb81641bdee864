"""Random scores of edges for the decoders of trees, and how a decoder is judged by listing all trees."""

from __future__ import annotations

from math import inf
from random import Random

from judges import EdgeScores, random_scores


def random_floats(rng: Random, n: int, never: float = 0.0) -> EdgeScores:
    """Normally distributed scores without ties, of which a share is minus infinity."""

    def score() -> float:
        return -inf if rng.random() < never else rng.gauss(0, 3)

    return [[score() for _ in range(n + 1)] for _ in range(n + 1)]


def exact_or_float(rng: Random, n: int) -> EdgeScores:
    """Scores with exact sums and ties, or without any; some edges may not be."""
    return random_scores(rng, n) if rng.random() < 0.7 else random_floats(rng, n, rng.choice([0, 0.3]))
