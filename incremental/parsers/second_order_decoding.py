"""The best tree by scores of arcs and of triples, for whole sentences of which all heads are words.

    by siblings      the best projective tree; that one rearranged; the best gap-minding tree
    by grandparents  the best gap-minding tree

Gap-minding trees have only some heads of each word to choose from, the likeliest ones by their arcs alone
(Pitler et al. 2012), and where there are more words than LONGEST the projective trees are left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, SIBLINGS
from treewhile.incremental.parsers.nodes import Numbers
from treewhile.incremental.parsers.tree_decoding import LEAST_CHANCE, LONGEST, MOST_HEADS
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees import gap_minding_siblings
from treewhile.oracles.trees.best_trees import EdgeArray, decode_edges
from treewhile.oracles.trees.grandparents import GrandparentDecoder, at_possible_heads, possible_heads
from treewhile.oracles.trees.pruning import pruned_edges
from treewhile.oracles.trees.rearrangement import decode_rearranged
from treewhile.oracles.trees.sibling_decoding import SiblingArray, decode_siblings

MOST_WORDS: Final = LONGEST["gap-minding"]


class Scored(NamedTuple):
    """What a model says of a whole sentence."""

    arcs: EdgeArray  # [head, dependent], -inf for what may not be
    triples: Array  # [third, head, dependent], of one kind

    @property
    def words(self) -> int:
        return len(self.arcs) - 1

    @property
    def siblings(self) -> SiblingArray:
        """[head, inner, dependent], as the decoders take them."""
        return np.ascontiguousarray(self.triples.transpose(1, 0, 2), np.float64)


# The heads of words, or None if interrupted.
DecodeTriples = Callable[[Scored, Interrupt], Numbers | None]


def best_by_siblings(scored: Scored, interrupt: Interrupt) -> Numbers | None:
    """The heads of the best projective tree by siblings."""
    found = decode_siblings(scored.arcs, scored.siblings, True, interrupt)
    return None if found is None else np.array(found.heads, np.int32)


def rearranged_by_siblings(scored: Scored, interrupt: Interrupt) -> Numbers | None:
    """Those of that tree, rearranged."""
    found = decode_rearranged(scored.arcs, scored.siblings, True, interrupt)
    return None if found is None else np.array(found.heads, np.int32)


def gap_minding_by_siblings(scored: Scored, interrupt: Interrupt) -> Numbers | None:
    """Those of the best gap-minding tree by siblings."""
    if scored.words > MOST_WORDS:
        return best_by_siblings(scored, interrupt)
    arcs = likely_arcs(scored.arcs, interrupt)
    if arcs is None:
        return None
    return _of_words(gap_minding_siblings.sibling_heads(arcs, scored.siblings, True, interrupt))


def best_by_grandparents(scored: Scored, interrupt: Interrupt) -> Numbers | None:
    """Those of the best gap-minding tree by grandparents."""
    if scored.words > MOST_WORDS:
        found = decode_edges(scored.arcs, "projective", True, interrupt)
        return None if found is None else np.array(found.heads, np.int32)
    arcs = likely_arcs(scored.arcs, interrupt)
    return None if arcs is None else _by_grandparents(arcs, scored.triples, interrupt)


def likely_arcs(arcs: EdgeArray, interrupt: Interrupt) -> EdgeArray | None:
    """The scores of the arcs that there are to choose from, -inf for others; None if interrupted."""
    return pruned_edges(arcs, MOST_HEADS, LEAST_CHANCE, True, interrupt)


def score_by_grandparents(scored: Scored, heads: Numbers) -> float:
    """What any tree is worth."""
    words, above = np.arange(1, 1 + len(heads)), np.append(0, heads)[heads]
    of_triples = scored.triples[above, heads, words].astype(np.float64)
    return float(scored.arcs[heads, words].sum() + of_triples[heads > 0].sum())


def _by_grandparents(arcs: EdgeArray, triples: Array, interrupt: Interrupt) -> Numbers | None:
    grandparents = at_possible_heads(triples, possible_heads(arcs))
    return _of_words(GrandparentDecoder(single_root=True).decode(arcs, grandparents, interrupt))


def _of_words(heads: Numbers | None) -> Numbers | None:
    return None if heads is None else heads[1:]


# By the names of the columns of Table 2: which triples they take, and how they find trees.
COLUMNS: Final[dict[str, tuple[str, DecodeTriples]]] = {
    "projective + siblings": (SIBLINGS, best_by_siblings),
    "siblings + rearrangement": (SIBLINGS, rearranged_by_siblings),
    "gap-minding + siblings": (SIBLINGS, gap_minding_by_siblings),
    "gap-minding + grandparents": (GRANDPARENTS, best_by_grandparents),
}
