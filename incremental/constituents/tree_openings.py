"""Openings of a tree: words that begin or end a constituent of several words, or have a phrase alone."""

from __future__ import annotations

import numpy as np

from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Phrase, constituents_of


def openings_of(tree: Phrase) -> Openings:
    """Return the tightest openings that allow the tree; its root counts only as the whole sentence."""
    root, *constituents = constituents_of(tree)
    openings = Openings(*np.zeros((3, root.last or 0), np.bool_))
    openings.begins[0] = openings.ends[-1] = True
    for _, first, last in constituents:
        if last == first:
            openings.unaries[first - 1] = True
        elif last is not None:
            openings.begins[first - 1] = openings.ends[last - 1] = True
    return openings
