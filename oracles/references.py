"""Reference trees: heads as callers write them, checked and turned into arrays.

Outside, `heads[i]` is the head of word i + 1; 0 is the root; None is unknown. Inside, words are indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles import kernels
from treewhile.oracles.errors import InputError


class Reference(NamedTuple):
    """A checked tree or forest; it can be given wherever heads can, and is not checked again."""

    heads: kernels.Ints  # [word], size n + 1; UNKNOWN where the head is not known, and for node 0
    is_projective: bool
    roots: int  # words under 0
    unknown: int  # words whose head is not known

    @property
    def n(self) -> int:
        return self.heads.size - 1


Numbers = Sequence[int | None] | npt.NDArray[np.integer]
Heads = Numbers | Reference


def as_reference(heads: Heads) -> Reference:
    """The checked heads; an InputError names the word that is wrong."""
    if isinstance(heads, Reference):
        return heads
    given, may_be_unknown = _as_numbers(heads.tolist() if isinstance(heads, np.ma.MaskedArray) else heads)
    array = np.empty(given.size + 1, dtype=np.int32)
    verdict, word, roots, unknown = kernels.examine_heads(given, may_be_unknown, array)
    if verdict > kernels.NON_PROJECTIVE:
        raise InputError(_complaint(array, int(given[word - 1]), verdict, word))
    return Reference(array, verdict == kernels.PROJECTIVE, roots, unknown)


def as_heads(array: kernels.Ints) -> list[int | None]:
    """Heads as callers write them."""
    return [None if head == kernels.UNKNOWN else head for head in array[1:].tolist()]


def _as_numbers(heads: Numbers) -> tuple[kernels.Longs, bool]:
    """The heads as integers, and whether UNKNOWN among them stands for None."""
    try:
        given = np.asarray(heads)
    except ValueError:  # sequences of several lengths where numbers belong
        given = np.empty(0)
    if given.dtype == np.int64 and given.ndim == 1:
        return given, False
    return np.array([_as_number(word, head) for word, head in enumerate(heads, 1)], dtype=np.int64), True


def _as_number(word: int, head: object) -> int:
    if head is None:
        return kernels.UNKNOWN
    if isinstance(head, bool) or not isinstance(head, int | np.integer):
        raise InputError(
            f"the head of word {word} is {head!r:.40}: give a whole number, or None where it is unknown"
        )
    if not 0 <= head < 2**31:
        raise InputError(f"the head of word {word} is {head}: heads run from 0 (the root) to the last word")
    return int(head)


def _complaint(heads: kernels.Ints, head: int, verdict: int, word: int) -> str:
    n = heads.size - 1
    if verdict == kernels.OUT_OF_RANGE:
        return f"the head of word {word} is {head}, but heads run from 0 (the root) to {n}, the last word"
    if verdict == kernels.OWN_HEAD:
        return f"word {word} is its own head: give another one, or None where it is unknown"
    return (
        f"the heads go round in a circle: {_circle(heads, word)}; "
        "every word has to lead up to 0, or to a word whose head is unknown"
    )


def _circle(heads: kernels.Ints, word: int) -> str:
    around = [word]
    while len(around) < 2 or around[-1] != word:
        around.append(int(heads[around[-1]]))
    if len(around) > 12:
        around[6:-6] = [-1]
    return " <- ".join("..." if node < 0 else str(node) for node in around)
