"""Walks over the sentences of a batch, by the scores of the network in training."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from treewhile.incremental.parsers.shift_reduce import AHEAD
from treewhile.incremental.training.batches import Batch, rows_of_roles
from treewhile.incremental.training.exploration import Codes, Explorer, Losses, Scorer, Visited, hidden_beyond
from treewhile.incremental.training.torch_layers import Explored

Decide = Callable[[Tensor], Tensor]  # rest of the network after the sum over the words in all roles


def explored(explorer: Explorer, batch: Batch, projected: Tensor, decide: Decide) -> Explored:
    """Return the visited configurations, with the optimal classes and the value of waiting.

    Each is there twice: as the parser saw the configuration, and with any other number of words of lookahead.
    """
    score = scorer_of(len(batch.examples), projected, decide)
    visited = walked(explorer, batch, batch.ahead, score)

    def losses(codes: Codes) -> Losses:
        return explorer.losses_of_best(visited, score(codes, visited.sentence))

    views = [
        _with_ends_hidden(visited.roles, visited.sentence, batch.ahead),
        _seen_anyhow(visited.far_roles),
    ]
    far = losses(visited.far_roles)
    found = (
        np.concatenate([rows_of_roles(codes, visited.sentence, len(batch.examples)) for codes in views]),
        np.concatenate([visited.optimal] * len(views)),
        np.concatenate([losses(codes) - far for codes in views]),
    )
    return Explored(*(torch.from_numpy(array).to(projected.device) for array in found))


def walked(explorer: Explorer, batch: Batch, ahead: Sequence[int], score: Scorer) -> Visited:
    """Return the configurations visited in each sentence of a batch by a parser with the given lookahead."""
    explorables = [example.explorable for example in batch.examples if example.explorable]
    return explorer.walk(explorables, ahead, score)


def scorer_of(sentences: int, projected: Tensor, decide: Decide) -> Scorer:
    """Return the scorer of configurations in sentences, given projected[row, role, hidden] of their words."""
    roles = torch.arange(projected.shape[1], device=projected.device)

    def score(codes: Codes, sentence: Codes) -> npt.NDArray[np.float32]:
        rows = torch.from_numpy(rows_of_roles(codes, sentence, sentences)).to(projected.device)
        flat = rows * len(roles) + roles
        sums = functional.embedding_bag(flat, projected.flatten(0, 1), mode="sum")
        scores: npt.NDArray[np.float32] = decide(sums).float().cpu().numpy()
        return scores

    return score


def _with_ends_hidden(roles: Codes, sentence: Codes, ahead: Sequence[int]) -> Codes:
    """Return the roles as a parser without lookahead sees them before the end of the sentence is known.

    The end is hidden in half of the sentences for such a parser; in the others it is known at once.
    """
    is_hidden = (np.array(ahead) == 0) & (torch.rand(len(ahead)).numpy() < 0.5)
    unseen = hidden_beyond(roles, 0, True)
    return np.where(is_hidden[sentence][:, None], unseen, roles)


def _seen_anyhow(far_roles: Codes) -> Codes:
    """Return the roles, each as seen with a random number of words of lookahead."""
    views = np.array([hidden_beyond(far_roles, words, False) for words in range(len(AHEAD) + 1)])
    chosen: Codes = views[torch.randint(len(views), (len(far_roles),)).numpy(), np.arange(len(far_roles))]
    return chosen
