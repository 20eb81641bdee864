"""Pruning of each word's heads to the likely ones, by marginals over all trees (Pitler et al. 2012, 7).

The pruned scores always have a tree of every class, since the edges of the best projective tree stay; if
scores forbid all projective trees, those of the best of all trees stay instead, and a narrower class may have
no tree left.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores
from treewhile.oracles.trees.best_trees import Edge, EdgeArray, decode_edges, edge_array
from treewhile.oracles.trees.marginals import Marginals, marginals_of_edges


def pruned(
    scores: Scores,
    most: int = 10,
    least: float = 0.001,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> EdgeArray:
    """Return the scores with -inf for all but each word's likely heads: `most` heads of at least `least`.

    The likeliest head of each word stays in any case, and so does a whole tree (see above): so a word may
    have one head more. The other arguments are those of `edge_marginals`.
    """
    if most < 1 or not 0 <= least <= 1:
        raise InputError(
            f"at most {most} heads a word, each with a chance of {least} or more, cannot be kept: "
            "give a number from 1, and a chance between 0 and 1"
        )
    found = pruned_edges(edge_array(scores, forced, barred), most, least, single_root, Interrupt())
    assert found is not None  # an Interrupt that is never set
    return found


def pruned_edges(
    scores: EdgeArray, most: int, least: float, single_root: bool, interrupt: Interrupt
) -> EdgeArray | None:
    """Return the pruned scores by scores that were checked, or None if interrupted."""
    chances = marginals_of_edges(scores, single_root, interrupt)
    heads = None if chances is None else _heads_of_best(scores, single_root, interrupt)
    if chances is None or heads is None:
        return None
    kept = _likely(chances, most, least)
    kept[heads, np.arange(1, len(scores))] = True
    return np.where(kept, scores, -np.inf)


def _likely(chances: Marginals, most: int, least: float) -> npt.NDArray[np.bool_]:
    order = np.argsort(-chances, axis=0, kind="stable")[:most]
    kept = np.zeros(chances.shape, np.bool_)
    np.put_along_axis(kept, order, True, axis=0)
    kept &= chances >= least
    np.put_along_axis(kept, order[:1], True, axis=0)
    return kept


def _heads_of_best(scores: EdgeArray, single_root: bool, interrupt: Interrupt) -> list[int] | None:
    try:
        found = decode_edges(scores, "projective", single_root, interrupt)
    except InputError:
        found = decode_edges(scores, "any", single_root, interrupt)
    return found.heads if found else None
