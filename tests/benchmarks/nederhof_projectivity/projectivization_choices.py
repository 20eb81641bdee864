"""How many best projective trees sentences have, by their length: Figure 8 of Nederhof 2019."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import exp, log
from statistics import fmean
from typing import Final, NamedTuple

from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import count_projectivizations

LENGTHS_TOGETHER: Final = 10


class Choices(NamedTuple):
    """The sentences of some lengths, and the geometric mean of the numbers of their best projective trees."""

    sentences: int
    trees: float


def choices_by_length(sentences: Iterable[Sentence]) -> dict[str, Choices]:
    """The choices of sentences of 1 to 10 words, of 11 to 20, and so on, as far as there are sentences."""
    logarithms: defaultdict[int, list[float]] = defaultdict(list)
    for sentence in sentences:
        heads = whole_tree(sentence)
        count = count_projectivizations(heads, single_root=True)
        logarithms[(len(heads) - 1) // LENGTHS_TOGETHER].append(log(count))
    return {
        _lengths(group): Choices(len(found), exp(fmean(found))) for group, found in sorted(logarithms.items())
    }


def _lengths(group: int) -> str:
    return f"{group * LENGTHS_TOGETHER + 1}-{(group + 1) * LENGTHS_TOGETHER}"
