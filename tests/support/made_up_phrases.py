"""Trees of phrases over any words: the same over the same words, and nothing that is meant."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from treewhile.oracles.constituents.phrase_trees import Constituent

LABELS = ("S", "NP", "VP", "PP")


def made_up_phrases(words: Sequence[str], is_open: bool) -> tuple[Constituent, ...]:
    """A tree of phrases, outer ones first, open along its right edge while the sentence is."""
    return tuple(_phrases(random.Random(" ".join(words)), 1, len(words), is_open))


def _phrases(source: random.Random, first: int, last: int, is_open: bool) -> Iterator[Constituent]:
    pending = [(first, last, is_open)]
    while pending:
        first, last, goes_on = pending.pop()
        for _ in range(source.choice([1, 1, 1, 2])):
            yield Constituent(source.choice(LABELS), first, None if goes_on else last)
        if first < last:
            middle = source.randrange(first, last)
            is_right_open = goes_on and source.random() < 0.7
            pending += [
                part
                for part in ((middle + 1, last, is_right_open), (first, middle, False))
                if source.random() < 0.8
            ]
