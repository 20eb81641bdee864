"""Atoms of tagger features: numbers for a word itself, its prefixes, suffixes and shape.

A number is a hash of 64 bits, so no word list is needed. 0 is for missing atoms: a third letter, a digit, or,
for frequent words, all affixes and the shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

Atoms = npt.NDArray[np.uint64]  # [word, kind]

LONGEST_END: Final = 4
KINDS: Final = (
    "word",
    *(f"prefix{size}" for size in range(1, LONGEST_END + 1)),
    *(f"suffix{size}" for size in range(1, LONGEST_END + 1)),
    "digit",
    "upper",
    "hyphen",
    "tag",
)
NUMBER_OF_KIND: Final = {kind: number for number, kind in enumerate(KINDS)}
OUTSIDE: Final = "()"  # atom outside a sentence; no word of a bracketed tree has brackets
YES: Final = "yes"
KEPT: Final = 1 << 16  # number of words whose atoms are cached


def atom_strings(word: str, is_rare: bool) -> tuple[str, ...]:
    """Return the text of each atom of a word but the tag, "" for none (Roark et al. 2012, Table 2)."""
    if not is_rare:
        return (word, *[""] * (len(KINDS) - 2))
    sizes = range(1, LONGEST_END + 1)
    prefixes = (word[:size] if size <= len(word) else "" for size in sizes)
    suffixes = (word[-size:] if size <= len(word) else "" for size in sizes)
    shape = (any(map(str.isdigit, word)), any(map(str.isupper, word)), "-" in word)
    return (word, *prefixes, *suffixes, *(YES if holds else "" for holds in shape))


def atom(text: str) -> int:
    """Return the hash of a text, 0 for none."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") if text else 0


class WordAtoms:
    """Atoms of sentences, given the set of frequent words."""

    def __init__(self, frequent: Iterable[str]) -> None:
        self.frequent = frozenset(frequent)
        self._row = lru_cache(KEPT)(self._atoms_of)

    def of(self, words: Sequence[str]) -> Atoms:
        """Return the atoms of all kinds; that of the tag is 0."""
        return np.array([self._row(word) for word in words], np.uint64).reshape(len(words), len(KINDS))

    def _atoms_of(self, word: str) -> Atoms:
        strings = atom_strings(word, word not in self.frequent)
        return np.array([*map(atom, strings), 0], np.uint64)


def tag_atoms(tags: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.array([*map(atom, tags)], np.uint64)
