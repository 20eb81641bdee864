"""Prefixes of sentences, as spoken and as written, with gold completeness.

Spoken ones are lower-cased and have no punctuation. A prefix that only punctuation follows, ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from treewhile.incremental.completeness.gold_ends import PUNCTUATION, SaidSentence
from treewhile.incremental.parsers.completeness_layers import inputs_of
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.incremental.treebanks.treebank import Sentence


class LabelledPrefixes(NamedTuple):
    """Prefixes of one sentence: its words, the length of each prefix, and whether it may end, and ends."""

    words: tuple[str, ...]
    counts: tuple[int, ...]
    truth: tuple[tuple[bool, bool], ...]

    @classmethod
    def of_said(cls, sentence: Sentence) -> LabelledPrefixes:
        """Return lower-cased prefixes without punctuation."""
        said = SaidSentence.of(sentence)
        return cls._of([form.lower() for form in said.forms], range(1, len(said.forms) + 1), said.may_end())

    @classmethod
    def of_written(cls, sentence: Sentence) -> LabelledPrefixes:
        """Return the written prefixes with at least one spoken word."""
        places = accumulate(word.upos != PUNCTUATION for word in sentence.words)
        return cls._of([word.form for word in sentence.words], places, SaidSentence.of(sentence).may_end())

    @classmethod
    def _of(cls, words: Sequence[str], places: Iterable[int], may_end: Sequence[bool]) -> LabelledPrefixes:
        """Return the prefixes of a sentence, given the number of spoken words in each."""
        kept = [(count, place) for count, place in enumerate(places, 1) if place]
        truth = tuple((may_end[place - 1], place == len(may_end)) for _, place in kept)
        return cls(tuple(words), tuple(count for count, _ in kept), truth)


def said(sentences: Iterable[Sentence]) -> list[LabelledPrefixes]:
    """Return the spoken prefixes of every sentence that has any."""
    return [one for one in map(LabelledPrefixes.of_said, sentences) if one.counts]


def written(sentences: Iterable[Sentence]) -> list[LabelledPrefixes]:
    """Return the written prefixes of every sentence that has any."""
    return [one for one in map(LabelledPrefixes.of_written, sentences) if one.counts]


def truth_of(material: Sequence[LabelledPrefixes]) -> Array:
    """Return [prefix, (may end, ends)]: 0 or 1."""
    return np.array([labels for one in material for labels in one.truth], np.float32).reshape(-1, 2)


def inputs_by(model: Model, material: Sequence[LabelledPrefixes]) -> Array:
    """Return [prefix, input]: the input of a model's completeness layers."""
    return np.concatenate([_inputs(model, one) for one in material])


def _inputs(model: Model, one: LabelledPrefixes) -> Array:
    tops = model.network.causal.states(model.gates(one.words, FROM_LEFT), [len(one.words)]).top
    return inputs_of(tops[[count - 1 for count in one.counts]], one.counts)
