"""Openings: the words that may begin or end a constituent of several words, or be one; all else is closed.

Roark, Hollingshead & Bodenstab 2012, Section 4: the sets B, E and U.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.phrase_trees import Phrase, constituents_of

Flags = npt.NDArray[np.bool_]


class Openings(NamedTuple):
    """Flags by word, from 0; the first word always begins and the last one always ends the whole sentence."""

    begins: Flags  # may begin a constituent of several words
    ends: Flags  # may end one
    unaries: Flags  # may have a phrase over it alone

    @classmethod
    def all_open(cls, words: int) -> Openings:
        return cls(*(np.ones(words, np.bool_) for _ in range(3)))


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
