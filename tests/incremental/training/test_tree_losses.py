"""Losses of whole trees, judged by listing all trees."""

from __future__ import annotations

from math import inf

import pytest
import torch
from cases import cases, each_seed
from every_tree import Tree, trees_of
from torch import Tensor

from treewhile.incremental.training.tree_losses import likelihood_loss, margin_loss, tree_loss

UNKNOWN = -1


def padded(generator: torch.Generator, lengths: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, right heads and numbers of words of sentences side by side, as batches have them."""
    longest, count = max(lengths) + 2, len(lengths)
    scores = 3 * torch.randn(count, longest, longest, generator=generator, dtype=torch.double)
    heads = torch.full((count, longest), UNKNOWN)
    for s, n in enumerate(lengths):
        scores[s, :, n + 1 :] = -inf
        scores[s, range(n + 1), range(n + 1)] = -inf
        trees = one_rooted(n)
        heads[s, 1 : n + 1] = torch.tensor(trees[int(torch.randint(len(trees), (), generator=generator))])
    return scores, heads, torch.tensor(lengths)


def one_rooted(n: int, name: str = "any") -> list[Tree]:
    return [heads for heads in trees_of(name, n) if heads.count(0) == 1]


def score(scores: Tensor, heads: Tree) -> Tensor:
    return torch.stack([scores[word, head] for word, head in enumerate(heads, 1)]).sum()


@pytest.mark.parametrize("lengths", [[1], [2, 1], [3, 5, 2], [4, 4]])
def test_the_likelihood_is_that_among_all_trees_with_one_root(lengths: list[int]) -> None:
    scores, heads, words = padded(torch.Generator().manual_seed(sum(lengths)), lengths)
    found = likelihood_loss(scores, heads, words)
    for s, n in enumerate(lengths):
        every = torch.stack([score(scores[s], tree) for tree in one_rooted(n)])
        right = score(scores[s], tuple(heads[s, 1 : n + 1].tolist()))
        assert found[s].item() == pytest.approx((every.logsumexp(0) - right).item(), abs=1e-6)


def test_the_slope_of_the_likelihood_is_what_an_edge_is_expected_to_be_there_more_than_it_is() -> None:
    n = 4
    scores, heads, words = padded(torch.Generator().manual_seed(3), [n])
    scores.requires_grad_()
    likelihood_loss(scores, heads, words).sum().backward()
    every = one_rooted(n)
    chances = torch.stack([score(scores[0].detach(), tree) for tree in every]).softmax(0)
    assert scores.grad is not None
    for word in range(1, n + 1):
        for head in range(n + 1):
            expected = sum(
                float(chance) for chance, tree in zip(chances, every, strict=True) if tree[word - 1] == head
            )
            is_right = float(heads[0, word] == head)
            assert scores.grad[0, word, head].item() == pytest.approx(expected - is_right, abs=1e-6)


def test_two_words_that_want_each_other_leave_the_likelihood_a_number_with_a_slope() -> None:
    scores = torch.full((1, 4, 4), -inf)
    scores[0, 1:3, :3] = torch.tensor([[0.0, -inf, 200.0], [-5.0, 200.0, -inf]])
    heads = torch.tensor([[UNKNOWN, 0, 1, UNKNOWN]])
    scores.requires_grad_()
    loss = likelihood_loss(scores, heads, torch.tensor([2]))
    loss.sum().backward()
    assert scores.grad is not None
    assert loss.isfinite().all()
    assert scores.grad.nan_to_num(inf).isfinite().all()
    assert scores.grad[0, 1, 0] < 0  # the right edge is to score more


@each_seed(cases(5))
def test_the_margin_is_to_the_best_tree_of_the_class(seed: int) -> None:
    name, lengths = "any", [4, 2, 3]
    scores, heads, words = padded(torch.Generator().manual_seed(seed), lengths)
    found = margin_loss(name, scores, heads, words)
    for s, n in enumerate(lengths):
        right = tuple(heads[s, 1 : n + 1].tolist())
        best = max(
            score(scores[s], tree).item() + sum(a != b for a, b in zip(tree, right, strict=True))
            for tree in one_rooted(n, name)
        )
        assert found[s].item() == pytest.approx(max(best - score(scores[s], right).item(), 0), abs=1e-6)


def test_a_loss_is_chosen_by_the_name_of_what_decodes() -> None:
    given = padded(torch.Generator().manual_seed(1), [3])
    likelihood, margin = tree_loss("likelihood"), tree_loss("any")
    assert likelihood is not None
    assert margin is not None
    assert likelihood(*given).equal(likelihood_loss(*given))
    assert margin(*given).equal(margin_loss("any", *given))
    assert tree_loss("none") is None
