"""Which words of a tree begin or end a constituent of several words, or have a phrase over them alone."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase


def leaves_of(tree: Phrase) -> list[Leaf]:
    """The words of a tree with their tags, from left to right."""
    leaves: list[Leaf] = []
    todo: list[Phrase | Leaf] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            leaves.append(node)
        else:
            todo.extend(reversed(node.children))
    return leaves


def openings_of(tree: Phrase) -> Openings:
    """What closes as much as it can and still allows the tree; the root over a single word is not counted."""
    openings = Openings(*np.zeros((3, len(leaves_of(tree))), np.bool_))
    seen = 0
    todo: list[Phrase | Leaf | int] = [*reversed(tree.children)]
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            seen += 1
        elif isinstance(node, Phrase):
            todo.append(seen)
            todo.extend(reversed(node.children))
        elif seen - node == 1:
            openings.unaries[node] = True
        else:
            openings.begins[node] = openings.ends[seen - 1] = True
    openings.begins[:1] = openings.ends[-1:] = True
    return openings
