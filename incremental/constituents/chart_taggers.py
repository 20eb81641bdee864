"""Taggers for the probability that a word begins or ends a constituent of several words, or is one.

Roark, Hollingshead & Bodenstab 2012, Sections 5 and 6.2: three taggers of two tags over words and parts of
speech. The first word begins the whole sentence and ends nothing, the last one ends it and begins nothing, so
neither is tagged there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.sequence_taggers import NOT_FIXED, Numbers, SequenceTagger
from treewhile.incremental.constituents.tagger_features import (
    NUMBER_OF_KIND,
    Keys,
    Templates,
    WordAtoms,
    tag_atoms,
)

CLOSED, OPEN = range(2)
TAGS: Final = ("closed", "open")

Scores = npt.NDArray[np.float64]


class Openness(NamedTuple):
    """Logarithms of S(open) / S(closed), the cumulative scores of both tags, by word from 0.

    They are infinite for words that are certain.
    """

    begins: Scores
    ends: Scores
    unaries: Scores


@dataclass(frozen=True, eq=False)
class ChartTaggers:
    """Taggers, and the words that are frequent enough to ignore their letters."""

    parts_of_speech: SequenceTagger
    begins: SequenceTagger
    ends: SequenceTagger
    unaries: SequenceTagger
    frequent: frozenset[str]

    def openness(self, words: Sequence[str], tags: Numbers | None = None) -> Openness:
        """Return the odds that each word is open, by cumulative scores; `tags` are predicted if missing."""
        keys = self.features(words, self.tags(words) if tags is None else tags)
        first_and_last = (fixed_begins(len(words)), fixed_ends(len(words)), None)
        taggers = (self.begins, self.ends, self.unaries)
        return Openness(*map(_ratios, taggers, (keys,) * 3, first_and_last))

    def tags(self, words: Sequence[str]) -> Numbers:
        """Return the numbers of the parts of speech of words."""
        return self.parts_of_speech.best_tags(self.tag_features(words))

    def names_of(self, tags: Numbers) -> list[str]:
        """Return the names of parts of speech by their numbers."""
        return [self.parts_of_speech.tags[tag] for tag in tags]

    def tag_features(self, words: Sequence[str]) -> Keys:
        """Return the features for parts of speech of words, with the letters of all words."""
        return self.parts_of_speech.templates.keys(self._all_atoms.of(words))

    def features(self, words: Sequence[str], tags: Numbers) -> Keys:
        """Return the features for boundaries of constituents."""
        return boundary_features(self.begins.templates, self._atoms, words, self._atoms_of_tags[tags])

    @cached_property
    def _atoms(self) -> WordAtoms:
        return WordAtoms(self.frequent)

    @cached_property
    def _all_atoms(self) -> WordAtoms:
        return WordAtoms(())

    @cached_property
    def _atoms_of_tags(self) -> npt.NDArray[np.uint64]:
        return tag_atoms(self.parts_of_speech.tags)


def boundary_features(
    templates: Templates, atoms: WordAtoms, words: Sequence[str], tags: npt.NDArray[np.uint64]
) -> Keys:
    """Return the features of words with the atoms of their tags."""
    rows = atoms.of(words)
    rows[:, NUMBER_OF_KIND["tag"]] = tags
    return templates.keys(rows)


def fixed_begins(words: int) -> Numbers:
    """Return the known tags: the first word begins, the last one does not; a single one does."""
    fixed = np.full(words, NOT_FIXED, np.int32)
    fixed[-1:], fixed[:1] = CLOSED, OPEN
    return fixed


def fixed_ends(words: int) -> Numbers:
    return fixed_begins(words)[::-1].copy()


def _ratios(tagger: SequenceTagger, keys: Keys, fixed: Numbers | None) -> Scores:
    sums = tagger.log_sums(keys, fixed)
    ratios: Scores = sums[:, OPEN] - sums[:, CLOSED]
    return ratios
