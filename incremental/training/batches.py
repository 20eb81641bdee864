"""Batches of examples as input tensors of the network, with random prefixes, lookahead and unknown forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from treewhile.incremental.parsers.network_shapes import MISSING, step_classes
from treewhile.incremental.parsers.shift_reduce import AHEAD
from treewhile.incremental.training.examples import Example, Examples, Ints
from treewhile.incremental.training.exploration import UNKNOWN, hidden_beyond
from treewhile.incremental.training.sequences import NodeSequence, Sequences, sequence_tensors

# A form with count c in the treebank is treated as unknown with probability FORGOTTEN / (FORGOTTEN + c).
FORGOTTEN = 0.5

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


# Word types are spelled out in groups, by upper bounds on their numbers of characters.
SPELLING_GROUPS = (5, 7, 9, 12, 16, 1 << 10)


Spellings = tuple[Tensor, Tensor, Tensor]  # [character, type], reversed, and the last characters' places


@dataclass(frozen=True)
class Batch:
    """Batch: the input of the network, and the targets of its outputs."""

    examples: Sequence[Example]
    ahead: Sequence[int]  # words ahead that the shift-reduce parser sees in each sentence
    treebanks: Tensor  # [sentence]
    words: Tensor  # [place, sentence]: number of the type
    forms: Tensor  # [place, sentence]
    ngrams: Tensor  # n-grams of all types
    ngram_starts: Tensor
    spellings: list[Spellings]  # spellings of groups of types
    values: Tensor
    value_ends: Tensor
    word_rows: Tensor  # rows of the words in a flat [place, sentence], sentence by sentence
    role_rows: Tensor  # [step, role]: rows of the MISSING vectors followed by all words
    nodes: Tensor  # [node, sequence], rows of the table
    nodes_reversed: Tensor
    reverse: Tensor  # [node, sequence]: place of a node when its sequence is reversed
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

    def to(self, device: torch.device) -> Batch:
        """Return the batch with all its tensors on a device."""
        return replace(
            self, **{field.name: _moved(getattr(self, field.name), device) for field in fields(self)}
        )


def _moved(value: Any, device: torch.device) -> Any:
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {name: tensor.to(device) for name, tensor in value.items()}
    if value and isinstance(value, list) and isinstance(value[0], tuple):
        return [tuple(tensor.to(device) for tensor in group) for group in value]
    return value


class Batches:
    """Maker of batches from the examples of a treebank; forms become unknown at random only in training."""

    def __init__(self, examples: Examples, forgets: bool = True) -> None:
        self._inventory, self._forgets = examples.inventory, forgets
        self._forms = np.array([code.form for code in examples.codes], np.int64)
        self._characters = [code.characters for code in examples.codes]
        self._ngrams = [np.array(code.ngrams) for code in examples.codes]
        occurring = self._forms[np.concatenate([example.types for example in examples.examples])]
        self._form_counts = np.bincount(occurring, minlength=len(self._inventory.forms) + 1)

    def batch(
        self,
        examples: Sequence[Example],
        generator: np.random.Generator,
        whole: bool = True,
        prefixes_of: PrefixesOf = some_prefix,
    ) -> Batch:
        """Return a training batch: some forms unknown, whole sentences and prefixes, random lookahead."""
        places, sentences = max(example.n for example in examples), len(examples)
        types, words = self._types_of(examples, places)
        rows = np.concatenate([np.arange(example.n) * sentences + b for b, example in enumerate(examples)])
        ngrams = [self._ngrams[type_] for type_ in types]
        ahead = generator.integers(0, len(AHEAD) + 1, sentences)
        return Batch(
            examples=examples,
            ahead=ahead.tolist(),
            treebanks=torch.tensor([example.treebank for example in examples]),
            words=torch.from_numpy(words),
            forms=torch.from_numpy(self._remembered(self._forms[types][words], generator)),
            ngrams=torch.from_numpy(np.concatenate(ngrams)),
            ngram_starts=torch.from_numpy(np.cumsum([0, *map(len, ngrams[:-1])])),
            spellings=self._spellings(types),
            word_rows=torch.from_numpy(rows),
            **self._value_tensors(examples, places),
            **self._step_tensors(examples, ahead, generator),
            **_with_early_targets(
                examples, sequence_tensors([*self._sequences(examples, generator, whole, prefixes_of)])
            ),
        )

    def _types_of(self, examples: Sequence[Example], places: int) -> tuple[Ints, Ints]:
        """Return the types in a batch, shortest first, and each word[place, sentence] as the number of a
        type.
        """
        occurring = np.unique(np.concatenate([example.types for example in examples]))
        lengths = [len(self._characters[type_]) for type_ in occurring]
        types = occurring[np.argsort(lengths, kind="stable")]
        number = np.zeros(len(self._characters), np.int64)
        number[types] = np.arange(len(types))
        words = np.zeros((places, len(examples)), np.int64)
        for b, example in enumerate(examples):
            words[: example.n, b] = number[example.types]
        return types, words

    def _remembered(self, forms: Ints, generator: np.random.Generator) -> Ints:
        if not self._forgets:
            return forms
        chances = FORGOTTEN / (FORGOTTEN + self._form_counts[forms])
        return np.where(generator.random(forms.shape) < chances, 0, forms)

    def _spellings(self, types: Ints) -> list[Spellings]:
        spellings = [self._characters[type_] for type_ in types]
        ends = np.searchsorted([len(spelling) for spelling in spellings], SPELLING_GROUPS, side="right")
        groups = [
            spellings[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True) if start < end
        ]
        return [
            (_columns(group), _columns([spelling[::-1] for spelling in group]), _lasts(group))
            for group in groups
        ]

    def _value_tensors(self, examples: Sequence[Example], places: int) -> dict[str, Any]:
        values = [
            example.values[place] if place < example.n else []
            for place in range(places)
            for example in examples
        ]
        ends = np.cumsum([0, *map(len, values)])
        return {
            "values": torch.tensor(list(chain.from_iterable(values)), dtype=torch.long),
            "value_ends": torch.from_numpy(ends),
        }

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


def _columns(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    columns = np.zeros((max(map(len, spellings)), len(spellings)), np.int64)
    for number, spelling in enumerate(spellings):
        columns[: len(spelling), number] = spelling
    return torch.from_numpy(columns)


def _lasts(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    return torch.tensor([len(spelling) - 1 for spelling in spellings])
