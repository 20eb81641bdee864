"""Best tree of a class by arc scores: projective, or one in which arcs may cross; membership in a class.

Whole sentences are decoded in any class; prefixes, which have virtual nodes, in those of PREFIX_CLASSES. A
class that takes more than O(n^3) is replaced by projective trees if there are more nodes than LONGEST: an
answer within a keystroke matters more than the few arcs that cross.

Before such a class is decoded, the best of all trees is tried: if it is in the class, it is the best of the
class. That is so most often, and is checked in O(n^2), while a chart of trees whose edges may cross takes
O(n^4) or more. For a prefix other conditions are relaxed as well: the number of children of the root, and
words below virtual nodes. The tree then counts only if it meets these conditions.

The order of the words to come is unknown. For membership in a class they count as one node, which stands
behind the words and is a child of the root: only the heads of the known words decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, cast

import numpy as np

from treewhile.incremental.parsers.arc_decoding import Scores, Weights, best_tree
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree_until
from treewhile.incremental.parsers.nodes import Head, Numbers
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import spanning_decoding
from treewhile.oracles.trees.best_trees import decode_edges
from treewhile.oracles.trees.class_names import DECODERS, MH4, OF_PREFIXES
from treewhile.oracles.trees.class_names import PROJECTIVE as PROJECTIVE
from treewhile.oracles.trees.marginals import pruned_edges
from treewhile.oracles.trees.tree_classes import tree_classes

ANY: Final = "any"


def is_in_class(trees: str, heads: Sequence[int]) -> bool:
    """Return whether a whole tree is in a class that was checked."""
    return trees == ANY or bool(getattr(tree_classes(heads), "is_" + trees.replace("-", "_")))


def is_prefix_in_class(trees: str, heads: Sequence[Head]) -> bool:
    """Return whether the tree of some words is in a class, given their heads; a cycle is in no class."""
    behind = len(heads) + 1
    known = (head if isinstance(head, int) and head < behind else behind for head in heads)
    try:
        return is_in_class(trees, [*known, 0])
    except InputError:
        return False


def best_of_all(trees: str, weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the best tree's heads as numbers; None if it is of another class, or if interrupted."""
    if weights.t == 0:
        return None
    heads = _relaxed_heads(weights, interrupt)
    if heads is None or not _is_possible(weights, heads):
        return None
    return heads if is_in_class(trees, _as_whole_tree(weights, heads)) else None


def _relaxed_heads(weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the best acyclic assignment of heads to all nodes; LATER and UNUSED have none."""
    ends, later = np.array([0, weights.later, weights.unused], np.int32), weights.later
    outside: Scores = weights.weight[ends, :later]
    is_whole = bool(outside[1:].max(initial=-np.inf) == -np.inf)
    scores = weights.weight[:later, :later].copy()
    scores[0] = outside.max(axis=0)
    heads = spanning_decoding.decode(scores, is_whole, interrupt)
    if heads is None:
        return None
    kinds = ends[outside.argmax(axis=0)]
    found: Numbers = np.where(heads == 0, kinds, heads)[1:]
    return found


def _is_possible(weights: Weights, heads: Numbers) -> bool:
    """Return whether the root has at most one child, and exactly the used virtual nodes have dependents."""
    nodes = np.arange(1, weights.later)
    if heads.min() < 0 or np.count_nonzero(heads == 0) > 1:
        return False
    if weights.weight[heads, nodes].min() == -np.inf:
        return False
    virtual = nodes[weights.t :]
    return bool(((heads[weights.t :] != weights.unused) == np.isin(virtual, heads)).all())


def _as_whole_tree(weights: Weights, heads: Numbers) -> list[int]:
    """Return the heads of all used nodes, and of LATER, a child of the root, renumbered."""
    is_used = np.append(heads != weights.unused, True)
    numbers = np.concatenate([[0], np.cumsum(is_used)])
    whole: list[int] = numbers[np.append(heads, 0)[is_used]].tolist()
    return whole


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


def decode_any(weights: Weights, interrupt: Interrupt) -> Numbers | None:
    """Return the best tree of any class as numbers of nodes, or None if interrupted.

    The root of a prefix may have several children there, and virtual nodes none.
    """
    if weights.t < weights.later - 1:
        return _relaxed_heads(weights, interrupt)
    return _decode_sentence(ANY, weights, interrupt)


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
