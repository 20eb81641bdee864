"""Treebanks as numbers: inputs of the network for each sentence, and targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.told_values import gold_values
from treewhile.incremental.training.exploration import UNKNOWN, Explorable, gold_computation
from treewhile.incremental.training.settings import SMALLEST_BATCH, Settings
from treewhile.incremental.treebanks.prefix_trees import GoldTree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import InputError, is_projective, projectivize
from treewhile.oracles.references import as_reference

Ints = npt.NDArray[np.int64]

# Lengths of the sentences in a batch differ by this share, and batches differ in sentences from epoch to
# epoch.
LENGTH_NOISE = 0.15

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

    @property
    def n(self) -> int:
        return len(self.types)


class Examples:
    """Treebank as examples; words are numbered by types, which have one code each."""

    def __init__(self, inventory: Inventory, sentences: Sequence[Sentence], settings: Settings) -> None:
        self.inventory, self._settings = inventory, settings
        self._types: dict[str, int] = {}
        golds = [GoldTree.of(sentence) for sentence in sentences]
        kept = [pair for pair in zip(sentences, golds, strict=True) if self._is_kept(pair[1])]
        if not kept:
            what = "no tree of the training part is projective"
            raise InputError(f"{what}: train on all trees, they are made projective then")
        self.examples = [self._example(sentence, gold) for sentence, gold in kept]
        self.codes = [inventory.code(form) for form in self._types]

    def _is_kept(self, gold: GoldTree) -> bool:
        return self._settings.learn_from == "all" or is_projective(gold.heads)

    def _example(self, sentence: Sentence, gold: GoldTree) -> Example:
        inventory, words = self.inventory, sentence.words
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
        )

    def groups(self, generator: np.random.Generator) -> list[list[Example]]:
        """Return all examples in random order, grouped by similar length."""
        noise = generator.uniform(1 - LENGTH_NOISE, 1 + LENGTH_NOISE, len(self.examples))
        lengths = [example.n for example in self.examples] * noise
        limit = min(max(sum(example.n for example in self.examples) // BATCHES, SMALLEST_BATCH), LARGEST)
        groups: list[list[Example]] = [[]]
        for number in np.argsort(lengths, kind="stable"):
            example = self.examples[number]
            longest = max((other.n for other in groups[-1]), default=0)
            if groups[-1] and max(longest, example.n) * (len(groups[-1]) + 1) > limit:
                groups.append([])
            groups[-1].append(example)
        return [groups[number] for number in generator.permutation(len(groups))]


def numbers_of(names: Sequence[str], numbers: Mapping[str, int]) -> Ints:
    """Return the numbers of names, UNKNOWN for names without one."""
    return np.array([numbers.get(name, UNKNOWN) for name in names], np.int64)
