"""Which trees openings allow, by definition, and openings by chance."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random

import numpy as np
from every_tree import Tree, is_mh4, listed_heads, projection

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.trees.best_trees import EdgeArray


def random_openings(rng: Random, n: int) -> Openings:
    share = rng.choice([0, 0.3, 0.6, 0.9])
    return Openings(*(np.array([rng.random() < share for _ in range(n)], np.bool_) for _ in range(3)))


def begins_at(openings: Openings, word: int) -> bool:
    return word == 1 or bool(openings.begins[word - 1])


def ends_at(openings: Openings, word: int) -> bool:
    return word == len(openings.ends) or bool(openings.ends[word - 1])


def is_allowed_projective(heads: Tree, openings: Openings) -> bool:
    """Whether all projections of several words begin and end where that is open."""
    found = [projection(heads, word) for word in range(1, len(heads) + 1)]
    return all(
        begins_at(openings, below[0]) and ends_at(openings, below[-1]) for below in found if len(below) > 1
    )


def is_allowed_mh4(heads: Tree, openings: Openings) -> bool:
    """Whether the tree is derived with no item of four heads over words that begin or end nothing."""
    return is_mh4(heads, lambda i, j: begins_at(openings, i + 1) and ends_at(openings, j - 1))


ALLOWED: dict[str, Callable[[Tree, Openings], bool]] = {
    "projective": is_allowed_projective,
    "mh4": is_allowed_mh4,
}


def best_allowed(scores: EdgeArray, trees: str, openings: Openings, single_root: bool) -> float:
    """The score of the best tree of a class that openings allow; minus infinity if there is none."""
    listed = listed_heads(trees, len(scores) - 1, single_root)
    worth = scores[listed, np.arange(1, len(scores))].sum(1)
    from_the_best = (at for at in np.argsort(-worth).tolist() if worth[at] > -inf)
    allowed = (at for at in from_the_best if ALLOWED[trees](tuple(listed[at].tolist()), openings))
    best = next(allowed, None)
    return -inf if best is None else float(worth[best])
