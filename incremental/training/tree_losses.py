"""Losses of whole trees, beside the loss of each word's head alone: computed with a decoder or a sum.

Of each sentence there are scores[sentence, child, head] and heads[sentence, child], both padded, the root
being node 0, and its number of words.

Likelihood: the sum over all trees with one word under the root is the determinant of their Laplacian, in
which the edges of the root take the place of one word as head (Koo et al. 2007). The edges to a word are
divided by the best one, and count as this one over e^20 at least: else no number would tell whether two words
that want each other as heads can be in a tree.

Margin: how much better the best tree of a class scores than the right one, each wrong head counting 1 more
(McDonald et al. 2005). It is 0 where that would be less, as it can be for a right tree outside the class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor

from treewhile.incremental.training.settings import LIKELIHOOD, NO_DECODER
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.best_trees import decode_edges

# Loss [sentence], from scores, heads and numbers of words.
TreeLoss = Callable[[Tensor, Tensor, Tensor], Tensor]

LEAST: Final = np.exp(-20.0)


def tree_loss(decoder: str) -> TreeLoss | None:
    """Return no loss, the likelihood, or the margin to the best tree of a class, by a name in settings."""
    if decoder == NO_DECODER:
        return None
    return likelihood_loss if decoder == LIKELIHOOD else partial(margin_loss, decoder)


def likelihood_loss(scores: Tensor, heads: Tensor, words: Tensor) -> Tensor:
    """Return [sentence]: minus the log-probability of the right tree among trees with a single root."""
    return _log_sum(scores.double(), words) - _score(scores, heads, words)


def margin_loss(trees: str, scores: Tensor, heads: Tensor, words: Tensor) -> Tensor:
    """Return [sentence]: the margin of a class's best tree over the right one, with cost 1 a wrong head."""
    wrong = torch.ones_like(scores).scatter_(2, heads.clamp(min=0).unsqueeze(2), 0.0)
    with torch.no_grad():
        best = _best_heads(trees, (scores + wrong), words)
    of_best = _score(scores + wrong, best, words)
    return (of_best - _score(scores, heads, words)).clamp(min=0)


def _score(scores: Tensor, heads: Tensor, words: Tensor) -> Tensor:
    """Return [sentence]: the sum of the scores of the edges of a tree."""
    edges = scores.gather(2, heads.clamp(min=0).unsqueeze(2)).squeeze(2)
    return torch.where(_are_words(scores, words), edges, 0.0).sum(1)


def _are_words(scores: Tensor, words: Tensor) -> Tensor:
    """Return the mask [sentence, node] of words."""
    nodes = torch.arange(scores.shape[1], device=scores.device)
    return (nodes > 0) & (nodes <= words.unsqueeze(1))


def _log_sum(scores: Tensor, words: Tensor) -> Tensor:
    """Return [sentence]: the logarithm of the sum over all trees with a single root."""
    n = int(words.max())
    are_words = _are_words(scores, words)[:, 1 : n + 1]
    edges = scores[:, 1 : n + 1, : n + 1].masked_fill(~are_words.unsqueeze(2), 0.0)
    best = edges.detach().amax(2, keepdim=True)
    is_edge = (edges > -torch.inf) & are_words.unsqueeze(2)
    weights = (edges - best).exp().clamp(min=LEAST) * is_edge
    return _laplacian(weights, are_words).logdet() + best.squeeze(2).sum(1)


def _laplacian(weights: Tensor, are_words: Tensor) -> Tensor:
    """Return the Laplacian [sentence, child, head] of weights[sentence, child, head], the root being head 0.

    The part behind the last word is that of the unit matrix.
    """
    inner = weights[:, :, 1:]
    diagonal = torch.where(are_words, inner.sum(2), 1.0)
    laplacian = torch.diag_embed(diagonal) - inner
    return torch.cat([weights[:, :, :1], laplacian[:, :, 1:]], 2)


def _best_heads(trees: str, scores: Tensor, words: Tensor) -> Tensor:
    """Return [sentence, child]: the heads of the best trees of a class."""
    heads = np.zeros(scores.shape[:2], np.int64)
    for row, sentence, n in zip(heads, scores.double().cpu().numpy(), words.tolist(), strict=True):
        by_head = np.ascontiguousarray(sentence[: n + 1, : n + 1].T)
        found = decode_edges(by_head, trees, single_root=True, interrupt=Interrupt())
        assert found is not None  # without an interrupt
        row[1 : n + 1] = found.heads
    return torch.from_numpy(heads).to(scores.device)
