"""Openings: the words that may begin or end a constituent of several words, or be one; all else is closed.

Roark, Hollingshead & Bodenstab 2012, Section 4: the sets B, E and U.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]


class Openings(NamedTuple):
    """Flags by word, from 0; the first word always begins and the last one always ends the whole sentence."""

    begins: Flags  # may begin a constituent of several words
    ends: Flags  # may end one
    unaries: Flags  # may have a phrase over it alone

    @classmethod
    def all_open(cls, words: int) -> Openings:
        return cls(*(np.ones(words, np.bool_) for _ in range(3)))
