"""Scores of arcs for decoders over nodes, and what judges these by a list of all trees with signed heads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from random import Random

import numpy as np
import pytest

from treewhile.incremental.parsers.arc_decoding import Decoded, Scores
from treewhile.incremental.treebanks.prefix_trees import ON_LATER, ON_UNUSED
from treewhile.oracles import InputError

Heads = Sequence[int]
NEVER = -np.inf


def way_up(heads: Heads, node: int) -> Iterator[int]:
    """The node and all above it; more than there are where it is on a cycle."""
    for _ in range(len(heads) + 2):
        yield node
        if node <= 0:
            return
        node = heads[node - 1]


def rows(trees: Sequence[Heads], nodes: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Heads as rows of the scores."""
    heads = np.array(trees, np.int64).reshape(len(trees), nodes)
    return np.where(heads == ON_LATER, nodes + 1, np.where(heads == ON_UNUSED, nodes + 2, heads))


def check_against_listing(
    trees: Sequence[Heads], scores: Scores, found: list[Decoded], where: object
) -> None:
    """All that were found have the best score of all trees, and are one of those that have it."""
    nodes = scores.shape[1] - 1
    totals = scores[rows(trees, nodes), np.arange(1, nodes + 1)].sum(axis=1)
    best = {trees[at] for at in np.flatnonzero(totals == totals.max())}
    for decoded in found:
        assert decoded.score == totals.max(), where
        assert tuple(decoded.heads.tolist()) in best, where


def small_integers(rng: Random, shape: tuple[int, int], forbidden: float | None = None) -> Scores:
    """Scores whose sums are exact and often tie; some arcs may not be. What is not read is no number."""
    share = rng.choice([0, 0.2, 0.5]) if forbidden is None else forbidden
    values = [NEVER if rng.random() < share else rng.randrange(-2, 3) for _ in range(shape[0] * shape[1])]
    scores = np.array(values, np.float32).reshape(shape)
    scores[:, 0] = np.nan
    np.fill_diagonal(scores, np.nan)
    return scores


def sentence_scores(rng: Random, n: int, forbidden: float | None = None) -> Scores:
    return small_integers(rng, (n + 1, n + 1), forbidden)


def prefix_scores(rng: Random, t: int, k: int, forbidden: float | None = None) -> Scores:
    scores = small_integers(rng, (t + k + 3, t + k + 1), forbidden)
    scores[-1, : t + 1] = np.nan
    return scores


def refusals(*decoders: partial[Decoded]) -> None:
    for decode in decoders:
        with pytest.raises(InputError, match="every tree has an arc with the score -inf"):
            decode()


def is_possible(trees: Sequence[Heads], scores: Scores) -> bool:
    nodes = scores.shape[1] - 1
    chosen = scores[rows(trees, nodes), np.arange(1, nodes + 1)]
    return bool((chosen > NEVER).all(axis=1).any())


@cache
def prefix_trees(is_tree: Callable[[Heads, int], bool], t: int, k: int) -> tuple[tuple[int, ...], ...]:
    """All trees of a class over t words and k places, by definition."""
    nodes = range(1, t + k + 1)
    words = [[ON_LATER, 0, *(head for head in nodes if head != word)] for word in nodes[:t]]
    virtual = [[ON_UNUSED, ON_LATER, 0, *(head for head in nodes if head != node)] for node in nodes[t:]]
    found = (heads for heads in product(*words, *virtual) if not _hangs_on_unused(heads))
    return tuple(heads for heads in found if is_tree(heads, t))


def _hangs_on_unused(heads: Heads) -> bool:
    return any(head > 0 and heads[head - 1] == ON_UNUSED for head in heads)


def is_connected(heads: Heads, t: int) -> bool:
    """Whether words lead up to LATER or to the one child of 0, and other used nodes are above words."""
    used = [node for node, head in enumerate(heads, 1) if head != ON_UNUSED]
    ways = {node: [*way_up(heads, node)] for node in used}
    return (
        used[:t] == [*range(1, t + 1)]
        and heads.count(0) <= 1
        and all(way[-1] in (0, ON_LATER) for way in ways.values())
        and all(any(node in ways[word] for word in range(1, t + 1)) for node in used if node > t)
    )
