"""Where sentences end by the last two words alone: trigrams with interpolated absolute discounting.

Ney, Essen & Kneser 1994: each order takes a constant from its counts, n1 / (n1 + 2 n2) by how many trigrams
were seen once and twice, and gives what it took to the next order below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.scores.completeness_scores import LabelledPrefixes

BEFORE: Final = "\n"  # what stands before the first word
END: Final = "\n\n"  # what follows the last one
Event = tuple[Hashable, str]  # words, and the one that follows them


class EndTrigrams:
    """How probable it is that a sentence ends, learnt from prefixes and by their last two words."""

    def __init__(self, material: Iterable[LabelledPrefixes]) -> None:
        events = [event for one in material for event in _events(one)]
        self._trigrams = _Order((pair, following) for pair, following in events)
        self._bigrams = _Order((pair[1], following) for pair, following in events)
        self._ends = sum(following == END for _, following in events) / max(1, len(events))

    def ends(self, material: Iterable[LabelledPrefixes]) -> Array:
        """[prefix]: probabilities."""
        return np.array([self._of(pair) for one in material for pair in _pairs(one)], np.float32)

    def _of(self, pair: tuple[str, str]) -> float:
        return self._trigrams.end(pair, self._bigrams.end(pair[1], self._ends))


class _Order:
    """What follows words, by counts less a constant."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._counts = Counter(events)
        self._total: Counter[Hashable] = Counter()
        self._kinds: Counter[Hashable] = Counter()
        for (words, _), times in self._counts.items():
            self._total[words] += times
            self._kinds[words] += 1
        of_times = Counter(self._counts.values())
        self._discount = of_times[1] / max(1, of_times[1] + 2 * of_times[2])

    def end(self, words: Hashable, below: float) -> float:
        """The probability that nothing follows words, given that of the order below."""
        total = self._total[words]
        if not total:
            return below
        seen = max(0.0, self._counts[words, END] - self._discount)
        return (seen + self._discount * self._kinds[words] * below) / total


def _events(one: LabelledPrefixes) -> Iterator[tuple[tuple[str, str], str]]:
    """The last two words of each prefix, and what follows."""
    for pair, count, (_, ends) in zip(_pairs(one), one.counts, one.truth, strict=True):
        yield pair, END if ends else one.words[count]


def _pairs(one: LabelledPrefixes) -> list[tuple[str, str]]:
    words: Sequence[str] = (BEFORE, *one.words)
    return [(words[count - 1], words[count]) for count in one.counts]
