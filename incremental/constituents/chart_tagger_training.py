"""Taggers of parts of speech and of the boundaries of constituents, learnt from trees.

The tags that boundaries are learnt with are a tagger's own, as those of new sentences will be: each part of
the treebank is tagged by what has learnt the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.constituents.chart_taggers import (
    TAGS,
    ChartTaggers,
    boundary_features,
    fixed_begins,
    fixed_ends,
)
from treewhile.incremental.constituents.sequence_taggers import (
    NOT_FIXED,
    Numbers,
    SequenceTagger,
    tag_numbers,
)
from treewhile.incremental.constituents.tagger_features import (
    FOR_BOUNDARIES,
    FOR_TAGS,
    Keys,
    Templates,
)
from treewhile.incremental.constituents.tagger_training import (
    Learnt,
    Patience,
    TaggedSentences,
    TaggerShape,
    learnt_tagger,
)
from treewhile.incremental.constituents.tree_openings import openings_of
from treewhile.incremental.constituents.word_atoms import WordAtoms, tag_atoms
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError

FREQUENT: Final = 5  # words seen so often are taken as they are, without their letters
LEAST: Final = 2  # features seen so often are learnt
FOLDS: Final = 5
TAG_ORDER: Final = 1
TAGGING_PATIENCE: Final = Patience(epochs=10)
FOLD_PATIENCE: Final = Patience(epochs=4)

STEPS: Final = FOLDS + 4  # that `learnt_taggers` tells of


class LearntTaggers(NamedTuple):
    """The taggers, and the percentage of right tags of each on the trees that judge."""

    taggers: ChartTaggers
    accuracy: dict[str, float]


def learnt_taggers(
    train: Sequence[Phrase],
    dev: Sequence[Phrase],
    order: int,
    seed: int = 1,
    advance: Callable[[int], None] = lambda steps: None,
) -> LearntTaggers:
    """Taggers of Markov order 0, 1 or 2; `advance` takes how many of `STEPS` have been done since."""
    if not train or not dev:
        raise InputError("there are no trees to learn from, or none to judge: give both")
    words, judged = _words(train), _words(dev)
    parts = _PartsOfSpeech(train, dev, seed, advance)
    counts = Counter(chain.from_iterable(words))
    frequent = frozenset(word for word, count in counts.items() if count >= FREQUENT)
    atoms, templates = WordAtoms(frequent), Templates(FOR_BOUNDARIES)
    hashes = tag_atoms(parts.names)
    told = [(words, parts.of_train), (judged, parts.of_dev)]
    keys = [
        [boundary_features(templates, atoms, *pair) for pair in zip(told_words, tags, strict=True)]
        for told_words, tags in ((some, [hashes[one] for one in tags]) for some, tags in told)
    ]
    shape = TaggerShape(TAGS, order, FOR_BOUNDARIES, order > 0)
    gold = [[openings_of(tree) for tree in trees] for trees in (train, dev)]
    learnt = []
    for place, fix in enumerate((fixed_begins, fixed_ends, _nothing_fixed)):
        sentences = [
            _sentences(some, [one[place].astype(np.int32) for one in openings], fix)
            for some, openings in zip(keys, gold, strict=True)
        ]
        learnt.append(_judged(learnt_tagger(shape, *sentences, seed, least=LEAST), sentences[1]))
        advance(1)
    accuracy = dict(zip(ChartTaggers.__annotations__, [parts.accuracy, *(one[1] for one in learnt)], strict=False))
    taggers = ChartTaggers(parts.tagger, *(one[0] for one in learnt), frequent)
    return LearntTaggers(taggers, accuracy)


class _PartsOfSpeech:
    """A tagger of parts of speech, and its tags: those of what is learnt from as others say."""

    def __init__(
        self, train: Sequence[Phrase], dev: Sequence[Phrase], seed: int, advance: Callable[[int], None]
    ) -> None:
        tags = [[leaf.tag for leaf in tree.leaves] for tree in train]
        self.names = tuple(sorted({*chain.from_iterable(tags)}))
        atoms, templates = WordAtoms(()), Templates(FOR_TAGS)
        self._seed, self._shape = seed, TaggerShape(self.names, TAG_ORDER, FOR_TAGS, False)
        keys = [[templates.keys(atoms.of(words)) for words in _words(trees)] for trees in (train, dev)]
        gold = [tag_numbers(self.names, one) for one in tags]
        judged = [tag_numbers(self.names, [leaf.tag for leaf in tree.leaves]) for tree in dev]
        self.of_train: list[Numbers] = [np.empty(0, np.int32)] * len(train)
        for fold in range(FOLDS):
            self._tag_fold(keys[0], gold, fold)
            advance(1)
        sentences = TaggedSentences.of(keys[1], judged)
        learnt = self._learn(TaggedSentences.of(keys[0], gold), sentences, TAGGING_PATIENCE)
        advance(1)
        self.tagger, self.accuracy = _judged(learnt, sentences)
        self.of_dev = [self.tagger.best_tags(one) for one in keys[1]]

    def _learn(self, train: TaggedSentences, dev: TaggedSentences, patience: Patience) -> Learnt:
        return learnt_tagger(self._shape, train, dev, self._seed, patience, least=LEAST)

    def _tag_fold(self, keys: Sequence[Keys], gold: Sequence[Numbers], fold: int) -> None:
        """Tags each fifth sentence by what the others teach; with few, by what they teach themselves."""
        held = [*range(fold, len(keys), FOLDS)]
        others = [place for place in range(len(keys)) if place % FOLDS != fold] or held
        if not held:
            return
        learnt = self._learn(_picked(keys, gold, others), _picked(keys, gold, held), FOLD_PATIENCE)
        for place in held:
            self.of_train[place] = learnt.tagger.best_tags(keys[place])


def _words(trees: Sequence[Phrase]) -> list[list[str]]:
    return [[leaf.word for leaf in tree.leaves] for tree in trees]


def _picked(keys: Sequence[Keys], gold: Sequence[Numbers], places: Sequence[int]) -> TaggedSentences:
    return TaggedSentences.of([keys[place] for place in places], [gold[place] for place in places])


def _nothing_fixed(words: int) -> Numbers:
    return np.full(words, NOT_FIXED, np.int32)


def _sentences(
    keys: Sequence[Keys], gold: Sequence[Numbers], fix: Callable[[int], Numbers]
) -> TaggedSentences:
    """Sentences with what has to be known of them told; there the tag that is told is right."""
    fixed = [fix(len(tags)) for tags in gold]
    told = [np.where(known == NOT_FIXED, tags, known) for known, tags in zip(fixed, gold, strict=True)]
    return TaggedSentences.of(keys, told, fixed)


def _judged(learnt: Learnt, dev: TaggedSentences) -> tuple[SequenceTagger, float]:
    """The tagger with its percentage of right tags."""
    return learnt.tagger, 100 * max(learnt.right) / max(1, int((dev.fixed == NOT_FIXED).sum()))
