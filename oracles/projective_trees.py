"""Projective trees: optimal projectivization, its number of optima, and lifting for comparison.

A projective tree over 0..n has no crossing edges and none over its root; the best one, by edges in common
with a reference, is the heaviest tree of Table 3 with weight 1 for gold edges (Nederhof 2019, Section 3).

The tie rule, written once: among projective trees take the one with
0. one word under 0, where one root is asked for,
1. the most gold edges,
2. the fewest words under 0,
3. the least sum of edge lengths, 0 standing before word 1,
4. the heads furthest left: at the first word where two trees differ, the head with the smaller number.
No two trees tie under it.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles.kernels import best_trees
from treewhile.oracles.kernels import heads as given_heads
from treewhile.oracles.kernels.values import UNKNOWN
from treewhile.oracles.references import Heads, Reference, as_heads, as_reference
from treewhile.oracles.split_grammars import PROJECTIVE
from treewhile.oracles.tabular_parsing import check_length, count_best


def is_projective(heads: Heads) -> bool:
    """Return whether some projective tree has all the known edges. O(n)."""
    return as_reference(heads).is_projective


def projectivize(heads: Heads, single_root: bool = True) -> list[int]:
    """Return the heads of the projective tree that keeps the most edges. O(n^3).

    With `single_root` exactly one word is under 0. Among the trees that keep the most edges, ties are broken
    by the fewest words under 0, then the least sum of edge lengths, then the heads furthest left, word by
    word. A projective tree with all heads known and, if asked for, one root is returned unchanged, in O(n).

    Unlike this function, `count_projectivizations` allows any number of roots by default.
    """
    reference = as_reference(heads)
    projective = reference.heads
    if not _is_its_own_optimum(reference, single_root):
        check_length(reference.n)
        projective = best_trees.best_projective_heads(PROJECTIVE.rules, reference.heads, single_root)
    found: list[int] = projective[1:].tolist()
    return found


def count_projectivizations(heads: Heads, single_root: bool = False) -> int:
    """Return the exact number of projective trees that keep the most edges.

    Unlike `projectivize`, this allows any number of words under 0 by default; with `single_root` it counts
    the trees that `projectivize` chooses from.
    """
    reference = as_reference(heads)
    if _is_its_own_optimum(reference, single_root):
        return 1
    check_length(reference.n)
    weight = given_heads.gold_weights(reference.heads, np.arange(reference.n + 1))
    if single_root:
        weight[0, 1:] -= reference.n + 1
    return count_best(PROJECTIVE, _word(reference), weight, np.ones_like(weight))[1]


def lift(heads: Heads) -> list[int | None]:
    """Return the projective heads that lifting finds (Nivre & Nilsson 2005), at best an optimum.

    As long as an edge is not projective, the shortest such edge (the leftmost of several) is moved up to the
    head of its head. Words with an unknown head count as under 0 meanwhile, and keep it unknown.
    """
    reference = as_reference(heads)
    array = np.maximum(reference.heads, 0)
    while (word := given_heads.shortest_non_projective(array)) > 0:
        array[word] = array[array[word]]
    return as_heads(np.where(reference.heads == UNKNOWN, UNKNOWN, array))


def _is_its_own_optimum(reference: Reference, single_root: bool) -> bool:
    """Return whether the reference is itself a complete tree of the required kind, hence the only optimum."""
    return reference.is_projective and reference.unknown == 0 and (reference.roots == 1 or not single_root)


def _word(reference: Reference) -> str:
    return "a" * (reference.n + 1)
