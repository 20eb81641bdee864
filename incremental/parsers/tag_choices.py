"""Likely tags of words, of which a search may choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from treewhile.incremental.parsers.layers import Array, Rows

MOST_TAGS: Final = 3  # of a word


class TagChoice(NamedTuple):
    """Tag with the features that go with it, and how likely it is."""

    tag: str
    features: str
    log: float = 0.0  # logarithm of its probability, divided by that of the word's likeliest tag


TagChoices: TypeAlias = tuple[tuple[TagChoice, ...], ...]  # of each word, the likeliest first

FindTagChoices: TypeAlias = Callable[[float], TagChoices]  # given the least probability, as in `TagChoice`


def likely_tags(logs: Array, tags: Rows, least: float) -> Iterator[list[tuple[int, float]]]:
    """Yield the numbers of the likely tags of each word, the word's own included, with relative logarithms.

    logs[word, tag] are log-probabilities. Tags less likely than `least`, relative to the likeliest, are left
    out, and so are all but the first few.
    """
    relative = logs - logs.max(axis=1, keepdims=True)
    for of_word, own in zip(relative.astype(np.float64), tags.tolist(), strict=True):
        order = np.argsort(-of_word, kind="stable")[:MOST_TAGS].tolist()
        likely = [tag for tag in order if tag == own or of_word[tag] >= np.log(least)]
        if own not in likely:
            likely = [*likely[: MOST_TAGS - 1], own]
        yield [(tag, float(of_word[tag])) for tag in likely]
