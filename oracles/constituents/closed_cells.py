"""Open and closed cells of a chart: the cases of cells, their numbers and the bounds on these.

A cell over several words is of

    case 1    no edge: it begins (left-binarized grammars; ends, for right ones) where no constituent may
    case 2    incomplete edges alone: it ends (begins) where none may; its sibling is a word: one midpoint
    case 3    all edges: the sibling is a word or begins (ends) where a constituent may

and over one word of

    case 4    tags alone
    case 5    tags, and phrases by unary rules

Regardless of the flags, the first word begins and the last one ends, and over the only word of a sentence
there are phrases. With at most k words that begin, |C2| + |C3| <= k n, and a cell of case 3 has at most k
midpoints: the total is linear in n. If only |C3| <= k n, it is quadratic, since a cell of case 2 has one
midpoint. For right-binarized grammars ends count instead of begins.

Roark, Hollingshead & Bodenstab 2012, Sections 4.3 and 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.openings import Flags, Openings
from treewhile.oracles.errors import InputError

Ints = npt.NDArray[np.int32]


class CellCounts(NamedTuple):
    """Number of cells of each case, and of their midpoints together."""

    closed: int  # case 1
    partly_open: int  # 2
    open: int  # 3
    words_of_tags: int  # 4
    words: int  # 5
    midpoints: int


def count_cells(openings: Openings, side: Side) -> CellCounts:
    """Return the number of cells and midpoints of a chart for these openings, in O(n)."""
    begins, ends, unaries = as_of_sentence(openings)
    if side == "right":  # the mirror image
        begins, ends = ends[::-1], begins[::-1]
    words = len(begins)
    begins_before = np.concatenate(
        [[0], np.cumsum(begins)[:-1]]
    )  # [end]: number of cells of several words in its column
    columns = int(begins_before.sum())
    open_cells = int(begins_before[ends].sum())
    between = begins_before * (begins_before - 1) // 2  # midpoints before the last, by column
    return CellCounts(
        words * (words - 1) // 2 - columns,
        columns - open_cells,
        open_cells,
        int((~unaries).sum()),
        int(unaries.sum()),
        columns + int(between[ends].sum()),
    )


@dataclass(frozen=True, eq=False)
class ClosedCells:
    """Closed cells of a sentence, given by its openings."""

    openings: Openings  # with the flags that the whole sentence implies

    @classmethod
    def of(cls, openings: Openings) -> ClosedCells:
        return cls(as_of_sentence(openings))

    def cells_of(self, columns: slice, side: Side) -> tuple[Ints, Ints, Flags]:
        """Return end and begin of each cell in some columns that is not closed, and whether it is open."""
        begins, ends, unaries = self.openings
        words = np.arange(len(begins), dtype=np.int32)
        end = words[columns, None]
        if side == "left":
            is_there = np.repeat(begins[None], len(end), axis=0)
        else:
            is_there = np.repeat(ends[columns, None], len(words), axis=1)
        row, begin = np.nonzero((is_there & (words < end)) | (words == end))
        last = words[columns][row]
        is_open = ends[last] if side == "left" else begins[begin]
        return last, words[begin], np.where(begin < last, is_open, unaries[last])

    def columns_shared(self, other: ClosedCells) -> int:
        """Return the number of columns, from the first on, that have the same cells in both."""
        here, there = self.openings, other.openings
        shared = min(len(here.begins), len(there.begins))
        cut = slice(shared)
        for is_same, column in (
            (here.ends[cut] == there.ends[cut], np.arange(shared)),
            (here.unaries[cut] == there.unaries[cut], np.arange(shared)),
            (here.begins[cut] == there.begins[cut], np.arange(1, shared + 1)),
        ):
            shared = min(shared, int(column[~is_same].min(initial=shared)))
        return shared


def as_of_sentence(openings: Openings) -> Openings:
    """Return the flags with those set that the whole sentence, as a constituent, implies."""
    begins, ends, unaries = (np.array(each, np.bool_) for each in openings)
    begins[:1] = True
    ends[-1:] = True
    unaries |= len(unaries) == 1
    return Openings(begins, ends, unaries)


def check_openings(openings: Openings, words: int) -> Openings:
    """Return the flags as arrays; an InputError says which are not one boolean for every word."""
    flags: list[Flags] = []
    for name, given in zip(Openings._fields, openings, strict=True):
        array: npt.NDArray[np.bool_] = np.asarray(given)
        if array.shape != (words,) or array.dtype != np.bool_:
            raise InputError(
                f"the flags of {name} have shape {array.shape} and type {array.dtype}: "
                f"give True or False for each of {words} words"
            )
        flags.append(array)
    return Openings(*flags)
