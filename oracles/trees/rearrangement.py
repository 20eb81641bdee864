"""Approximate decoding with siblings and crossing edges, by rearrangement (McDonald & Pereira 2006).

The best of all trees by scores of siblings is NP-hard to find. So the best projective one is changed, an edge
at a time: among all changes of one word's head that leave a tree the one that raises the score most is made,
as long as one does. With one root the word under it stays there. A change concerns the siblings at both heads
and is worth the difference of two numbers that are kept up, so that a change takes O(n^2) to find and to
make.

Ties: of the best projective trees the one that `sibling_decoding` gives; of equally good changes that of the
first word, to the smallest head.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.references import Scores
from treewhile.oracles.trees.best_trees import BestTree, Edge, EdgeArray, edge_array
from treewhile.oracles.trees.kernels.rearranging import rearrange
from treewhile.oracles.trees.sibling_decoding import (
    SiblingArray,
    decode_siblings,
    sibling_array,
    sibling_score,
)


def rearranged_sibling_tree(
    scores: Scores,
    sibling_scores: npt.ArrayLike,
    single_root: bool = True,
    *,
    forced: Collection[Edge] = (),
    barred: Collection[Edge] = (),
) -> BestTree:
    """Return a good tree of any class by edges and siblings, at least as good as the best projective one.

    The arguments are those of `best_sibling_tree`.
    """
    edges = edge_array(scores, forced, barred)
    siblings = sibling_array(sibling_scores, len(edges))
    return cast(BestTree, decode_rearranged(edges, siblings, single_root, Interrupt()))


def decode_rearranged(
    scores: EdgeArray, siblings: SiblingArray, single_root: bool, interrupt: Interrupt
) -> BestTree | None:
    """Return a good tree by checked scores; the tree so far if interrupted, or None before there is one."""
    found = decode_siblings(scores, siblings, single_root, interrupt)
    if found is None:
        return None
    heads = np.array([-1, *found.heads], np.int32)
    rearrange(scores, siblings, heads, single_root, interrupt.flag)
    rearranged = heads[1:].tolist()
    return BestTree(rearranged, sibling_score(rearranged, scores, siblings))
