"""Storage of a chart's cells, and counters of the work done.

Cells are numbered: those that end with the same word stand together, by increasing begin, and the cell of the
word alone comes last. A closed cell (case 1 of `closed_cells`) has no number. The symbols in a cell are
*entries*, one after another; complete symbols also have a row of values for each cell, indexed by symbol.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

# Counters of the cells that are filled, by case, and of midpoints.
COUNTED: Final = 5
PARTLY_OPEN, OPEN, WORD_OF_TAGS, WORD, MIDPOINTS = range(COUNTED)


class Cells(NamedTuple):
    """Arrays by cell, by entry and by word, with spare room at their ends."""

    begin: npt.NDArray[np.int32]  # [cell]
    end: npt.NDArray[np.int32]
    is_open: npt.NDArray[np.bool_]  # to complete symbols; over one word to phrases
    complete: npt.NDArray[np.float64]  # [cell, symbol]
    below: npt.NDArray[np.int16]  # [cell, symbol]: bottom of its best unary chain; itself without one
    first_entry: npt.NDArray[np.int64]  # [cell]
    entries: npt.NDArray[np.int32]
    symbol: npt.NDArray[np.int32]  # [entry]
    value: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]  # [end]: the first cell that ends with a word


BY_CELL: Final = range(7)
BY_ENTRY: Final = range(7, 9)
BY_END: Final = range(9, 10)


def no_cells(complete: int) -> Cells:
    """Return arrays without room."""
    by_symbol = ((0, complete), (0, complete))
    shapes = (0, 0, 0, *by_symbol, 0, 0, 0, 0, 1)
    kinds = ("i4", "i4", "?", "f8", "i2", "i8", "i4", "i4", "f8", "i8")
    return Cells(*(np.zeros(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)))


def with_room(cells: Cells, many: int, entries: int, ends: int) -> Cells:
    """Return the cells with room for at least this many cells, entries and ends; arrays that have it stay."""
    wanted = [(BY_CELL, many), (BY_ENTRY, entries), (BY_END, ends + 1)]
    size = {place: rows for places, rows in wanted for place in places}
    return Cells(*(_grown(array, size[place]) for place, array in enumerate(cells)))


def bytes_of(cells: Cells) -> int:
    return sum(array.nbytes for array in cells)


def _grown(array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    if rows <= len(array):
        return array
    grown = np.empty((max(rows, len(array) * 3 // 2), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
