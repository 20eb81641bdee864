"""What the features of taggers are made of: numbers by word for the word itself, its ends and its shape.

A number is a hash of 64 bits, so that no list of words has to be kept. 0 is for what a word has not: a third
letter, a digit, or, where it is frequent, an end and a shape at all.
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
OUTSIDE: Final = "()"  # what is before and behind a sentence; no word of a bracketed tree has brackets
YES: Final = "yes"
KEPT: Final = 1 << 16  # words whose atoms are remembered


def atom_strings(word: str, is_rare: bool) -> tuple[str, ...]:
    """What a word has of each kind but the tag, "" where it has none (Roark et al. 2012, Table 2)."""
    if not is_rare:
        return (word, *[""] * (len(KINDS) - 2))
    sizes = range(1, LONGEST_END + 1)
    prefixes = (word[:size] if size <= len(word) else "" for size in sizes)
    suffixes = (word[-size:] if size <= len(word) else "" for size in sizes)
    shape = (any(map(str.isdigit, word)), any(map(str.isupper, word)), "-" in word)
    return (word, *prefixes, *suffixes, *(YES if holds else "" for holds in shape))


def atom(text: str) -> int:
    """The hash of a text, 0 for none."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") if text else 0


class WordAtoms:
    """Atoms of sentences, given the words that are frequent."""

    def __init__(self, frequent: Iterable[str]) -> None:
        self.frequent = frozenset(frequent)
        self._row = lru_cache(KEPT)(self._atoms_of)

    def of(self, words: Sequence[str]) -> Atoms:
        """Atoms of all kinds, that of the tag being 0."""
        return np.array([self._row(word) for word in words], np.uint64).reshape(len(words), len(KINDS))

    def _atoms_of(self, word: str) -> Atoms:
        strings = atom_strings(word, word not in self.frequent)
        return np.array([*map(atom, strings), 0], np.uint64)


def tag_atoms(tags: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.array([*map(atom, tags)], np.uint64)
