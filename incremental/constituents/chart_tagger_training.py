"""Training of taggers for parts of speech and boundaries of constituents, from trees.

The boundary taggers are trained with predicted tags, as in new sentences: each fold of the treebank is tagged
by a tagger trained on the others.
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
    FeatureTexts,
    Keys,
    Templates,
    WordAtoms,
    tag_atoms,
)
from treewhile.incremental.constituents.tagger_training import (
    Learnt,
    Patience,
    TaggedSentences,
    TaggerShape,
    learnt_tagger,
)
from treewhile.oracles.constituents.openings import Flags, openings_of
from treewhile.oracles.constituents.phrase_trees import Phrase
from treewhile.oracles.errors import InputError

FREQUENT: Final = 5  # number of occurrences from which a word's letters are not used
LEAST: Final = 2  # number of occurrences from which a feature is used
FOLDS: Final = 5
TAG_ORDER: Final = 1
TAGGING_PATIENCE: Final = Patience(epochs=10)
FOLD_PATIENCE: Final = Patience(epochs=4)

STEPS: Final = FOLDS + 4  # number of steps that `learnt_taggers` reports


class LearntTaggers(NamedTuple):
    """Taggers, and the percentage of correct tags of each on the development trees."""

    taggers: ChartTaggers
    accuracy: dict[str, float]


def learnt_taggers(
    train: Sequence[Phrase],
    dev: Sequence[Phrase],
    order: int,
    seed: int = 1,
    advance: Callable[[int], None] = lambda steps: None,
) -> LearntTaggers:
    """Train taggers of Markov order 0, 1 or 2; `advance` is called with the number of `STEPS` done since."""
    if not train or not dev:
        raise InputError("there are no trees to learn from, or none to judge: give both")
    parts = _PartsOfSpeech(_words(train), _words(dev), _tags(train), _tags(dev), seed, advance)
    counts = Counter(chain.from_iterable(parts.words))
    frequent = frozenset(word for word, count in counts.items() if count >= FREQUENT)
    tagged = _TaggedWords(parts.words, parts.of_words, parts.names, frequent)
    judged = _TaggedWords(parts.judged, parts.of_judged, parts.names, frequent)
    shape = TaggerShape(TAGS, order, tagged.templates, order > 0)
    gold, judging = ([openings_of(tree) for tree in trees] for trees in (train, dev))
    learnt = {}
    for place, (kind, fix) in enumerate(BOUNDARIES.items()):
        sentences = tagged.sentences([one[place] for one in gold], fix)
        others = judged.sentences([one[place] for one in judging], fix)
        learnt[kind] = _judged(learnt_tagger(shape, sentences, others, seed, least=LEAST), others)
        advance(1)
    accuracy = {"parts of speech": parts.accuracy} | {kind: right for kind, (_, right) in learnt.items()}
    begins, ends, unaries = (tagger for tagger, _ in learnt.values())
    return LearntTaggers(ChartTaggers(parts.tagger, begins, ends, unaries, frequent), accuracy)


class _TaggedWords:
    """Sentences with parts of speech, and boundary features."""

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Numbers],
        names: Sequence[str],
        frequent: frozenset[str],
    ) -> None:
        self.templates, hashes, atoms = Templates(FOR_BOUNDARIES), tag_atoms(names), WordAtoms(frequent)
        self._texts = FeatureTexts(sentences, frequent, [[names[tag] for tag in some] for some in tags])
        self._keys = [
            boundary_features(self.templates, atoms, words, hashes[some])
            for words, some in zip(sentences, tags, strict=True)
        ]

    def sentences(self, gold: Sequence[Flags], fix: Callable[[int], Numbers]) -> TaggedSentences:
        """Return tagged sentences with known tags fixed; there the fixed tag counts as correct."""
        fixed = [fix(len(flags)) for flags in gold]
        right = [
            np.where(known == NOT_FIXED, flags, known).astype(np.int32)
            for known, flags in zip(fixed, gold, strict=True)
        ]
        return TaggedSentences.of(self._texts, self._keys, right, fixed)


class _PartsOfSpeech:
    """Tagger for parts of speech, and predicted tags, those of the training trees by cross-validation."""

    def __init__(
        self,
        words: list[list[str]],
        judged: list[list[str]],
        tags: list[list[str]],
        judging: list[list[str]],
        seed: int,
        advance: Callable[[int], None],
    ) -> None:
        self.words, self.judged = words, judged
        self.names = tuple(sorted({*chain.from_iterable(tags)}))
        self._templates, self._seed = Templates(FOR_TAGS), seed
        atoms = WordAtoms(())
        keys, judged_keys = (
            [self._templates.keys(atoms.of(some)) for some in sentences] for sentences in (words, judged)
        )
        gold = [tag_numbers(self.names, some) for some in tags]
        self.of_words: list[Numbers] = [np.empty(0, np.int32)] * len(words)
        for fold in range(FOLDS):
            self._tag_fold(keys, gold, fold)
            advance(1)
        wanted = [tag_numbers(self.names, some) for some in judging]
        sentences = TaggedSentences.of(FeatureTexts(judged, frozenset()), judged_keys, wanted)
        everything = TaggedSentences.of(FeatureTexts(words, frozenset()), keys, gold)
        learnt = self._learn(everything, sentences, TAGGING_PATIENCE)
        advance(1)
        self.tagger, self.accuracy = _judged(learnt, sentences)
        self.of_judged = [self.tagger.best_tags(one) for one in judged_keys]

    def _learn(self, train: TaggedSentences, dev: TaggedSentences, patience: Patience) -> Learnt:
        shape = TaggerShape(self.names, TAG_ORDER, self._templates, False)
        return learnt_tagger(shape, train, dev, self._seed, patience, least=LEAST)

    def _tag_fold(self, keys: Sequence[Keys], gold: Sequence[Numbers], fold: int) -> None:
        """Tag every fifth sentence with a tagger trained on the others, or on itself if there are none."""
        held = [*range(fold, len(keys), FOLDS)]
        others = [place for place in range(len(keys)) if place % FOLDS != fold] or held
        if not held:
            return
        told, judged = (self._picked(keys, gold, places) for places in (others, held))
        tagger = self._learn(told, judged, FOLD_PATIENCE).tagger
        for place in held:
            self.of_words[place] = tagger.best_tags(keys[place])

    def _picked(
        self, keys: Sequence[Keys], gold: Sequence[Numbers], places: Sequence[int]
    ) -> TaggedSentences:
        texts = FeatureTexts([self.words[place] for place in places], frozenset())
        return TaggedSentences.of(texts, [keys[place] for place in places], [gold[place] for place in places])


def _words(trees: Sequence[Phrase]) -> list[list[str]]:
    return [[leaf.word for leaf in tree.leaves] for tree in trees]


def _tags(trees: Sequence[Phrase]) -> list[list[str]]:
    return [[leaf.tag for leaf in tree.leaves] for tree in trees]


def _nothing_fixed(words: int) -> Numbers:
    return np.full(words, NOT_FIXED, np.int32)


BOUNDARIES: Final = {"begins": fixed_begins, "ends": fixed_ends, "unaries": _nothing_fixed}


def _judged(learnt: Learnt, dev: TaggedSentences) -> tuple[SequenceTagger, float]:
    """Return the tagger with its percentage of correct tags."""
    return learnt.tagger, 100 * max(learnt.right) / max(1, int((dev.fixed == NOT_FIXED).sum()))
