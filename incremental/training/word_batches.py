"""Words of sentences as input tensors of the network: each type is spelled once, some forms are unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treewhile.incremental.parsers.inventories import Inventory, WordCode

Ints = npt.NDArray[np.int64]

# A form with count c in the treebank is treated as unknown with probability FORGOTTEN / (FORGOTTEN + c).
FORGOTTEN = 0.5

# Word types are spelled out in groups, by upper bounds on their numbers of characters.
SPELLING_GROUPS = (5, 7, 9, 12, 16, 1 << 10)

Spellings = tuple[Tensor, Tensor, Tensor]  # [character, type], reversed, and the last characters' places


@dataclass(frozen=True)
class WordInputs:
    """Words of a batch of sentences, as the network's first layers read them."""

    words: Tensor  # [place, sentence]: number of the type
    forms: Tensor  # [place, sentence]
    ngrams: Tensor  # n-grams of all types
    ngram_starts: Tensor
    spellings: list[Spellings]  # spellings of groups of types
    values: Tensor
    value_ends: Tensor

    def to(self, device: torch.device) -> Self:
        """Return the batch with all its tensors on a device."""
        return replace(
            self, **{field.name: _moved(getattr(self, field.name), device) for field in fields(self)}
        )


@dataclass(frozen=True)
class NodeInputs(WordInputs):
    """Words of a batch, and the sequences of nodes in which the network looks at them."""

    nodes: Tensor  # [node, sequence], rows of the table
    nodes_reversed: Tensor
    reverse: Tensor  # [node, sequence]: place of a node when its sequence is reversed


def _moved(value: Any, device: torch.device) -> Any:
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {name: tensor.to(device) for name, tensor in value.items()}
    if value and isinstance(value, list) and isinstance(value[0], tuple):
        return [tuple(tensor.to(device) for tensor in group) for group in value]
    return value


class WordBatches:
    """Maker of the inputs of sentences, which are given as numbers of types; each type has a code.

    The forms of the sentences of a treebank, if they are given, become unknown at random.
    """

    def __init__(
        self, inventory: Inventory, codes: Sequence[WordCode], treebank: Iterable[Ints] = ()
    ) -> None:
        self.forms = np.array([code.form for code in codes], np.int64)
        self._characters = [code.characters for code in codes]
        self._ngrams = [np.array(code.ngrams) for code in codes]
        sentences = [*treebank]
        occurring = self.forms[np.concatenate(sentences)] if sentences else np.zeros(0, np.int64)
        self._counts = np.bincount(occurring, minlength=len(inventory.forms) + 1) if sentences else None

    def inputs(
        self,
        sentences: Sequence[Ints],
        generator: np.random.Generator,
        values: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Any]:
        """Return the entries of `WordInputs`, given for each sentence also the gold values of its words."""
        types, words = self._types_of(sentences)
        ngrams = [self._ngrams[type_] for type_ in types]
        return {
            "words": torch.from_numpy(words),
            "forms": torch.from_numpy(self._remembered(self.forms[types][words], generator)),
            "ngrams": torch.from_numpy(np.concatenate(ngrams)),
            "ngram_starts": torch.from_numpy(np.cumsum([0, *map(len, ngrams[:-1])])),
            "spellings": self._spellings(types),
            **_value_tensors(values or [[[]] * len(one) for one in sentences], len(words)),
        }

    def _types_of(self, sentences: Sequence[Ints]) -> tuple[Ints, Ints]:
        """Return the types in a batch, shortest first, and each word[place, sentence] as the number of a
        type.
        """
        occurring = np.unique(np.concatenate(sentences))
        lengths = [len(self._characters[type_]) for type_ in occurring]
        types = occurring[np.argsort(lengths, kind="stable")]
        number = np.zeros(len(self._characters), np.int64)
        number[types] = np.arange(len(types))
        words = np.zeros((max(map(len, sentences)), len(sentences)), np.int64)
        for b, sentence in enumerate(sentences):
            words[: len(sentence), b] = number[sentence]
        return types, words

    def _remembered(self, forms: Ints, generator: np.random.Generator) -> Ints:
        if self._counts is None:
            return forms
        chances = FORGOTTEN / (FORGOTTEN + self._counts[forms])
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


def _value_tensors(sentences: Sequence[Sequence[Sequence[int]]], places: int) -> dict[str, Any]:
    values = [
        sentence[place] if place < len(sentence) else [] for place in range(places) for sentence in sentences
    ]
    ends = np.cumsum([0, *map(len, values)])
    return {
        "values": torch.tensor(list(chain.from_iterable(values)), dtype=torch.long),
        "value_ends": torch.from_numpy(ends),
    }


def _columns(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    columns = np.zeros((max(map(len, spellings)), len(spellings)), np.int64)
    for number, spelling in enumerate(spellings):
        columns[: len(spelling), number] = spelling
    return torch.from_numpy(columns)


def _lasts(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    return torch.tensor([len(spelling) - 1 for spelling in spellings])
