"""Training examples of a scorer of spans: whole sentences and prefixes, with the constituents of trees.

A prefix has the constituents that have begun within it; those that go on beyond it are open. Words count from
0 here, and the future is one more word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.plain_phrases import written_words
from treewhile.incremental.parsers.span_layers import Chain
from treewhile.oracles.constituents.openings import Openings, openings_of
from treewhile.oracles.constituents.phrase_trees import Constituent, Phrase, constituents_of
from treewhile.oracles.errors import InputError

Chains: TypeAlias = dict[tuple[int, int], Chain]  # by first and last words

RAREST_CHAIN: Final = 10  # occurrences that make a chain known
UNKNOWN: Final = -100  # label of an unknown chain


class BracketedSentence(NamedTuple):
    """Words of a tree, its constituents without the root, outer first, and the openings at words."""

    words: tuple[str, ...]
    constituents: tuple[Constituent, ...]
    openings: Openings

    @classmethod
    def of(cls, phrase: Phrase) -> BracketedSentence:
        """Return the sentence of a plain tree, whose outermost phrase is the root, whatever its label."""
        return cls(written_words(phrase.leaves), constituents_of(phrase)[1:], openings_of(phrase))

    def seen(self, words: int, is_open: bool) -> tuple[Constituent, ...]:
        """Return the constituents of the first words, or of all; in an open prefix, some are open."""
        if not is_open:
            return self.constituents
        begun = (one for one in self.constituents if one.first <= words)
        return tuple(one._replace(last=None) if (one.last or 0) > words else one for one in begun)


class SpanExample(NamedTuple):
    """Gold spans over some words, with the numbers of their labels, and the openings."""

    words: int
    is_open: bool
    spans: npt.NDArray[np.intp]  # [span, (first, last)]
    labels: npt.NDArray[np.int64]  # [span]
    openings: npt.NDArray[np.float32]  # [word, flag], as in `Openings`


def chains_of(constituents: Iterable[Constituent], words: int) -> Chains:
    """Return the chains of labels over the same words, outer first."""
    chains: Chains = {}
    for label, first, last in constituents:
        place = first - 1, words if last is None else last - 1
        chains[place] = (*chains.get(place, ()), label)
    return chains


def known_chains(sentences: Iterable[tuple[Sequence[Constituent], int]]) -> tuple[Chain, ...]:
    """Return the frequent chains in constituents of so many words, the most frequent first."""
    counts = Counter(chain for some, words in sentences for chain in chains_of(some, words).values())
    if not counts:
        raise InputError("the trees have no constituents below their roots: give others to learn from")
    least = min(RAREST_CHAIN, max(counts.values()))
    kept = [chain for chain, count in counts.items() if count >= least]
    return tuple(sorted(kept, key=lambda chain: (-counts[chain], chain)))


def example_of(
    sentence: BracketedSentence, words: int, is_open: bool, labels: Sequence[Chain]
) -> SpanExample:
    """Return the example of the first words."""
    chains = chains_of(sentence.seen(words, is_open), words)
    spans = np.array([*chains], np.intp).reshape(-1, 2)
    numbers = {chain: number for number, chain in enumerate(labels)}
    named = np.array([numbers.get(chain, UNKNOWN) for chain in chains.values()], np.int64)
    flags = np.array(sentence.openings).T[:words]
    return SpanExample(words, is_open, spans, named, flags.astype(np.float32))
