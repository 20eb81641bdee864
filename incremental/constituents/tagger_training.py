"""Training of taggers by the averaged perceptron (Collins 2002), from words with known tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.kernels import tagging
from treewhile.incremental.constituents.sequence_taggers import (
    NOT_FIXED,
    Floats,
    Numbers,
    SequenceTagger,
    columns_of,
    states_of,
)
from treewhile.incremental.constituents.tagger_features import FeatureTexts, Keys, Templates

DECIMALS = 2  # of weights
GROUPS_OF_TAGS = (0, 1, 3)  # by order: none; the previous tag; one and both previous tags


class Learnt(NamedTuple):
    """Tagger with its number of correct development tags after each epoch."""

    tagger: SequenceTagger
    right: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TaggedSentences:
    """Concatenated sentences: their features, gold tags, and fixed tags, or -1."""

    texts: FeatureTexts
    keys: Keys
    starts: npt.NDArray[np.int64]  # starts of the sentences, and the end of the last one
    gold: Numbers
    fixed: Numbers

    @classmethod
    def of(
        cls,
        texts: FeatureTexts,
        keys: Sequence[Keys],
        gold: Sequence[Numbers],
        fixed: Sequence[Numbers] | None = None,
    ) -> TaggedSentences:
        starts = np.cumsum([0, *map(len, gold)])
        told = fixed or [np.full(len(tags), NOT_FIXED, np.int32) for tags in gold]
        return cls(texts, np.concatenate(keys), starts, np.concatenate(gold), np.concatenate(told))


@dataclass(frozen=True)
class TaggerShape:
    """Properties of a tagger to be trained."""

    tags: tuple[str, ...]
    order: int
    templates: Templates
    is_conditioned: bool


@dataclass(frozen=True)
class Patience:
    """Maximum number of epochs, and of epochs without improvement."""

    epochs: int = 15
    without_better: int = 3


def learnt_tagger(
    shape: TaggerShape,
    train: TaggedSentences,
    dev: TaggedSentences,
    seed: int,
    patience: Patience = Patience(),
    advance: Callable[[int], None] = lambda epoch: None,
    least: int = 1,
) -> Learnt:
    """Return the tagger of the best epoch on `dev`, by features seen at least `least` times."""
    run = _Run(shape, train, least)
    random = np.random.default_rng(seed)
    best: SequenceTagger | None = None
    right: list[int] = []
    for epoch in range(patience.epochs):
        run.learn(random.permutation(len(train.starts) - 1))
        tagger = run.averaged()
        right.append(right_tags(tagger, dev))
        advance(epoch + 1)
        if right[-1] > max(right[:-1], default=-1):
            best = tagger
        elif len(right) - right.index(max(right)) > patience.without_better:
            break
    assert best is not None
    return Learnt(best, tuple(right))


def right_tags(tagger: SequenceTagger, sentences: TaggedSentences) -> int:
    """Return the number of correct tags among those that are not fixed."""
    right = 0
    for first, behind in zip(sentences.starts[:-1], sentences.starts[1:], strict=True):
        fixed, gold = sentences.fixed[first:behind], sentences.gold[first:behind]
        guess = tagger.best_tags(sentences.keys[first:behind], fixed)
        right += int(((guess == gold) & (fixed == NOT_FIXED)).sum())
    return right


class _Run:
    """State of training: weights, and sums for their averages."""

    def __init__(self, shape: TaggerShape, train: TaggedSentences, least: int) -> None:
        self._shape, self._train, self._clock = shape, train, 1
        found, self._places, numbers, counts = np.unique(train.keys, True, True, True)
        kept = (found != 0) & (counts >= least)
        self._places = self._places[kept]  # first occurrence of each feature
        renumbered = np.where(kept, np.cumsum(kept) - 1, tagging.NOWHERE).astype(np.int32)
        self._features = renumbered[numbers.reshape(train.keys.shape)]
        tags = len(shape.tags)
        self._weights = np.zeros((len(self._places), columns_of(tags, shape.is_conditioned)))
        self._pairs = np.zeros((GROUPS_OF_TAGS[shape.order], states_of(tags, shape.order), tags))
        self._sums, self._pair_sums = np.zeros_like(self._weights), np.zeros_like(self._pairs)

    def learn(self, order: npt.NDArray[np.int64]) -> None:
        train, tags = self._train, len(self._shape.tags)
        learnt = (self._weights, self._sums, self._pairs, self._pair_sums)
        told = (order, train.starts, self._features, train.gold, train.fixed, tags)
        tagging.learn(*told, *learnt, self._clock)
        self._clock += len(order)

    def averaged(self) -> SequenceTagger:
        """Return the tagger with the averages of all weights so far, without zeros."""
        weights = np.round(self._weights - self._sums / self._clock, DECIMALS).astype(np.float32)
        pairs = self._pairs - self._pair_sums / self._clock
        features, columns = np.nonzero(weights)
        counts = np.bincount(features, minlength=len(weights))
        used = counts > 0
        starts = np.concatenate([[0], np.cumsum(counts[used])])
        shape = self._shape
        return SequenceTagger(
            shape.tags,
            shape.order,
            shape.templates,
            shape.is_conditioned,
            self._names(used),
            starts.astype(np.int32),
            columns.astype(np.int32),
            weights[features, columns],
            transitions_of(pairs, len(shape.tags)),
        )

    def _names(self, used: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        """Return the names of features, looked up at their first occurrences."""
        templates = self._shape.templates.templates
        places = (divmod(place, len(templates)) for place in self._places[used].tolist())
        return tuple(self._train.texts.name(word, templates[template]) for word, template in places)


def transitions_of(pairs: Floats, tags: int) -> Floats:
    """Return the transitions between states, given weights of adjacent tags."""
    transitions: Floats = np.round(tagging.transitions_of(pairs, tags), DECIMALS)
    return transitions
