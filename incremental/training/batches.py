"""Treebanks as numbers, and batches of them as the tensors that the network takes.

Words are numbered by types, which have one representation each in a batch. The nodes of a sequence are rows
of a table: 0 is for padding, then come the special nodes, the virtual nodes of the stock, and the words of
the batch, at place i of sentence b in row i * sentences + b, as a tensor [place, sentence] has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from treewhile.incremental.inventories import Inventory
from treewhile.incremental.labelled_computations import AHEAD
from treewhile.incremental.network_shapes import MISSING, SPECIAL
from treewhile.incremental.parsing import gold_values
from treewhile.incremental.prefix_trees import LATER, UNUSED, GoldTree, PrefixTree, prefix_tree
from treewhile.incremental.training.computations import UNKNOWN, gold_computation, hidden_beyond
from treewhile.incremental.training.exploration import Explorable
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.treebank import Sentence
from treewhile.oracles import InputError, is_projective, projectivize
from treewhile.oracles.references import as_reference

Ints = npt.NDArray[np.int64]

# A form that occurs c times in the treebank is taken for an unknown one with this over (this + c).
FORGOTTEN = 0.5

# Sentences of a batch differ this much in length, and batches in their sentences from epoch to epoch.
LENGTH_NOISE = 0.15

# So many batches make an epoch, unless they would have more or fewer words than this, padding included.
BATCHES, SMALLEST, LARGEST = 120, 80, 700

PREFIXES = 0.5  # how many prefixes are trained on for a whole sentence

# Word types are spelled out together with others that have up to so many characters.
SPELLING_GROUPS = (5, 7, 9, 12, 16, 1 << 10)


@dataclass(frozen=True)
class Example:
    """A sentence as numbers; UNKNOWN where there is nothing to learn."""

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


@dataclass(frozen=True)
class Batch:
    """What the network takes, and the targets of what it gives."""

    examples: Sequence[Example]
    ahead: Sequence[int]  # how many words the shift-reduce parser sees ahead in each sentence
    words: Tensor  # [place, sentence]: which of the types below
    forms: Tensor  # [place, sentence]
    ngrams: Tensor  # of all types
    ngram_starts: Tensor
    spellings: list[
        tuple[Tensor, Tensor, Tensor]
    ]  # of groups of types: [character, type], reversed, the last
    values: Tensor
    value_ends: Tensor
    word_rows: Tensor  # where the words are in a flat [place, sentence], sentence by sentence
    role_rows: Tensor  # [step, role], into what may be missing and all words
    nodes: Tensor  # [node, sequence], rows of the table
    nodes_reversed: Tensor
    reverse: Tensor  # [node, sequence]: where a node stands when its sequence is reversed
    tagged_rows: Tensor  # words in a flat [node, sequence]
    barred: Tensor  # [sequence, child, head]: -inf where no arc can be, else 0
    labelled_heads: Tensor  # gold arcs in a flat [node, sequence]
    labelled_children: Tensor
    optimal_steps: Tensor  # [step, class]
    targets: dict[str, Tensor]

    def to(self, device: torch.device) -> Batch:
        """The batch with all its tensors on a device."""
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


class Examples:
    """A treebank as examples, with the codes of all its word types."""

    def __init__(self, inventory: Inventory, sentences: Sequence[Sentence], settings: Settings) -> None:
        self._inventory, self._settings = inventory, settings
        self._types: dict[str, int] = {}
        kept = [
            (sentence, gold) for sentence, gold in _with_trees(sentences) if _is_kept(gold, settings.trees)
        ]
        if not kept:
            raise InputError(
                "no tree of the training part is projective: train on all trees, they are made so"
            )
        self.examples = [self._example(sentence, gold) for sentence, gold in kept]
        codes = [inventory.code(form) for form in self._types]
        self._forms = np.array([code.form for code in codes], np.int64)
        self._characters = [code.characters for code in codes]
        self._ngrams = [np.array(code.ngrams) for code in codes]
        occurring = self._forms[np.concatenate([example.types for example in self.examples])]
        self._form_counts = np.bincount(occurring, minlength=len(inventory.forms) + 1)

    def _example(self, sentence: Sentence, gold: GoldTree) -> Example:
        inventory, words = self._inventory, sentence.words
        labels = _numbers(gold.labels, inventory.label_numbers)
        heads = gold.heads if is_projective(gold.heads) else projectivize(gold.heads)
        known, explore = inventory.value_numbers, self._settings.explore
        reference = gold.heads if explore == "original" else heads
        return Example(
            np.array([self._types.setdefault(word.form, len(self._types)) for word in words]),
            [
                [known[value] for value in gold_values(self._settings.tags, word) if value in known]
                for word in words
            ],
            _numbers(gold.tags, inventory.tag_numbers),
            _numbers([word.feats for word in words], inventory.feature_numbers),
            labels,
            gold,
            *gold_computation(heads, labels.tolist(), len(inventory.labels)),
            None if explore == "none" else Explorable(as_reference(reference), labels.tolist()),
        )

    def groups(self, generator: np.random.Generator) -> list[list[Example]]:
        """All examples in random order, those of similar length together."""
        noise = generator.uniform(1 - LENGTH_NOISE, 1 + LENGTH_NOISE, len(self.examples))
        lengths = [example.n for example in self.examples] * noise
        limit = min(max(sum(example.n for example in self.examples) // BATCHES, SMALLEST), LARGEST)
        groups: list[list[Example]] = [[]]
        for number in np.argsort(lengths, kind="stable"):
            example = self.examples[number]
            longest = max((other.n for other in groups[-1]), default=0)
            if groups[-1] and max(longest, example.n) * (len(groups[-1]) + 1) > limit:
                groups.append([])
            groups[-1].append(example)
        return [groups[number] for number in generator.permutation(len(groups))]

    def batch(
        self, examples: Sequence[Example], generator: np.random.Generator, with_arcs: bool = True
    ) -> Batch:
        """What is trained on: some forms forgotten, random prefixes added, random lookahead."""
        places, sentences = max(example.n for example in examples), len(examples)
        types, words = self._types_of(examples, places)
        rows = np.concatenate([np.arange(example.n) * sentences + b for b, example in enumerate(examples)])
        ngrams = [self._ngrams[type_] for type_ in types]
        ahead = generator.integers(0, len(AHEAD) + 1, sentences)
        return Batch(
            examples=examples,
            ahead=ahead.tolist(),
            words=torch.from_numpy(words),
            forms=torch.from_numpy(self._remembered(self._forms[types][words], generator)),
            ngrams=torch.from_numpy(np.concatenate(ngrams)),
            ngram_starts=torch.from_numpy(np.cumsum([0, *map(len, ngrams[:-1])])),
            spellings=self._spellings(types),
            word_rows=torch.from_numpy(rows),
            **self._value_tensors(examples, places),
            **self._step_tensors(examples, ahead, generator),
            **_with_early_targets(examples, self._arc_tensors(examples if with_arcs else [], generator)),
        )

    def _types_of(self, examples: Sequence[Example], places: int) -> tuple[Ints, Ints]:
        """The types in a batch, shortest first, and for each word[place, sentence] which one it is."""
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
        chances = FORGOTTEN / (FORGOTTEN + self._form_counts[forms])
        return np.where(generator.random(forms.shape) < chances, 0, forms)

    def _spellings(self, types: Ints) -> list[tuple[Tensor, Tensor, Tensor]]:
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
            hidden_beyond(example.roles, int(words), to_the_end=words == 0 and generator.random() < 0.5)
            for example, words in zip(examples, ahead, strict=True)
        ]
        roles, steps = np.concatenate(seen), np.concatenate([example.steps for example in examples])
        sentence = np.repeat(np.arange(len(examples)), [len(example.steps) for example in examples])
        known = np.flatnonzero(steps != UNKNOWN)
        optimal = np.zeros((len(steps), 1 + 2 * len(self._inventory.labels)), bool)
        optimal[known, steps[known]] = True
        return {
            "role_rows": torch.from_numpy(rows_of_roles(roles, sentence, len(examples))[known]),
            "optimal_steps": torch.from_numpy(optimal[known]),
        }

    def _arc_tensors(self, examples: Sequence[Example], generator: np.random.Generator) -> dict[str, Any]:
        sequences = [self._whole(example, b, len(examples)) for b, example in enumerate(examples)]
        for b, example in enumerate(examples):
            if generator.random() < PREFIXES:
                t = int(generator.integers(1, example.n + 1))
                sequences.append(self._prefix(example, b, len(examples), t))
        return _sequence_tensors(sequences)

    def _whole(self, example: Example, b: int, sentences: int) -> _Sequence:
        heads = np.array([UNKNOWN if head is None else head for head in example.gold.heads])
        words = self._word_rows(example.n, b, sentences)
        nodes = np.array([_special("root"), *words, _special("end")])
        return _Sequence(
            nodes, heads, example.labels, example.tags, example.features, example.n, is_open=False
        )

    def _prefix(self, example: Example, b: int, sentences: int, t: int) -> _Sequence:
        stock = self._inventory.stock
        tree = prefix_tree(example.gold, t, stock)
        virtual = _special("unused") + 1 + np.arange(len(stock))
        ends = (_special("later"), _special("unused"))
        nodes = np.array([_special("root"), *self._word_rows(t, b, sentences), *virtual, *ends])
        labels = _numbers([label or "" for label in tree.labels], self._inventory.label_numbers)
        heads = _prefix_heads(tree)
        return _Sequence(nodes, heads, labels, example.tags[:t], example.features[:t], t, is_open=True)

    def _word_rows(self, n: int, b: int, sentences: int) -> Ints:
        return 1 + len(SPECIAL) + len(self._inventory.stock) + np.arange(n) * sentences + b


class _Sequence(NamedTuple):
    """A whole sentence or a prefix, with its tail."""

    nodes: Ints  # rows of the table
    heads: Ints  # of words and virtual nodes, places in this sequence
    labels: Ints
    tags: Ints
    features: Ints
    words: int
    is_open: bool


def _sequence_tensors(sequences: Sequence[_Sequence]) -> dict[str, Any]:
    """All sequences side by side."""
    count, longest = len(sequences), max((len(sequence.nodes) for sequence in sequences), default=0)
    nodes, heads = np.zeros((longest, count), np.int64), np.full((count, longest), UNKNOWN)
    reverse = np.tile(np.arange(longest)[:, None], count)
    barred = np.zeros((count, longest, longest), np.float32)
    arcs, labels, tagged = [np.zeros((2, 0), np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for s, sequence in enumerate(sequences):
        length, m = len(sequence.nodes), len(sequence.heads)
        nodes[:length, s] = sequence.nodes
        reverse[:length, s] = np.arange(length)[::-1]
        heads[s, 1 : m + 1] = sequence.heads
        barred[s, :, length if sequence.is_open else m + 1 :] = -np.inf
        barred[s, : sequence.words + 1, m + 2 :] = -np.inf
        barred[s, np.arange(m + 1), np.arange(m + 1)] = -np.inf
        known = np.flatnonzero((sequence.heads != UNKNOWN) & (sequence.labels != UNKNOWN))
        arcs.append(np.stack([sequence.heads[known], known + 1]) * count + s)
        labels.append(sequence.labels[known])
        tagged.append(np.arange(1, sequence.words + 1) * count + s)
    tags = [np.zeros(0, np.int64), *(sequence.tags for sequence in sequences)]
    features = [np.zeros(0, np.int64), *(sequence.features for sequence in sequences)]
    heads_of, children = np.concatenate(arcs, axis=1)
    return {
        "nodes": torch.from_numpy(nodes),
        "nodes_reversed": torch.from_numpy(nodes[reverse, np.arange(count)]),
        "reverse": torch.from_numpy(reverse),
        "barred": torch.from_numpy(barred),
        "labelled_heads": torch.from_numpy(heads_of),
        "labelled_children": torch.from_numpy(children),
        "tagged_rows": torch.from_numpy(np.concatenate(tagged)),
        "targets": {
            "tags": torch.from_numpy(np.concatenate(tags)),
            "features": torch.from_numpy(np.concatenate(features)),
            "arcs": torch.from_numpy(heads),
            "labels": torch.from_numpy(np.concatenate(labels)),
        },
    }


def rows_of_roles(roles: Ints, sentence: Ints, sentences: int) -> Ints:
    """The rows[step, role] of what stands in the roles of steps in sentences: what is missing, then words."""
    return np.where(roles > 0, len(MISSING) + (roles - 1) * sentences + sentence[:, None], -roles)


def _with_early_targets(examples: Sequence[Example], tensors: dict[str, Any]) -> dict[str, Any]:
    """The tensors with what is right of the words before others are known."""
    early = {
        "early_tags": torch.from_numpy(np.concatenate([example.tags for example in examples])),
        "early_features": torch.from_numpy(np.concatenate([example.features for example in examples])),
    }
    return {**tensors, "targets": {**early, **tensors["targets"]}}


def _with_trees(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, GoldTree]]:
    return ((sentence, GoldTree.of(sentence)) for sentence in sentences)


def _is_kept(gold: GoldTree, trees: str) -> bool:
    return trees == "all" or is_projective(gold.heads)


def _special(name: str) -> int:
    return 1 + SPECIAL.index(name)


def _prefix_heads(tree: PrefixTree) -> Ints:
    m = len(tree.heads)
    places: dict[int | None, int] = {None: UNKNOWN, LATER: m + 1, UNUSED: m + 2}
    return np.array([places.get(head, head) for head in tree.heads], np.int64)


def _numbers(names: Sequence[str], numbers: dict[str, int]) -> Ints:
    return np.array([numbers.get(name, UNKNOWN) for name in names], np.int64)


def _columns(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    columns = np.zeros((max(map(len, spellings)), len(spellings)), np.int64)
    for number, spelling in enumerate(spellings):
        columns[: len(spelling), number] = spelling
    return torch.from_numpy(columns)


def _lasts(spellings: Sequence[tuple[int, ...]]) -> Tensor:
    return torch.tensor([len(spelling) - 1 for spelling in spellings])
