"""Treebanks as numbers: inputs of the network for each sentence, and targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.told_values import gold_values
from treewhile.incremental.training.beliefs import Belief
from treewhile.incremental.training.exploration import UNKNOWN, Explorable, gold_computation
from treewhile.incremental.training.settings import SMALLEST_BATCH, Settings
from treewhile.incremental.treebanks.prefix_trees import GoldTree
from treewhile.incremental.treebanks.treebank import Word
from treewhile.incremental.treebanks.ways_of_writing import written_in_another_way
from treewhile.oracles import InputError, is_projective, projectivize
from treewhile.oracles.references import as_reference

Ints = npt.NDArray[np.int64]

# Lengths of the sentences in a batch differ by this share, and batches differ in sentences from epoch to
# epoch.
LENGTH_NOISE = 0.15

REWRITTEN = 0.25  # share of the sentences that an epoch reads as written in another way

# Number of batches in an epoch, unless batches would have fewer words than the smallest or more than LARGEST,
# padding included.
BATCHES, LARGEST = 120, 700


@dataclass(frozen=True)
class Example:
    """Sentence as numbers; UNKNOWN for targets that are not trained on."""

    types: Ints
    values: list[list[int]]
    tags: Ints
    features: Ints
    labels: Ints
    gold: GoldTree
    roles: Ints  # [step, role], of the gold computation
    steps: Ints  # [step]
    explorable: Explorable | None
    treebank: int = 0  # number of the treebank, 0 for the main one
    belief: Belief | None = None  # of teachers

    @property
    def n(self) -> int:
        return len(self.types)


class Lesson(NamedTuple):
    """Sentence to learn from, with its treebank's number, and what teachers believe about it."""

    words: Sequence[Word]
    treebank: int = 0
    belief: Belief | None = None

    def in_another_way(self, random: np.random.Generator) -> Lesson:
        """Return the sentence in another way of writing, drawn at random."""
        words = written_in_another_way(self.words, random)
        if self.belief is None:
            return self._replace(words=words)
        place_of = {word.line: place for place, word in enumerate(self.words)}
        return self._replace(
            words=words, belief=self.belief.of_words([place_of[word.line] for word in words])
        )


class Examples:
    """Lessons as examples; words are numbered by types, which have one code each.

    If `rewrites` is given, each sentence is also there in another way of writing, which takes its place in
    some epochs. Of `raw` ones, which have trees of teachers alone, an epoch has as many words as of others.
    """

    def __init__(
        self,
        inventory: Inventory,
        lessons: Iterable[Lesson],
        settings: Settings,
        rewrites: np.random.Generator | None = None,
        raw: Sequence[Lesson] = (),
    ) -> None:
        self.inventory, self._settings = inventory, settings
        self._types: dict[str, int] = {}
        kept = [*filter(self._is_kept, lessons)]
        if not kept:
            what = "no tree of the training part is projective"
            raise InputError(f"{what}: train on all trees, they are made projective then")
        self.examples = [self._example(lesson) for lesson in kept]
        self._rewritten = [self._example(one.in_another_way(rewrites)) for one in kept] if rewrites else []
        self._raw = [self._example(lesson) for lesson in raw]
        self.codes = [inventory.code(form) for form in self._types]

    def _is_kept(self, lesson: Lesson) -> bool:
        return self._settings.learn_from == "all" or is_projective(GoldTree.of_words(lesson.words).heads)

    @property
    def words(self) -> int:
        """Number of words in an epoch, about."""
        given, raw = (sum(one.n for one in examples) for examples in (self.examples, self._raw))
        return given + min(given, raw)

    def _example(self, lesson: Lesson) -> Example:
        inventory, words = self.inventory, lesson.words
        gold = GoldTree.of_words(words)
        labels = numbers_of(gold.labels, inventory.label_numbers)
        heads = gold.heads if is_projective(gold.heads) else projectivize(gold.heads)
        known, explore = inventory.value_numbers, self._settings.explore
        reference = gold.heads if explore == "original" else heads
        return Example(
            np.array([self._types.setdefault(word.form, len(self._types)) for word in words]),
            [
                [known[value] for value in gold_values(self._settings.tags, word) if value in known]
                for word in words
            ],
            numbers_of(gold.tags, inventory.tag_numbers),
            numbers_of([word.feats for word in words], inventory.feature_numbers),
            labels,
            gold,
            *gold_computation(heads, labels.tolist(), len(inventory.labels)),
            None if explore == "none" else Explorable(as_reference(reference), labels.tolist()),
            lesson.treebank,
            lesson.belief,
        )

    def groups(self, generator: np.random.Generator) -> list[list[Example]]:
        """Return all examples in random order, grouped by similar length."""
        examples = self._of_epoch(generator)
        noise = generator.uniform(1 - LENGTH_NOISE, 1 + LENGTH_NOISE, len(examples))
        lengths = [example.n for example in examples] * noise
        limit = min(max(sum(example.n for example in examples) // BATCHES, SMALLEST_BATCH), LARGEST)
        groups: list[list[Example]] = [[]]
        for number in np.argsort(lengths, kind="stable"):
            example = examples[number]
            longest = max((other.n for other in groups[-1]), default=0)
            if groups[-1] and max(longest, example.n) * (len(groups[-1]) + 1) > limit:
                groups.append([])
            groups[-1].append(example)
        return [groups[number] for number in generator.permutation(len(groups))]

    def _of_epoch(self, generator: np.random.Generator) -> list[Example]:
        """Return the examples of an epoch: some of the sentences rewritten, and some raw ones."""
        examples = self.examples
        if self._rewritten:
            chosen = generator.random(len(examples)) < REWRITTEN
            pairs = zip(examples, self._rewritten, chosen, strict=True)
            examples = [rewritten if is_chosen else example for example, rewritten, is_chosen in pairs]
        if self._raw:
            order = generator.permutation(len(self._raw))
            until = np.cumsum([self._raw[number].n for number in order]) <= sum(one.n for one in examples)
            examples = examples + [self._raw[number] for number in order[until]]
        return examples


def numbers_of(names: Sequence[str], numbers: Mapping[str, int]) -> Ints:
    """Return the numbers of names, UNKNOWN for names without one."""
    return np.array([numbers.get(name, UNKNOWN) for name in names], np.int64)
