"""Scores of long sentences for decoders: few edges may be, and at least one tree is among them."""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def planted_scores(rng: Random, n: int, k: int, integers: bool = False) -> Array:
    """Scores by [head, dependent] where words have k heads that may be, one of them in a projective tree."""
    scores = np.full((n + 1, n + 1), -np.inf)
    for word, head in enumerate(_projective_heads(rng, n), 1):
        others = [node for node in range(n + 1) if node not in (word, head)]
        for node in (head, *rng.sample(others, min(k - 1, len(others)))):
            scores[node, word] = rng.randrange(-3, 4) if integers else rng.gauss(0, 1)
    return scores


def _projective_heads(rng: Random, n: int) -> list[int]:
    heads, spans = [0] * n, [(1, n, 0)]
    while spans:
        i, j, head = spans.pop()
        if i <= j:
            word = rng.randint(i, j)
            heads[word - 1] = head
            spans += [(i, word - 1, word), (word + 1, j, word)]
    return heads
