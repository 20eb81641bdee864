"""The best tree of a class by arc scores: projective, or one in which arcs may cross.

Whole sentences are decoded in any class; prefixes, which have virtual nodes, in those of PREFIX_CLASSES. A
class that takes more than O(n^3) is left for the projective trees where there are more nodes than LONGEST: an
answer in a keystroke is worth more than the few arcs that cross.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, cast

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Weights, best_tree
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import BestTree, EdgeArray, decode_edges
from treewhile.oracles.trees.class_names import DECODERS
from treewhile.oracles.trees.pruning import pruned_edges

PROJECTIVE: Final = "projective"
MH4: Final = "mh4"
CLASSES: Final = (*DECODERS,)

Decode = Callable[[Weights], tuple[Numbers, float]]

PREFIX_CLASSES: Final[dict[str, Decode]] = {PROJECTIVE: best_tree, MH4: best_mh4_tree}

# Which of them have only some heads of each word to choose from: the likeliest ones (Pitler et al. 2012).
PRUNED: Final = ("gap-minding", "1-inherit")
MOST_HEADS, LEAST_CHANCE = 10, 0.001

# How many nodes there may be at most, beside the root, where a class takes more than O(n^3).
LONGEST: Final = {"gap-minding": 60, "1-inherit": 20, "1-endpoint-crossing": 100, MH4: 120}


def class_for(trees: str, nodes: int) -> str:
    """The class in which so many nodes are decoded, where another one is asked for."""
    return PROJECTIVE if nodes > LONGEST.get(trees, nodes) else trees


def decode_in(trees: str, weights: Weights) -> Numbers:
    """The heads of the best tree of a class that was checked, as numbers of nodes."""
    nodes = weights.later - 1
    trees = class_for(trees, nodes)
    if decode := PREFIX_CLASSES.get(trees):
        return decode(weights)[0]
    if weights.t < nodes:
        raise InputError(
            f"prefixes are not parsed in {trees} trees: choose one of {', '.join(PREFIX_CLASSES)}"
        )
    return _decode_sentence(trees, weights)


def _decode_sentence(trees: str, weights: Weights) -> Numbers:
    """The heads of words, with one root, in a class that knows no virtual nodes."""
    scores = weights.weight[: weights.later, : weights.later].astype(np.float64)
    never = Interrupt()
    if trees in PRUNED:
        scores = cast(EdgeArray, pruned_edges(scores, MOST_HEADS, LEAST_CHANCE, True, never))
    found = cast(BestTree, decode_edges(scores, trees, True, never))
    return np.array(found.heads, np.int32)


def check_class(trees: object, among: Collection[str] = CLASSES) -> str:
    """The name of a class of trees; an InputError lists those that there are."""
    if not isinstance(trees, str) or trees not in among:
        raise InputError(f"there is no class of trees called {trees!r:.40}: choose one of {', '.join(among)}")
    return str(trees)
