"""A reference with a future: the words to come that an analysis speaks of, behind those that are there.

While a sentence is open something is always to come: the virtual nodes of the analysis, one word on which all
hangs that hangs on LATER, or, where it speaks of neither, some word of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final, Literal, NamedTuple, TypeAlias

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.oracles.projective_trees import is_projective, projectivize

ForestHeads: TypeAlias = tuple[int | None, ...]
WordToCome: TypeAlias = Virtual | Literal["later"]
Named: TypeAlias = WordToCome | None

# More words to come than these are not put in another order than that of their numbers.
MOST_ORDERED: Final = 6


class Outlook(NamedTuple):
    """Heads of the words that are there and, numbered on, of words to come."""

    heads: ForestHeads
    names: tuple[Named, ...]  # what each word to come is; None for some word
    known: ForestHeads  # the edges between words that are there, and from the root to them

    @property
    def n(self) -> int:
        """How many words are there."""
        return len(self.heads) - len(self.names)


def forest_of(analysis: Analysis) -> ForestHeads:
    """The heads that have come, or are the root; None for the others."""
    return tuple(head if isinstance(head, int) else None for head in analysis.heads)


def outlook_of(analysis: Analysis, is_open: bool) -> Outlook:
    """The analysis as a reference; where the sentence has ended, nothing is to come.

    Words to come stand in the order of their numbers, LATER behind them, if all edges can be attained so;
    else in the first order in which they can, or in which most can.
    """
    known = forest_of(analysis)
    if not is_open:
        return Outlook(known, (), known)
    names = _words_to_come(analysis)
    if not names:
        return Outlook((*known, None), (None,), (*known, None))
    ordered = _best_order(analysis, names)
    return Outlook(_heads(analysis, ordered), ordered, (*known, *[None] * len(names)))


def _words_to_come(analysis: Analysis) -> tuple[WordToCome, ...]:
    virtual = sorted(expected.node for expected in analysis.expected)
    heads = {*analysis.heads, *(expected.head for expected in analysis.expected)}
    return (*virtual, LATER) if LATER in heads else tuple(virtual)


def _best_order(analysis: Analysis, names: tuple[WordToCome, ...]) -> tuple[WordToCome, ...]:
    if is_projective(_heads(analysis, names)) or len(names) > MOST_ORDERED:
        return names
    orders = list(permutations(names))
    for order in orders:
        if is_projective(_heads(analysis, order)):
            return order
    return max(orders, key=lambda order: _attainable(_heads(analysis, order)))


def _heads(analysis: Analysis, names: Sequence[WordToCome]) -> ForestHeads:
    """The heads of the words that are there, and of words to come in an order."""
    numbers: dict[Head, int] = {name: number for number, name in enumerate(names, len(analysis.heads) + 1)}
    heads: dict[WordToCome, Head] = {expected.node: expected.head for expected in analysis.expected}
    given = (*analysis.heads, *(heads.get(name) for name in names))
    return tuple(head if isinstance(head, int) or head is None else numbers.get(head) for head in given)


def _attainable(heads: ForestHeads) -> int:
    """How many of the edges some projective tree has."""
    return sum(a == b for a, b in zip(projectivize(heads, single_root=False), heads, strict=True))
