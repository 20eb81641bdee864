"""Other ways to write the sentences of a treebank: as speech recognizers do, and between that and print.

A parser that has read print alone takes words without capitals and marks for other words. The tree of a
sentence stays: only punctuation without children is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from treewhile.incremental.treebanks.treebank import Word

Words = Sequence[Word]

PUNCTUATION: Final = "PUNCT"
FINAL_MARKS: Final = (".", "!", "?", "…")


def as_spoken(words: Words) -> Words:
    """Return the words in lower case, without punctuation that has no children."""
    return in_lower_case(_without(words, _marks(words)))


def in_lower_case(words: Words) -> Words:
    """Return the words in lower case."""
    return [word._replace(form=word.form.lower()) for word in words]


def with_small_beginning(words: Words) -> Words:
    """Return the words, the first of which has no capital at its beginning."""
    first, *others = words
    return [first._replace(form=first.form[:1].lower() + first.form[1:]), *others]


def without_final_mark(words: Words) -> Words:
    """Return the words without the mark at the end, if that has no children."""
    last = words[-1]
    ends = last.form in FINAL_MARKS and int(last.id) in _marks(words)
    return _without(words, [int(last.id)] if ends else [])


# Ways with the shares of sentences that are written so, of those that are not written as in the treebank.
WAYS: Final[Sequence[tuple[Callable[[Words], Words], float]]] = (
    (as_spoken, 0.6),
    (in_lower_case, 0.15),
    (lambda words: with_small_beginning(without_final_mark(words)), 0.1),
    (without_final_mark, 0.15),
)


def written_in_another_way(words: Words, random: np.random.Generator) -> Words:
    """Return the words of a sentence in one of the ways, drawn at random."""
    way, _ = WAYS[random.choice(len(WAYS), p=[share for _, share in WAYS])]
    return way(words)


def _marks(words: Words) -> set[int]:
    """Return the places of punctuation without children, the root's child apart."""
    heads = {word.head for word in words} | {"0"}
    marks = {int(word.id) for word in words if word.upos == PUNCTUATION and word.id not in heads}
    return {place for place in marks if words[place - 1].head != "0"}


def _without(words: Words, left_out: Collection[int]) -> Words:
    """Return the words without some that have no children, numbered anew."""
    kept = [word for word in words if int(word.id) not in left_out]
    numbers = {word.id: str(number) for number, word in enumerate(kept, 1)}
    return [word._replace(id=numbers[word.id], head=numbers.get(word.head, word.head)) for word in kept]
