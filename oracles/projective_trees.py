"""Projective trees: optimal projectivization, its number of optima, and lifting for comparison.

A projective tree over 0..n has no crossing edges and none over its root; the best one, by edges in common
with a reference, is the heaviest tree of Table 3 with weight 1 for gold edges (Nederhof 2019, Section 3).

The tie rule, written once: among projective trees take the one with
1. the most gold edges,
2. the fewest words under 0 (exactly one where one root is asked for),
3. the least sum of edge lengths, 0 standing before word 1,
4. the heads furthest left: at the first word where two trees differ, the head with the smaller number.
No two trees tie under it.
"""

from __future__ import annotations

import math

import numpy as np

from treewhile.oracles import kernels
from treewhile.oracles.references import Heads, Reference, as_heads, as_reference
from treewhile.oracles.semirings import Semiring, Value
from treewhile.oracles.split_grammars import ONE_ROOT, PROJECTIVE, SplitGrammar
from treewhile.oracles.tabular_parsing import count_best, fill, parse_by_definition


def is_projective(heads: Heads) -> bool:
    """Whether some projective tree has all the known edges. O(n)."""
    return as_reference(heads).is_projective


def projectivize(heads: Heads, single_root: bool = True) -> list[int]:
    """The heads of the projective tree that keeps the most edges, by the tie rule above. O(n^3).

    A projective tree with all heads known and, if asked for, one root comes back as it is, in O(n).
    """
    reference = as_reference(heads)
    if reference.is_projective and _is_whole(reference, single_root):
        return reference.heads[1:].tolist()  # type: ignore[no-any-return]
    weight = kernels.preference_weights(reference.heads, not single_root)
    grammar = _grammar(single_root)
    filled = fill(grammar, _word(reference), weight)
    return kernels.leftmost_tree(grammar.rules, reference.n + 1, weight, filled.chart)[1:].tolist()  # type: ignore[no-any-return]


def count_projectivizations(heads: Heads, single_root: bool = False) -> int:
    """The exact number of projective trees that keep the most edges, all ties of rule 1 together."""
    reference = as_reference(heads)
    weight = np.zeros((reference.n + 1, reference.n + 1), dtype=np.int64)
    known = np.flatnonzero(reference.heads >= 0)
    weight[reference.heads[known], known] = 1
    weight[:, 0] = kernels.NEVER
    return count_best(_grammar(single_root), _word(reference), weight, np.ones_like(weight))[1]


def projectivize_by_definition(heads: Heads, single_root: bool = True) -> list[int]:
    """`projectivize` through Table 2 by definition, over the semiring of trees under the tie rule."""
    reference = as_reference(heads)

    def edge(head: int, child: int) -> Value:
        if child == 0:
            return PREFERRED_TREE.zero
        return int(reference.heads[child] == head), -(head == 0), -abs(head - child), ((child, -head),)

    best = parse_by_definition(_grammar(single_root), _word(reference), edge, PREFERRED_TREE)
    return [-head for _, head in best[3]]


def _join(a: Value, b: Value) -> Value:
    if PREFERRED_TREE.zero in (a, b):
        return PREFERRED_TREE.zero
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], tuple(sorted(a[3] + b[3]))


# Gold edges, minus words under 0, minus lengths, and (word, minus head) in order: the greatest is preferred.
PREFERRED_TREE = Semiring("preferred tree", None, (-math.inf, 0, 0, ()), (0, 0, 0, ()), max, _join)


def lift(heads: Heads) -> list[int | None]:
    """The projective heads that lifting finds (Nivre & Nilsson 2005); never keeps more than the optimum.

    As long as an edge is not projective, the shortest such edge (the leftmost of several) is moved up to the
    head of its head. Unknown heads stay unknown; an edge to a word under one ends there.
    """
    array = as_reference(heads).heads.copy()
    while (word := kernels.shortest_non_projective(array)) > 0:
        array[word] = array[array[word]]
    return as_heads(array)


def _is_whole(reference: Reference, single_root: bool) -> bool:
    """Whether the reference is itself a tree of the kind asked for."""
    heads = reference.heads[1:]
    return bool(heads.min(initial=0) >= 0 and (not single_root or np.count_nonzero(heads == 0) == 1))


def _grammar(single_root: bool) -> SplitGrammar:
    return ONE_ROOT if single_root else PROJECTIVE


def _word(reference: Reference) -> str:
    return "r" + "a" * reference.n
