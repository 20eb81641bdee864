"""The likelihood of each head given those that arcs choose for all others, judged by scoring the whole."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
import torch
from cases import cases, each_seed
from every_tree import Tree, projection, trees_of
from torch import Tensor

from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, KINDS, SIBLINGS
from treewhile.incremental.parsers.second_order_decoding import Scored, score_by_grandparents
from treewhile.incremental.training.triple_losses import ScoredTrees, triple_loss
from treewhile.oracles.trees.sibling_decoding import sibling_score

UNKNOWN = -100


def drawn_trees(seed: int, lengths: list[int]) -> ScoredTrees:
    """Sentences side by side, as batches have them, with random scores and trees."""
    generator = torch.Generator().manual_seed(seed)
    nodes, count = max(lengths) + 2, len(lengths)
    arcs = torch.randn(count, nodes, nodes, generator=generator)
    triples = torch.randn(count, nodes, nodes, nodes, generator=generator)
    heads = torch.full((count, nodes), UNKNOWN)
    for s, n in enumerate(lengths):
        arcs[s, :, n + 1 :] = -inf
        arcs[s, range(nodes), range(nodes)] = -inf
        trees = trees_of("any", n)
        heads[s, 1 : n + 1] = torch.tensor(trees[int(torch.randint(len(trees), (), generator=generator))])
    return ScoredTrees(arcs, triples, heads, torch.tensor(lengths))


def worth(kind: str, trees: ScoredTrees, s: int, heads: Tree) -> float:
    """What the heads of a sentence are worth, be they a tree or not."""
    nodes = len(heads) + 1
    arcs = trees.arcs[s, :nodes, :nodes].T.double().numpy()
    triples = trees.triples[s, :nodes, :nodes, :nodes].numpy()
    if kind == SIBLINGS:
        return sibling_score(heads, arcs, triples.transpose(1, 0, 2))
    return score_by_grandparents(Scored(arcs, triples), np.array(heads, np.int32))


def loss_by_definition(kind: str, trees: ScoredTrees) -> float:
    losses = []
    for s, n in enumerate(trees.words.tolist()):
        chosen: Tree = tuple(trees.arcs[s, 1 : n + 1].argmax(1).tolist())
        right: Tree = tuple(trees.heads[s, 1 : n + 1].tolist())
        for word in range(1, n + 1):
            heads = [head for head in range(n + 1) if head not in projection(right, word)]
            changed = [(*chosen[: word - 1], head, *chosen[word:]) for head in heads]
            scores = torch.tensor([worth(kind, trees, s, one) for one in changed])
            losses.append(float(scores.logsumexp(0) - scores[heads.index(int(trees.heads[s, word]))]))
    return sum(losses) / len(losses)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lengths", [[1], [2, 1], [3, 5, 2], [4, 4], [5, 5, 5, 5]])
@each_seed(cases(5))
def test_the_loss_is_that_of_each_head_not_below_the_word_while_all_others_stay(
    kind: str, lengths: list[int], seed: int
) -> None:
    trees = drawn_trees(seed, lengths)
    assert triple_loss(kind, trees).item() == pytest.approx(loss_by_definition(kind, trees), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_slope_of_the_loss_is_a_number(kind: str) -> None:
    trees = drawn_trees(1, [5, 1, 3])
    leaves: list[Tensor] = [trees.arcs.requires_grad_(), trees.triples.requires_grad_()]
    triple_loss(kind, trees).backward()
    for leaf in leaves:
        assert leaf.grad is not None
        assert leaf.grad.isfinite().all()
        assert leaf.grad.abs().sum() > 0


def test_grandparents_of_words_under_the_root_count_nothing() -> None:
    trees = drawn_trees(3, [3])
    before = triple_loss(GRANDPARENTS, trees).item()
    trees.triples[:, :, 0] = 7.0
    assert triple_loss(GRANDPARENTS, trees).item() == before
