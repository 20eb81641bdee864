"""Best projective tree among those that openings allow: closed cells of a chart by right ends.

After Roark, Hollingshead & Bodenstab (2012); the constituents are here the projections of several words: a
word and all its descendants. b(w) and e(w) say whether one may begin or end at w; at word 1 and at word n the
whole sentence does. The items of `projective_decoding` are split here by whether a node has dependents on its
other side, since a word alone is no projection of several words. Over nodes i < j, best = max, R* is R if
e(k) or i = k, and L* is L if b(k) or k = j:

    L(i, i)   = R(i, i) = 0
    L0(i, j)  = L(i+1, j) + s(j, i)                R0(i, j)  = R(i, j-1) + s(i, j)
    L1(i, j)  = best of R*(i, k) + L(k+1, j) + s(j, i)    i < k < j         as R1(i, j) with L*, i <= k < j-1
    L(i, j)   = L0(i, j); where b(i) also L1(i, j), or best of L*(i, k) + Lg(k, j)         i < k < j
    R(i, j)   = R0(i, j); where e(j) also R1(i, j), or best of Rg(i, k) + R*(k, j)         i < k < j
    Lg(k, j)  = L1(k, j); where e(k) also L0(k, j)        Rg(i, k) = R1(i, k); where b(k) also R0(i, k)

L and R may be incomplete, like the paper's cells that are closed to complete edges: a half whose head takes
dependents beyond a closed end. Such a half is made in one way only, in O(1): by adding a word without
dependents.

Cost: `ways` of combining two items, at most (|B| + |E|) n^2, so O(n^2) if both sets are bounded. The linear
bound for constituents becomes this one: halves of a projection begin at its head, which may be any word, so
open begins alone bound nothing.

Ties: the same scores always give the same tree; more is not promised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.openings import Flags, Openings
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.kernels.closed_projective import PLANES, fill_closed_columns, trace_closed_heads

Scores = npt.NDArray[Any]  # [head, dependent], float32 or float64
Heads = npt.NDArray[np.int32]  # [node]


def decode_closed(
    scores: Scores, openings: Openings, single_root: bool, interrupt: Interrupt
) -> Heads | None:
    """Return the heads of the best tree, or None if interrupted; not a tree if every tree scores -inf."""
    begins, ends = flags_of_nodes(openings)
    ranks = np.concatenate([[0], np.cumsum(begins)[:-1]])
    chart = np.empty((PLANES, *scores.shape), scores.dtype)
    filled = fill_closed_columns(scores, begins, ends, ranks, chart, interrupt.flag)
    if filled < len(scores):
        return None
    heads: Heads = trace_closed_heads(scores, begins, ends, chart, single_root)
    return heads


def flags_of_nodes(openings: Openings) -> tuple[Flags, Flags]:
    """Return b and e over all nodes; nothing begins or ends at the root."""
    begins, ends = (np.concatenate([[False], flags]) for flags in openings[:2])
    begins[1] = ends[-1] = True
    return begins, ends
