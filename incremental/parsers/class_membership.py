"""Whether a tree over words and nodes to come is in a class of trees.

Nobody knows in which order words will come. So all that is to come counts as one node here, which stands
behind the words and hangs on the root: only what words hang on decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.incremental.parsers.nodes import Head
from treewhile.oracles.errors import InputError
from treewhile.oracles.trees.tree_classes import tree_classes

ANY: Final = "any"


def is_in_class(trees: str, heads: Sequence[int]) -> bool:
    """Whether a whole tree is in a class that was checked."""
    return trees == ANY or bool(getattr(tree_classes(heads), "is_" + trees.replace("-", "_")))


def is_prefix_in_class(trees: str, heads: Sequence[Head]) -> bool:
    """Whether the tree of some words is, given their heads; what leads round in a circle is in no class."""
    behind = len(heads) + 1
    known = (head if isinstance(head, int) and head < behind else behind for head in heads)
    try:
        return is_in_class(trees, [*known, 0])
    except InputError:
        return False
