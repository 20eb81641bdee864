"""What a parser says of the words that it has: tags, features, heads and labels, and what must still come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias


class Virtual(NamedTuple):
    """A word that must still come: its number among the virtual nodes, and its coarse tag."""

    number: int
    tag: str


LATER: Final = "later"  # the head is still to come, nothing more is said

Head: TypeAlias = int | Virtual | Literal["later"]  # 0 is the root


class Decision(NamedTuple):
    """What a parser says of a word."""

    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class ExpectedWord:
    """A virtual node that is in use: a word that must still come, with what is known of it."""

    node: Virtual
    head: Head
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A tree over words, or over those that have come so far.

    Words are numbered from 1. A head is a word's number, 0 for the root, a `Virtual` node, or LATER: the head
    is still to come, nothing more is said.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    features: tuple[str, ...]
    heads: tuple[Head, ...]
    labels: tuple[str, ...]
    expected: tuple[ExpectedWord, ...] = ()

    @property
    def decisions(self) -> list[Decision]:
        return [Decision(head, label) for head, label in zip(self.heads, self.labels, strict=True)]


NO_WORDS: Final = Analysis((), (), (), (), ())
