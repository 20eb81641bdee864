"""Best of all trees, with any crossing edges: spanning trees of a dense graph, O(n^2).

Each word takes its best edge. If that closes a cycle, its words become one node: in the end one edge enters
it from outside, and replaces the edge into the word that it goes to. So with s the scores and b(w) that of
the edge that w has taken, the best edge from u into the cycle C has the score

    s(u, C) = best over w in C of s(u, w) - b(w)

and the best tree of the smaller graph gives that of the larger one, as cycles are opened again (Chu & Liu
1965, Edmonds 1967). A path that grows upwards from a word until it meets the root, or a node with a path to
the root, closes cycles at its upper end alone, so all edges are visited in O(n^2) (Tarjan 1977, for dense
graphs).

One root. Edges from 0 are held back: no word takes one while it has another. So words are contracted until a
node is left that no edge enters from another word. That node alone can hold the word under the root, since
each word must have a path up to it; the best of the held edges into the node is taken, with its score after
the contractions. A second node of that kind means that there is no tree with one root. Proof of exactness:
among the best trees with one root there is one with all edges of the cycle but one, as there is without that
condition, since putting edges of the cycle in place of others adds no root, and leaves the root's edge if
that enters the cycle. No score is changed by a large number, so none loses digits (Gabow & Tarjan 1984 on
such trees; Stanojević & Cohen 2021 on parsing with them).

Ties: a node takes the edge from the smallest of equally good heads, and paths begin at the first word that is
left. So the same scores always give the same tree; more is not promised, nor that the sums of two trees are
compared more exactly than differences of their scores are rounded.

No values are kept when a word is added: one new edge may close a cycle round words that come long before it,
and a comparison with all previous scores takes half as long as starting afresh (measured by `bench_trees`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.kernels.spanning import spanning_heads


def decode(
    scores: npt.NDArray[np.floating], single_root: bool, interrupt: Interrupt
) -> npt.NDArray[np.int32] | None:
    """Return the heads of the best tree, or None if interrupted; -1 for words without a head."""
    heads: npt.NDArray[np.int32] | None = spanning_heads(scores.T.copy(), single_root, interrupt.flag)
    return heads


def bytes_needed(n: int) -> int:
    return 12 * (n + 1) ** 2
