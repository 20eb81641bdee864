"""Templates of tagger features, and the features of words by these (Roark et al. 2012, Table 2).

The number of an atom is a hash of 64 bits, so no word list is needed. 0 is for missing atoms: a third letter,
a digit, or, for frequent words, all affixes and the shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.kernels import tagging

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


Keys: TypeAlias = npt.NDArray[np.uint64]  # [word, template], 0 for none

REACH: Final = 2  # number of words on each side
MOST_FIELDS: Final = 3
ONES: Final = (1,) * MOST_FIELDS


class Field(NamedTuple):
    """Field of a template: a kind of atom of the word at an offset."""

    kind: str
    offset: int

    def __str__(self) -> str:
        return f"{self.kind}{self.offset:+d}" if self.offset else self.kind


Template: TypeAlias = tuple[Field, ...]


def _runs(kind: str, *runs: tuple[int, ...]) -> tuple[Template, ...]:
    return tuple(tuple(Field(kind, offset) for offset in run) for run in runs)


def template_name(template: Template) -> str:
    """Return the name of a template: its fields, "always" for none."""
    return ",".join(map(str, template)) or "always"


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
    """Templates with precomputed index arrays."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        self.names = tuple(map(template_name, templates))
        constant = (len(NUMBER_OF_KIND), 0)
        fields = [
            [(NUMBER_OF_KIND[field.kind], field.offset) for field in template]
            + [constant] * (MOST_FIELDS - len(template))
            for template in templates
        ]
        kinds, offsets = np.moveaxis(np.array(fields), -1, 0)
        self._kinds, self._offsets = np.ascontiguousarray(kinds), offsets + REACH
        self._seeds = np.array([atom(f"template {name}") for name in self.names], np.uint64)

    def keys(self, atoms: Atoms) -> Keys:
        """Return the features of all words, as hashes of 64 bits."""
        around = np.full((len(atoms) + 2 * REACH, atoms.shape[1] + 1), atom(OUTSIDE), np.uint64)
        around[REACH:-REACH, :-1] = atoms
        around[:, -1] = 1
        keys = np.empty((len(atoms), len(self.templates)), np.uint64)
        tagging.join_atoms(around, self._kinds, self._offsets, self._seeds, keys)
        return keys

    def keys_of_names(self, names: Sequence[str]) -> npt.NDArray[np.uint64]:
        """Return the keys of features given by name; KeyError if there is no such template."""
        places = {name: place for place, name in enumerate(self.names)}
        hashed = lru_cache(KEPT)(atom)
        numbers, rows = np.empty(len(names), np.int64), []
        for row, name in enumerate(names):
            template, *texts = name.split(" ")
            numbers[row] = places[template]
            rows.append([*map(hashed, texts), *ONES[len(texts) :]])
        fields = np.array(rows, np.uint64).reshape(-1, MOST_FIELDS)
        keys = np.empty((len(names), 1), np.uint64)
        kinds, offsets = np.arange(MOST_FIELDS)[None], np.zeros((1, MOST_FIELDS), np.int64)
        for number, seed in enumerate(self._seeds):
            found = numbers == number
            of_template = np.empty((int(found.sum()), 1), np.uint64)
            tagging.join_atoms(fields[found], kinds, offsets, np.array([seed]), of_template)
            keys[found] = of_template
        return keys[:, 0]


class FeatureTexts:
    """Texts of the atoms of sentences, for readable names of features."""

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        frequent: frozenset[str],
        tags: Sequence[Sequence[str]] | None = None,
    ) -> None:
        outside = (OUTSIDE,) * len(NUMBER_OF_KIND)
        self._rows: list[tuple[str, ...]] = []
        self._places: list[int] = []
        strings = lru_cache(KEPT)(atom_strings)
        for number, words in enumerate(sentences):
            self._rows += [outside] * REACH
            self._places += range(len(self._rows), len(self._rows) + len(words))
            told = tags[number] if tags else [""] * len(words)
            self._rows += [
                (*strings(word, word not in frequent), tag) for word, tag in zip(words, told, strict=True)
            ]
        self._rows += [outside] * REACH

    def name(self, word: int, template: Template) -> str:
        """Return the name of a word's feature: template and texts; words count over all sentences."""
        rows, place = self._rows, self._places[word]
        found = (rows[place + field.offset][NUMBER_OF_KIND[field.kind]] for field in template)
        return " ".join([template_name(template), *found])
