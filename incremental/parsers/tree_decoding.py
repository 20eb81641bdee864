"""Best tree of a class by arc scores: projective, or one in which arcs may cross.

Whole sentences are decoded in any class; prefixes, which have virtual nodes, in those of PREFIX_CLASSES. A
class that takes more than O(n^3) is replaced by projective trees if there are more nodes than LONGEST: an
answer within a keystroke matters more than the few arcs that cross. Before such a class is decoded, the best
of all trees is tried as a shortcut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, cast

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Weights, best_tree
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree_until
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.relaxed_decoding import best_of_all
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import decode_edges
from treewhile.oracles.trees.class_names import DECODERS, MH4, OF_PREFIXES
from treewhile.oracles.trees.class_names import PROJECTIVE as PROJECTIVE
from treewhile.oracles.trees.pruning import pruned_edges

CLASSES: Final = (*DECODERS,)

Decode = Callable[[Weights, Interrupt], tuple[Numbers, float] | None]


def best_projective_tree(weights: Weights, _: Interrupt) -> tuple[Numbers, float]:
    """Return the best tree, with heads as numbers, and its score; too fast to be interrupted."""
    return best_tree(weights)


PREFIX_CLASSES: Final[dict[str, Decode]] = dict(
    zip(OF_PREFIXES, (best_projective_tree, best_mh4_tree_until), strict=True)
)

# Classes whose words are pruned to their likeliest heads first (Pitler et al. 2012).
PRUNED: Final = ("gap-minding", "1-inherit")
MOST_HEADS, LEAST_CHANCE = 10, 0.001

# Maximum number of nodes, without the root, for classes that take more than O(n^3).
LONGEST: Final = {"gap-minding": 60, "1-inherit": 20, "1-endpoint-crossing": 100, MH4: 120}


def class_for(trees: str, nodes: int) -> str:
    """Return the class in which so many nodes are decoded if `trees` is requested."""
    return PROJECTIVE if nodes > LONGEST.get(trees, nodes) else trees


def decode_in(trees: str, weights: Weights) -> Numbers:
    """Return the heads of the best tree of a class that was checked, as numbers of nodes."""
    return cast(Numbers, decode_until(trees, weights, Interrupt()))


def decode_until(trees: str, weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the heads of the best tree of a class that was checked, or None if interrupted."""
    nodes = weights.later - 1
    trees = class_for(trees, nodes)
    if trees in LONGEST and (nodes == weights.t or trees in PREFIX_CLASSES):
        best = best_of_all(trees, weights, interrupt)
        if best is not None:
            return best
    if decode := PREFIX_CLASSES.get(trees):
        found = decode(weights, interrupt)
        return None if found is None else found[0]
    if weights.t < nodes:
        check_prefix_class(trees)
    return _decode_sentence(trees, weights, interrupt)


def _decode_sentence(trees: str, weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the heads of words, with one root, in a class without virtual nodes."""
    scores = weights.weight[: weights.later, : weights.later].astype(np.float64)
    if trees in PRUNED:
        pruned = pruned_edges(scores, MOST_HEADS, LEAST_CHANCE, True, interrupt)
        if pruned is None:
            return None
        scores = pruned
    found = decode_edges(scores, trees, True, interrupt)
    return None if found is None else np.array(found.heads, np.int32)


def check_prefix_class(trees: str) -> None:
    """Refuse a class without virtual nodes."""
    if trees not in PREFIX_CLASSES:
        raise InputError(
            f"prefixes are not parsed in {trees} trees: choose one of {', '.join(PREFIX_CLASSES)}"
        )


def check_class(trees: object, among: Collection[str] = CLASSES) -> str:
    """Return the name of a class of trees; an InputError lists the classes."""
    if not isinstance(trees, str) or trees not in among:
        raise InputError(f"there is no class of trees called {trees!r:.40}: choose one of {', '.join(among)}")
    return str(trees)
