"""Sequences of nodes side by side: whole sentences and prefixes, with the gold arcs.

The nodes of a sequence are rows of a table: 0 is for padding, then come the special nodes, the virtual nodes
of the stock, and the words of the batch, at place i of sentence b in row i * sentences + b.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.network_shapes import SPECIAL
from treewhile.incremental.parsers.nodes import from_signed
from treewhile.incremental.training.examples import Example, Ints, numbers_of
from treewhile.incremental.training.exploration import UNKNOWN
from treewhile.incremental.treebanks.prefix_trees import prefix_tree

Floats = npt.NDArray[np.float32]


class Taught(NamedTuple):
    """Beliefs of teachers about the words of a sequence; rows of 0 where there are none."""

    heads: Floats  # [word, node]
    labels: Floats  # [word, label], of the arc from the word's head


class NodeSequence(NamedTuple):
    """Whole sentence or prefix, with its tail."""

    nodes: Ints  # rows of the table
    heads: Ints  # of words and virtual nodes, places in this sequence
    labels: Ints
    tags: Ints
    features: Ints
    words: int
    is_open: bool
    awaited: int = UNKNOWN  # head's place of the next word that attaches, in an open sequence
    taught: Taught | None = None

    @property
    def labelled(self) -> Ints:
        """Indices of the nodes of which head and label are known."""
        return np.flatnonzero((self.heads != UNKNOWN) & (self.labels != UNKNOWN))

    @property
    def is_whole_tree(self) -> bool:
        """True if the sentence has ended, and all heads are known and are a tree with one root."""
        return not self.is_open and UNKNOWN not in self.heads and np.count_nonzero(self.heads == 0) == 1


class Sequences:
    """Maker of the sequences of a batch with a known number of sentences."""

    def __init__(self, inventory: Inventory, sentences: int) -> None:
        self._inventory, self._sentences = inventory, sentences

    def whole(self, example: Example, b: int) -> NodeSequence:
        """Return the sequence of sentence b, which has ended."""
        heads = np.array([UNKNOWN if head is None else head for head in example.gold.heads])
        nodes = self.whole_nodes(example.n, b)
        labels, tags, features = example.labels, example.tags, example.features
        taught = _taught(example, heads, len(nodes))
        return NodeSequence(nodes, heads, labels, tags, features, example.n, is_open=False, taught=taught)

    def whole_nodes(self, words: int, b: int) -> Ints:
        """Return the nodes of sentence b, which has ended, by its number of words."""
        return np.array([_special("root"), *self._words(words, b), _special("end")])

    def prefix(self, example: Example, b: int, t: int) -> NodeSequence:
        """Return the sequence of the first t words of sentence b, an open prefix."""
        stock = self._inventory.stock
        tree = prefix_tree(example.gold, t, stock)
        virtual = _special("unused") + 1 + np.arange(len(stock))
        ends = (_special("later"), _special("unused"))
        nodes = np.array([_special("root"), *self._words(t, b), *virtual, *ends])
        labels = numbers_of([label or "" for label in tree.labels], self._inventory.label_numbers)
        tags, features = example.tags[:t], example.features[:t]
        heads = np.array(from_signed(tree.heads, UNKNOWN), np.int64)
        awaited = awaited_place(example.gold.heads, t)
        taught = _taught(example, heads[:t], len(nodes))
        return NodeSequence(nodes, heads, labels, tags, features, t, True, awaited, taught)

    def _words(self, n: int, b: int) -> Ints:
        return 1 + len(SPECIAL) + len(self._inventory.stock) + np.arange(n) * self._sentences + b


def awaited_place(heads: Sequence[int | None], t: int) -> int:
    """Return the head of the first word behind t that attaches to one of the first t words or the root.

    The value is t + 1 where no word does, and UNKNOWN where an unknown head leaves it open.
    """
    for head in heads[t:]:
        if head is None:
            return UNKNOWN
        if head <= t:
            return head
    return t + 1


def _taught(example: Example, heads: Ints, nodes: int) -> Taught | None:
    """Return the beliefs about the first words, which have these heads in their sequence.

    The chance of heads to come goes to the node that stands for the head, or to LATER if the head has come.
    """
    belief, t = example.belief, len(heads)
    if belief is None:
        return None
    chances = np.zeros((t, nodes), np.float32)
    chances[:, : t + 1] = belief.heads[:t, : t + 1]
    if t < example.n:
        to_come = np.where(heads > t, heads, nodes - 2)
        chances[np.arange(t), to_come] = np.maximum(1 - chances.sum(1), 0)
    right = np.array([head == agreed for head, agreed in zip(example.gold.heads, belief.tree, strict=True)])
    return Taught(chances, np.where(right[:t, None], belief.labels[:t], 0).astype(np.float32))


def _special(name: str) -> int:
    return 1 + SPECIAL.index(name)


def sequence_tensors(sequences: Sequence[NodeSequence]) -> dict[str, Any]:
    """Return the tensors of all sequences side by side."""
    count, longest = len(sequences), max((len(sequence.nodes) for sequence in sequences), default=0)
    heads = np.full((count, longest), UNKNOWN)
    barred = np.zeros((count, longest, longest), np.float32)
    arcs, labels, tagged = [np.zeros((2, 0), np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for s, sequence in enumerate(sequences):
        length, m = len(sequence.nodes), len(sequence.heads)
        heads[s, 1 : m + 1] = sequence.heads
        barred[s, :, length if sequence.is_open else m + 1 :] = -np.inf
        barred[s, : sequence.words + 1, m + 2 :] = -np.inf
        barred[s, np.arange(m + 1), np.arange(m + 1)] = -np.inf
        known = sequence.labelled
        arcs.append(np.stack([sequence.heads[known], known + 1]) * count + s)
        labels.append(sequence.labels[known])
        tagged.append(np.arange(1, sequence.words + 1) * count + s)
    tags = [np.zeros(0, np.int64), *(sequence.tags for sequence in sequences)]
    features = [np.zeros(0, np.int64), *(sequence.features for sequence in sequences)]
    heads_of, children = np.concatenate(arcs, axis=1)
    prefixes = [s for s, sequence in enumerate(sequences) if sequence.is_open]
    whole_trees = [s for s, sequence in enumerate(sequences) if sequence.is_whole_tree]
    return {
        **node_tensors([sequence.nodes for sequence in sequences]),
        "barred": torch.from_numpy(barred),
        "labelled_heads": torch.from_numpy(heads_of),
        "labelled_children": torch.from_numpy(children),
        "tagged_rows": torch.from_numpy(np.concatenate(tagged)),
        "prefixes": torch.tensor(prefixes, dtype=torch.long),
        "last_words": torch.tensor([sequences[s].words for s in prefixes], dtype=torch.long),
        "whole_trees": torch.tensor(whole_trees, dtype=torch.long),
        "words_of_trees": torch.tensor([sequences[s].words for s in whole_trees], dtype=torch.long),
        "targets": {
            "tags": torch.from_numpy(np.concatenate(tags)),
            "features": torch.from_numpy(np.concatenate(features)),
            "arcs": torch.from_numpy(heads),
            "labels": torch.from_numpy(np.concatenate(labels)),
            "awaiting": torch.tensor([sequences[s].awaited for s in prefixes], dtype=torch.long),
        },
        "taught": _taught_tensors(sequences, longest),
    }


def node_tensors(sequences: Sequence[Ints]) -> dict[str, Any]:
    """Return the nodes of sequences side by side: the entries that `NodeInputs` adds."""
    count, longest = len(sequences), max(map(len, sequences), default=0)
    nodes, reverse = np.zeros((longest, count), np.int64), np.tile(np.arange(longest)[:, None], count)
    for s, sequence in enumerate(sequences):
        nodes[: len(sequence), s] = sequence
        reverse[: len(sequence), s] = np.arange(len(sequence))[::-1]
    return {
        "nodes": torch.from_numpy(nodes),
        "nodes_reversed": torch.from_numpy(nodes[reverse, np.arange(count)]),
        "reverse": torch.from_numpy(reverse),
    }


def _taught_tensors(sequences: Sequence[NodeSequence], longest: int) -> dict[str, Any]:
    """Return beliefs about arcs [sequence, child, head] and labels [arc, label]; none without teachers."""
    pairs = [(sequence, sequence.taught) for sequence in sequences if sequence.taught]
    if not pairs:
        return {}
    arcs, labels = np.zeros((len(pairs), longest, longest), np.float32), []
    for of_sequence, (sequence, taught) in zip(arcs, pairs, strict=True):
        words, nodes = taught.heads.shape
        of_sequence[1 : words + 1, :nodes] = taught.heads
        behind = len(sequence.heads) - words
        labels.append(np.pad(taught.labels, ((0, behind), (0, 0)))[sequence.labelled])
    return {"arcs": torch.from_numpy(arcs), "labels": torch.from_numpy(np.concatenate(labels))}
