"""Batches of examples as input tensors of the network, with random prefixes, lookahead and unknown forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from treewhile.incremental.parsers.network_shapes import MISSING, step_classes
from treewhile.incremental.parsers.shift_reduce import AHEAD
from treewhile.incremental.training.examples import Example, Examples, Ints
from treewhile.incremental.training.exploration import UNKNOWN, hidden_beyond
from treewhile.incremental.training.sequences import NodeSequence, Sequences, sequence_tensors
from treewhile.incremental.training.word_batches import NodeInputs, WordBatches

PREFIXES = 0.5  # prefixes trained on for each whole sentence, on average

# Of which lengths prefixes of an example are looked at.
PrefixesOf = Callable[[Example, np.random.Generator], Iterable[int]]


def no_prefix(example: Example, generator: np.random.Generator) -> Iterable[int]:
    return ()


def some_prefix(example: Example, generator: np.random.Generator) -> Iterable[int]:
    """Return one random length, or none, at random."""
    return one_prefix(example, generator) if generator.random() < PREFIXES else ()


def one_prefix(example: Example, generator: np.random.Generator) -> Iterable[int]:
    return (int(generator.integers(1, example.n + 1)),)


def all_prefixes(example: Example, generator: np.random.Generator) -> Iterable[int]:
    """Return all lengths, one for every word."""
    return range(1, example.n + 1)


@dataclass(frozen=True)
class Batch(NodeInputs):
    """Batch: the input of the network, and the targets of its outputs."""

    examples: Sequence[Example]
    ahead: Sequence[int]  # words ahead that the shift-reduce parser sees in each sentence
    treebanks: Tensor  # [sentence]
    word_rows: Tensor  # rows of the words in a flat [place, sentence], sentence by sentence
    role_rows: Tensor  # [step, role]: rows of the MISSING vectors followed by all words
    tagged_rows: Tensor  # rows of words in a flat [node, sequence]
    prefixes: Tensor  # the open sequences
    last_words: Tensor  # last words of the prefixes, as their nodes
    whole_trees: Tensor  # the sequences that are whole sentences with known trees
    words_of_trees: Tensor  # numbers of words of the whole trees
    barred: Tensor  # [sequence, child, head]: -inf for impossible arcs, else 0
    labelled_heads: Tensor  # gold arcs in a flat [node, sequence]
    labelled_children: Tensor
    optimal_steps: Tensor  # [step, class]
    targets: dict[str, Tensor]
    taught: dict[str, Tensor]  # beliefs of teachers about targets, if there are teachers


class Batches:
    """Maker of batches from the examples of a treebank; forms become unknown at random only in training."""

    def __init__(self, examples: Examples, forgets: bool = True) -> None:
        self._inventory = examples.inventory
        treebank = [example.types for example in examples.examples] if forgets else ()
        self._words = WordBatches(self._inventory, examples.codes, treebank)

    def batch(
        self,
        examples: Sequence[Example],
        generator: np.random.Generator,
        whole: bool = True,
        prefixes_of: PrefixesOf = some_prefix,
    ) -> Batch:
        """Return a training batch: some forms unknown, whole sentences and prefixes, random lookahead."""
        sentences = len(examples)
        rows = np.concatenate([np.arange(example.n) * sentences + b for b, example in enumerate(examples)])
        ahead = generator.integers(0, len(AHEAD) + 1, sentences)
        return Batch(
            examples=examples,
            ahead=ahead.tolist(),
            treebanks=torch.tensor([example.treebank for example in examples]),
            word_rows=torch.from_numpy(rows),
            **self._words.inputs(
                [example.types for example in examples], generator, [example.values for example in examples]
            ),
            **self._step_tensors(examples, ahead, generator),
            **_with_early_targets(
                examples, sequence_tensors([*self._sequences(examples, generator, whole, prefixes_of)])
            ),
        )

    def _step_tensors(
        self, examples: Sequence[Example], ahead: Ints, generator: np.random.Generator
    ) -> dict[str, Any]:
        seen = [
            hidden_beyond(example.roles, int(words), words == 0 and generator.random() < 0.5)
            for example, words in zip(examples, ahead, strict=True)
        ]
        roles, steps = np.concatenate(seen), np.concatenate([example.steps for example in examples])
        sentence = np.repeat(np.arange(len(examples)), [len(example.steps) for example in examples])
        known = np.flatnonzero(steps != UNKNOWN)
        optimal = np.zeros((len(steps), step_classes(len(self._inventory.labels))), bool)
        optimal[known, steps[known]] = True
        return {
            "role_rows": torch.from_numpy(rows_of_roles(roles, sentence, len(examples))[known]),
            "optimal_steps": torch.from_numpy(optimal[known]),
        }

    def _sequences(
        self,
        examples: Sequence[Example],
        generator: np.random.Generator,
        whole: bool,
        prefixes_of: PrefixesOf,
    ) -> Iterator[NodeSequence]:
        builder = Sequences(self._inventory, len(examples))
        if whole:
            yield from (builder.whole(example, b) for b, example in enumerate(examples))
        for b, example in enumerate(examples):
            yield from (builder.prefix(example, b, t) for t in prefixes_of(example, generator))


def rows_of_roles(roles: Ints, sentence: Ints, sentences: int) -> Ints:
    """Return the rows[step, role] of the words in roles: first rows of missing words, then rows of words."""
    return np.where(roles > 0, len(MISSING) + (roles - 1) * sentences + sentence[:, None], -roles)


def _with_early_targets(examples: Sequence[Example], tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors with the targets of words before others are known."""
    early = {
        "early_tags": torch.from_numpy(np.concatenate([example.tags for example in examples])),
        "early_features": torch.from_numpy(np.concatenate([example.features for example in examples])),
    }
    return {**tensors, "targets": {**early, **tensors["targets"]}}
