"""Templates of features of taggers, and the features that words have of them (Roark et al. 2012, Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.kernels import tagging
from treewhile.incremental.constituents.word_atoms import (
    LONGEST_END,
    NUMBER_OF_KIND,
    OUTSIDE,
    Atoms,
    atom,
)

Keys: TypeAlias = npt.NDArray[np.uint64]  # [word, template], 0 for none

REACH: Final = 2  # how many words to each side are seen
MOST_FIELDS: Final = 3


class Field(NamedTuple):
    """What a template has of a word so many words away."""

    kind: str
    offset: int

    def __str__(self) -> str:
        return f"{self.kind}{self.offset:+d}" if self.offset else self.kind


Template: TypeAlias = tuple[Field, ...]


def _runs(kind: str, *runs: tuple[int, ...]) -> tuple[Template, ...]:
    return tuple(tuple(Field(kind, offset) for offset in run) for run in runs)


ALWAYS: Final[tuple[Template, ...]] = ((),)
OF_WORDS: Final = _runs("word", (0,), (-1,), (1,), (-2,), (2,), (-1, 0), (0, 1))
OF_LETTERS: Final = tuple(
    (Field(kind, 0),)
    for kind in (
        *(f"{end}{size}" for end in ("prefix", "suffix") for size in range(1, LONGEST_END + 1)),
        "digit",
        "upper",
        "hyphen",
    )
)
OF_TAGS: Final = _runs(
    "tag",
    (0,),
    (-1,),
    (-1, 0),
    (1,),
    (0, 1),
    (-1, 0, 1),
    (-2,),
    (-2, -1),
    (-2, -1, 0),
    (2,),
    (1, 2),
    (0, 1, 2),
)
FOR_TAGS: Final = (*ALWAYS, *OF_WORDS, *OF_LETTERS)
FOR_BOUNDARIES: Final = (*FOR_TAGS, *OF_TAGS)


class Templates:
    """Templates with what is worked out of them once."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        constant = (len(NUMBER_OF_KIND), 0)
        fields = [
            [(NUMBER_OF_KIND[field.kind], field.offset) for field in template]
            + [constant] * (MOST_FIELDS - len(template))
            for template in templates
        ]
        kinds, offsets = np.moveaxis(np.array(fields), -1, 0)
        self._kinds, self._offsets = np.ascontiguousarray(kinds), offsets + REACH
        names = (",".join(map(str, template)) for template in templates)
        self._seeds = np.array([atom(f"template {name}") for name in names], np.uint64)

    def keys(self, atoms: Atoms) -> Keys:
        """The features of all words, as hashes of 64 bits."""
        around = np.full((len(atoms) + 2 * REACH, atoms.shape[1] + 1), atom(OUTSIDE), np.uint64)
        around[REACH:-REACH, :-1] = atoms
        around[:, -1] = 1
        keys = np.empty((len(atoms), len(self.templates)), np.uint64)
        tagging.join_atoms(around, self._kinds, self._offsets, self._seeds, keys)
        return keys
