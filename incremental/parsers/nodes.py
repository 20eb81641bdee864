"""Nodes of a tree over words, and conversions between the notations of heads.

The tree of a prefix spans the root, its t words, k *virtual nodes* for words that are still expected, LATER
and UNUSED. LATER is the head of nodes whose head is still to come and not predicted, UNUSED that of virtual
nodes that are not needed. A whole sentence has none of these three.

    heads as     used by                               root  word  virtual node  LATER      UNUSED     unknown
    names        analyses, and all who show them       0     w     `Virtual`     "later"
    numbers      networks, decoders, constraints       0     w     t + number    t + k + 1  t + k + 2
    signed       gold trees of prefixes, `Decoded`     0     w     t + number    -2         -3         None
    views        messages                              0     w     -number       "later"               null

Signed heads do not depend on the number of nodes. All conversions between notations are in this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.treebanks.prefix_trees import ON_LATER, ON_UNUSED


class Virtual(NamedTuple):
    """Word that is still expected: its number among the virtual nodes, and its coarse tag."""

    number: int
    tag: str


LATER: Final = "later"  # the head is still to come, and nothing more is predicted

Head: TypeAlias = int | Virtual | Literal["later"]  # 0 is the root
Numbers: TypeAlias = npt.NDArray[np.int32]  # heads as numbers, [node - 1]


class Nodes(NamedTuple):
    """Nodes over t words and a stock of virtual nodes, given by their tags."""

    t: int
    stock: Sequence[str] = ()

    @property
    def later(self) -> int:
        return self.t + len(self.stock) + 1

    @property
    def unused(self) -> int:
        return self.t + len(self.stock) + 2

    def virtual(self, number: int) -> Virtual:
        """Return the virtual node with the number of a node."""
        place = number - self.t
        return Virtual(place, self.stock[place - 1])

    def name(self, number: int) -> Head:
        """Return a node's name as in analyses; the head of an unused node is LATER."""
        if number <= self.t:
            return number
        return self.virtual(number) if number < self.later else LATER

    def names(self, numbers: Sequence[int]) -> list[Head]:
        return [number if number <= self.t else self.name(number) for number in numbers]

    def number(self, head: Head) -> int:
        """Return the number of a node that an analysis names."""
        if isinstance(head, int):
            return head
        return self.t + head.number if isinstance(head, Virtual) else self.later


def from_signed(heads: Sequence[int | None], unknown: int) -> list[int]:
    """Return heads as numbers, given the signed heads of all nodes."""
    later = len(heads) + 1
    numbers: Mapping[int | None, int] = {ON_LATER: later, ON_UNUSED: later + 1, None: unknown}
    return [numbers.get(head, unknown if head is None else head) for head in heads]


def to_signed(heads: Numbers) -> Numbers:
    """Return signed heads, given those of all nodes as numbers."""
    later = len(heads) + 1
    signed = np.where(heads == later, ON_LATER, heads)
    return np.where(heads == later + 1, ON_UNUSED, signed).astype(np.int32)


def from_view(head: int | str | None, tags: Mapping[int, str]) -> Head:
    """Return the name of a head in a message, given the tags of virtual nodes; LATER for null."""
    if not isinstance(head, int):
        return LATER
    return head if head >= 0 else Virtual(-head, tags[-head])


def to_view(head: Head) -> int | Literal["later"]:
    """Return a head in the notation of messages."""
    return -head.number if isinstance(head, Virtual) else head
