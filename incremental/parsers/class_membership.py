"""Membership of trees over words and nodes to come in a class of trees.

The order of the words to come is unknown. So they count as one node here, which stands behind the words and
is a child of the root: only the heads of the known words decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.nodes import Head
from treewhile.oracles.errors import InputError
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
