"""The best of all trees, whatever edges cross: spanning trees of a dense graph, O(n^2).

Each word takes its best edge. Where that closes a circle, its words become one node: in the end one edge
comes into it from outside, and replaces the edge into the word that it goes to. So with s the scores and b(w)
that of the edge that w has taken, the best edge from u into the circle C is worth

    s(u, C) = best over w in C of s(u, w) - b(w)

and the best tree of the smaller graph gives that of the larger one, as circles are opened again (Chu & Liu
1965, Edmonds 1967). A path that grows upwards from a word until it meets the root, or what has a way to it,
closes circles at its upper end alone, so that all edges are looked at in O(n^2) (Tarjan 1977, for dense
graphs).

One root. Edges from 0 are held back: no word takes one while it has another. So words are contracted until a
node is left that no edge enters from another word. That node alone can hold the word under the root, since
each word has to have a way up to it; the best of the held edges into it is taken, worth what contractions
have made of it. A second node of that kind means that there is no tree with one root. Why that is exact:
among the best trees with one root there is one with all edges of the circle but one, as there is without that
condition, since putting edges of the circle in place of others adds no root, and leaves the root's edge where
that enters the circle. No score is changed by a large number, so none loses digits (Gabow & Tarjan 1984 on
such trees; Stanojević & Cohen 2021 on parsing with them).

Ties: a node takes the edge from the smallest of equally good heads, and paths begin at the first word that is
left. So the same scores always give the same tree; more is not promised, nor that the sums of two trees are
compared more exactly than differences of their scores are rounded.

Nothing is kept where a word is added: one new edge may close a circle round words that come long before it,
and to compare all scores with those before takes half as long as to start afresh (`bench_trees` measures it).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.kernels.spanning import spanning_heads


def decode(
    scores: npt.NDArray[np.floating], single_root: bool, interrupt: Interrupt
) -> npt.NDArray[np.int32] | None:
    """The heads of the best tree, or None if interrupted; -1 for words without one, if there is none."""
    heads: npt.NDArray[np.int32] | None = spanning_heads(scores.T.copy(), single_root, interrupt.flag)
    return heads


def bytes_needed(n: int) -> int:
    return 12 * (n + 1) ** 2
