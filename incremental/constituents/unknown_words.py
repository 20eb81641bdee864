"""Tag probabilities of words, by counts in a treebank, and by shape for rare words.

The probability of a tag given a word w that was seen c(w) times is

    p(tag | w) = (c(tag, w) + p(tag | shape of w)) / (c(w) + 1)

so the shape counts like one more occurrence, and decides alone for unknown words. Shapes are counted over
rare words, from general to special: any word; its class by capitals, digits and hyphens; this with its last
letter, two, three. Each is mixed with the previous one by the same rule. The tag by a tagger, in context,
counts as much as all evidence without context. A score is log p(tag | w) - log p(tag), which by Bayes' rule
is log p(w | tag) up to a constant of the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

RARE: Final = 5  # words seen fewer times are counted by shape, too
LEAST: Final = 1e-3  # minimum probability of a tag of a word
LONGEST_SUFFIX: Final = 3
KEPT: Final = 1 << 16  # number of words whose probabilities by shape are cached


class WordTags:
    """Tag probabilities from counts of words with their tags; tags are in the order of `tags`."""

    def __init__(self, counts: Mapping[tuple[str, str], int], tags: Sequence[str]) -> None:
        """Count words by `counts[tag, word]`."""
        self.tags = tuple(tags)
        self._none = np.zeros(len(tags))
        self._numbers = number = {tag: place for place, tag in enumerate(tags)}
        self._words: dict[str, Floats] = {}
        for (tag, word), count in counts.items():
            self._words.setdefault(word, self._none.copy())[number[tag]] += count
        self._shapes: dict[str, Floats] = {}
        for word, row in self._words.items():
            if row.sum() < RARE:
                for shape in shapes(word):
                    self._shapes.setdefault(shape, self._none.copy())[:] += row
        self._all: Floats = np.sum([*self._words.values()], axis=0) / sum(counts.values())
        self._by_shape = lru_cache(KEPT)(self._mixed_shapes)

    def scores(self, words: Sequence[str], by_tagger: Sequence[str] | None = None) -> Floats:
        """Return the score of each tag for each word of a sentence, [word, tag]; -inf for improbable tags.

        `by_tagger` has a tag for each word, ignored if unknown. At least one tag of each word remains.
        """
        known = [self._known_form(word, at) for at, word in enumerate(words)]
        counts = np.array([self._words.get(word, self._none) for word in known]).reshape(-1, len(self.tags))
        by_shape = np.array([self._by_shape(word) for word in known]).reshape(counts.shape)
        chances = _mixed(counts, by_shape)
        if by_tagger is not None:
            chances = self._halfway_to(by_tagger, chances)
        left_out = chances < np.minimum(LEAST, chances.max(axis=1, initial=0, keepdims=True))
        with np.errstate(divide="ignore"):
            scores: Floats = np.log(chances) - np.log(self._all)
        scores[left_out] = -np.inf
        return scores

    def _halfway_to(self, by_tagger: Sequence[str], chances: Floats) -> Floats:
        told = np.zeros_like(chances)
        for row, tag in zip(told, by_tagger, strict=True):
            if tag in self._numbers:
                row[self._numbers[tag]] = 1
        is_told = told.any(axis=1, keepdims=True)
        return np.where(is_told, (chances + told) / 2, chances)

    def _known_form(self, word: str, at: int) -> str:
        """Return the word, in lower case if it is sentence-initial and only known so."""
        return word.lower() if at == 0 and word not in self._words and word.lower() in self._words else word

    def _mixed_shapes(self, word: str) -> Floats:
        chances = self._all
        for shape in shapes(word):
            chances = _mixed(self._shapes.get(shape, self._none), chances)
        return chances


def _mixed(counts: Floats, chances: Floats) -> Floats:
    """Return the probabilities by counts, with prior ones that count like one occurrence."""
    return np.asarray((counts + chances) / (counts.sum(axis=-1, keepdims=True) + 1), np.float64)


def shapes(word: str) -> Iterator[str]:
    """Yield the shapes of a word, from general to special."""
    yield ""
    yield (word_class := _word_class(word))
    for size in range(1, min(LONGEST_SUFFIX, len(word) - 1) + 1):
        yield f"{word_class} -{word[-size:].lower()}"


def _word_class(word: str) -> str:
    """Return the class of a word by its capitals, digits and hyphens."""
    letters = "capitals" if word.isupper() and len(word) > 1 else "capital" if word[:1].isupper() else "small"
    if not any(map(str.isalpha, word)):
        letters = "none"
    digits = "digits" if any(map(str.isdigit, word)) else ""
    return " ".join(filter(None, [letters, digits, "hyphen" if "-" in word[1:] else ""]))
