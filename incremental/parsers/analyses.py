"""Analyses of the words of a sentence: tags, features, heads and labels, and words still expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from treewhile.incremental.parsers.html_tables import html_table
from treewhile.incremental.parsers.nodes import Head, Nodes, Virtual
from treewhile.oracles.constituents.phrase_trees import Constituent


class Decision(NamedTuple):
    """Head and label of a word."""

    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class ExpectedWord:
    """Virtual node in use: a word that is still expected, with its head and label."""

    node: Virtual
    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Tree over the words of a sentence, or over those that have come so far.

    Words are numbered from 1. A head is a word's number, 0 for the root, a `Virtual` node, or LATER: the head
    is still to come, and nothing more is predicted. Constituents come outer first, then from left to right,
    if the model has learnt them and they were requested; the root itself is none.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    features: tuple[str, ...]
    heads: tuple[Head, ...]
    labels: tuple[str, ...]
    expected: tuple[ExpectedWord, ...] = ()
    constituents: tuple[Constituent, ...] = ()

    @property
    def decisions(self) -> list[Decision]:
        return [Decision(head, label) for head, label in zip(self.heads, self.labels, strict=True)]

    def _repr_html_(self) -> str:
        """Return the table that notebooks show: the words, and behind them the expected words."""
        return html_table(["", "word", "tag", "head", "", "label"], self._rows())

    def _rows(self) -> Iterator[tuple[object, ...]]:
        said = zip(self.words, self.tags, self.heads, self.labels, strict=True)
        for number, (word, tag, head, label) in enumerate(said, 1):
            yield number, word, tag, *self._told(head), label
        for one in self.expected:
            yield _sign(one.node), "(expected)", one.node.tag, *self._told(one.head), one.label

    def _told(self, head: Head) -> tuple[object, str]:
        """Return a head's number and form."""
        if isinstance(head, int):
            return head, self.words[head - 1] if head else "root"
        return ("", head) if isinstance(head, str) else (_sign(head), "(expected)")


def _sign(node: Virtual) -> str:
    return f"+{node.number}"


NO_WORDS: Final = Analysis((), (), (), (), ())


def expected_words(
    nodes: Nodes, numbers: Sequence[int], heads: Sequence[Head], labels: Sequence[str]
) -> tuple[ExpectedWord, ...]:
    """Return the virtual nodes in use, given the heads of all nodes, as numbers and names, and the labels."""
    return tuple(
        ExpectedWord(nodes.virtual(node), heads[node - 1], labels[node - 1])
        for node in range(nodes.t + 1, len(numbers) + 1)
        if numbers[node - 1] != nodes.unused
    )
