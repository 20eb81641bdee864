"""Trees of phrases over words, and their constituents as spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Leaf(NamedTuple):
    """A word below its tag."""

    tag: str
    word: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """A label over phrases and leaves."""

    label: str
    children: tuple[Phrase | Leaf, ...]


class Constituent(NamedTuple):
    """A phrase as a span of words, numbered from 1; `last` is None while its end is still to come."""

    label: str
    first: int
    last: int | None

    @property
    def is_open(self) -> bool:
        return self.last is None
