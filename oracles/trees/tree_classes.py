"""Classes of trees between projective and all: degrees of crossing, and membership in each class.

A projection is a node with all its descendants, a gap of it a maximal run of words outside the projection but
between its words. The properties of a tree:
- gap degree: the most gaps of one projection (Bodirsky, Kuhlmann & Möhl 2005; Pitler, Kannan & Marcus 2012);
- edge degree: of an edge, the number of components that the words between its ends form, by the edges among
  them, without those whose topmost word its head dominates; the maximum over edges (Kuhlmann & Nivre 2006);
- well-nested: no l1 < l2 < r1 < r2 where l1, r1 are in one subtree and l2, r2 in another, disjoint one. That
  holds if and only if of any two edges that cross, the head of one dominates the head of the other: paths
  within interleaving subtrees have edges that cross, and edges that cross lie in the subtrees of their heads;
- inheritance degree: the most children of one node that have descendants on both sides of its gap (Pitler,
  Kannan & Marcus 2012). That paper defines it for nodes with one gap, so others inherit nothing here. This
  affects no class: a tree with two gaps in a projection is in no class that depends on inheritance;
- 1-endpoint-crossing: all edges that cross one edge share an end (Pitler, Kannan & Marcus 2013);
- MH4: items of at most four heads derive the tree (Gómez-Rodríguez, Carroll & Weir 2011).

Edges from 0 count as edges, 0 standing before word 1, and any number of words may be under it.

MH4 in detail. An item is a row of heads; each two neighbours i, i + 1 are one, two that share an end are
joined if that makes at most four heads, and an inner head whose own head is in the item leaves the item. At
the end only 0 and n + 1, behind the last word, are left. For a given tree let a head leave when its children
have left, as soon as its own head is in the item: no node needs it any more, and leaving early blocks no
other node. Then an item of four heads that none can leave is of no use, so there is at most one head inside,
and the ends alone determine it: if a waits inside one item i..j and has left another one, its head is i or j,
and a could leave the first; or its head left that item before a, its child. So one number for two ends is the
whole chart, and only ends with an item between them are visited. The proven bound is O(n^3); a search for the
slowest trees found none with 3 n^2 joins.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.values import UNKNOWN
from treewhile.oracles.references import Heads, Reference, as_reference
from treewhile.oracles.trees.kernels.shapes import examine_tree


class TreeClasses(NamedTuple):
    """Degrees of crossing of a tree, and its membership in each class of trees."""

    gap_degree: int
    edge_degree: int
    inheritance_degree: int
    is_well_nested: bool
    is_projective: bool
    is_gap_minding: bool
    is_1_inherit: bool
    is_mild: bool
    is_1_endpoint_crossing: bool
    is_mh4: bool


LONGEST: Final = 10_000  # number of words of a tree that is not projective

PROJECTIVE_TREE: Final = TreeClasses(0, 0, 0, True, True, True, True, True, True, True)


def tree_classes(heads: Heads) -> TreeClasses:
    """Return the degrees of a tree and its classes; O(n) if it is projective, else O(n^2) in practice.

    `heads[i]` is the head of word i + 1, 0 the root, which may have several children. All heads must be
    known.
    """
    reference = as_reference(heads)
    if reference.unknown:
        _refuse_forest(reference)
    if reference.is_projective:
        return PROJECTIVE_TREE
    _check_length(reference.n)
    gaps, edge, inheritance, is_well_nested, is_1_endpoint_crossing, is_mh4 = examine_tree(reference.heads)
    is_mild = bool(is_well_nested and gaps == 1)
    return TreeClasses(
        gap_degree=int(gaps),
        edge_degree=int(edge),
        inheritance_degree=int(inheritance),
        is_well_nested=bool(is_well_nested),
        is_projective=False,
        is_gap_minding=bool(is_mild and inheritance == 0),
        is_1_inherit=bool(is_mild and inheritance <= 1),
        is_mild=is_mild,
        is_1_endpoint_crossing=bool(is_1_endpoint_crossing),
        is_mh4=bool(is_mh4),
    )


def _refuse_forest(reference: Reference) -> NoReturn:
    word = reference.heads[1:].tolist().index(UNKNOWN) + 1
    raise InputError(
        f"the head of word {word} is unknown, and only whole trees are in classes: give all heads"
    )


def _check_length(words: int) -> None:
    """Refuse a tree whose items would exhaust the memory."""
    if words > LONGEST:
        raise InputError(
            f"{words:,} words are too many to look at all pairs of their edges: at most {LONGEST:,} are "
            "taken, split them"
        )
