"""How unlikely the right head of each word is, given the heads that arcs alone would choose for all others.

That is learnt from without a decoder: what a word adds to the score of a tree depends on few other words. By
grandparents it is its own triple and those of its children; by siblings its own and that of the next child of
the head beyond it, which without the word would be a neighbour of the one before. Words below it in the right
tree are left out, since it is for trees, not for triples, to keep them from being its head.

Given the right heads of the others (the pseudo-likelihood of Besag 1975) triples would come to count too
much, since no decoder knows these: on the dev part of Gothic, siblings then lose half a point of UAS.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from treewhile.incremental.parsers.network_shapes import SIBLINGS
from treewhile.incremental.training.computations import UNKNOWN


class ScoredTrees(NamedTuple):
    """Whole trees, padded, and what is said of them."""

    arcs: Tensor  # [sentence, child, head]
    triples: Tensor  # [sentence, third, head, dependent]
    heads: Tensor  # [sentence, child]
    words: Tensor  # [sentence]


def triple_loss(kind: str, trees: ScoredTrees) -> Tensor:
    """The mean over all words of minus the logarithm of the share of the right head."""
    are_words = _are_words(trees)
    edges = _edges(trees.arcs.detach().argmax(2), are_words)
    added = _by_siblings(trees.triples, edges) if kind == SIBLINGS else _by_grandparents(trees.triples, edges)
    targets = trees.heads.masked_fill(~are_words, UNKNOWN)
    is_barred = _are_below(_edges(trees.heads, are_words)) & are_words.unsqueeze(2)
    scores = (trees.arcs + added).masked_fill(is_barred, -torch.inf)
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=UNKNOWN)


def _are_words(trees: ScoredTrees) -> Tensor:
    """[sentence, node]"""
    nodes = torch.arange(trees.heads.shape[1], device=trees.heads.device)
    return (nodes > 0) & (nodes <= trees.words.unsqueeze(1))


def _edges(heads: Tensor, are_words: Tensor) -> Tensor:
    """[sentence, head, child]: whether that is an edge."""
    nodes = torch.arange(heads.shape[1], device=heads.device)
    return (heads.unsqueeze(1) == nodes[:, None]) & are_words.unsqueeze(1)


def _are_below(edges: Tensor) -> Tensor:
    """[sentence, child, head]: whether the head is below the child in a tree."""
    below = edges.float()
    for _ in range(edges.shape[1].bit_length()):
        below = (below + below @ below).clamp(max=1)
    return below > 0


def _by_grandparents(triples: Tensor, edges: Tensor) -> Tensor:
    """[sentence, child, head]: what the triples come to that an edge would be in."""
    is_edge = edges.to(triples.dtype)
    as_lower = torch.einsum("sgh,sghc->sch", is_edge, triples)
    as_upper = torch.einsum("scd,shcd->sch", is_edge, triples)
    return as_lower + as_upper


def _by_siblings(triples: Tensor, edges: Tensor) -> Tensor:
    """[sentence, child, head]: what an edge would bring by its triples, less those that it would part."""
    before, after = _neighbours(edges)
    sentence, head, child = torch.ones_like(edges).nonzero().T.view(3, *edges.shape)
    is_right = child > head
    inner = torch.where(is_right, before.maximum(head), after.minimum(head))
    outer = torch.where(is_right, after, before)
    has_outer = (outer >= 0) & (outer < edges.shape[2])
    outer = outer.where(has_outer, head)
    parted = triples[sentence, child, head, outer] - triples[sentence, inner, head, outer]
    added = triples[sentence, inner, head, child] + parted.where(has_outer, 0.0)
    return added.transpose(1, 2)


def _neighbours(edges: Tensor) -> tuple[Tensor, Tensor]:
    """[sentence, head, place]: the children of a head next to a place, or -1, and the number of nodes."""
    size = edges.shape[2]
    places = torch.arange(size, device=edges.device).expand_as(edges)
    before = places.where(edges, -1).cummax(2).values.roll(1, 2)
    before[..., 0] = -1
    after = places.where(edges, size).flip(2).cummin(2).values.flip(2).roll(-1, 2)
    after[..., -1] = size
    return before, after
