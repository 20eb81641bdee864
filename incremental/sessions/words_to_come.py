"""Reference with words to come, which an analysis expects behind the known words.

While a sentence is open there are always words to come: the virtual nodes of the analysis, one word as the
head of all words that wait for LATER, or, without either, some unknown word.
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

# With more words to come than this, only the order of their numbers is tried.
MOST_ORDERED: Final = 6


class Outlook(NamedTuple):
    """Heads of the known words and, numbered on, of words to come."""

    heads: ForestHeads
    names: tuple[Named, ...]  # name of each word to come; None for an unknown one
    known: ForestHeads  # edges between known words, and from the root to them

    @property
    def n(self) -> int:
        """Number of known words."""
        return len(self.heads) - len(self.names)


def forest_of(analysis: Analysis) -> ForestHeads:
    """Return the known heads, the root included; None for the others."""
    return tuple(head if isinstance(head, int) else None for head in analysis.heads)


def outlook_of(analysis: Analysis, is_open: bool) -> Outlook:
    """Return the analysis as a reference; an ended sentence has no words to come.

    Words to come are in the order of their numbers, LATER last, if all edges are attainable then; else in the
    first order that attains all, or the most.
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
    """Return the heads of the known words, and of words to come in an order."""
    numbers: dict[Head, int] = {name: number for number, name in enumerate(names, len(analysis.heads) + 1)}
    heads: dict[WordToCome, Head] = {expected.node: expected.head for expected in analysis.expected}
    given = (*analysis.heads, *(heads.get(name) for name in names))
    return tuple(head if isinstance(head, int) or head is None else numbers.get(head) for head in given)


def _attainable(heads: ForestHeads) -> int:
    """Return the maximum number of the edges in a projective tree."""
    return sum(a == b for a, b in zip(projectivize(heads, single_root=False), heads, strict=True))
