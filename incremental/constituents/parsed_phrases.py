"""Constituents of a sentence as a tree over its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treewhile.oracles.constituents.phrase_trees import Constituent, Leaf, Phrase, tree_of

ROOT: Final = "ROOT"


def phrase_of(constituents: Sequence[Constituent], leaves: Sequence[Leaf], root: str = ROOT) -> Phrase:
    """Return the tree with these constituents under a root; open ones reach to the last leaf."""
    return tree_of([Constituent(root, 1, len(leaves)), *constituents], leaves)
