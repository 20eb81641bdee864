"""Walks over the sentences of a batch, by the scores of the network that is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from treewhile.incremental.parsers.labelled_computations import AHEAD
from treewhile.incremental.training.batches import Batch, rows_of_roles
from treewhile.incremental.training.computations import Codes, hidden_beyond
from treewhile.incremental.training.exploration import Explorer, Losses, Scorer, Visited
from treewhile.incremental.training.torch_layers import Explored

Decide = Callable[[Tensor], Tensor]  # what is left of the network once the words in all roles are added up


def explored(explorer: Explorer, batch: Batch, projected: Tensor, decide: Decide) -> Explored:
    """The configurations that the parser gets to, with the optimal classes and what waiting is worth.

    Each is there twice: as the parser saw it, and as one sees it that looks any other number of words ahead.
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
    """What a parser visits in each sentence of a batch that looks a number of words ahead."""
    explorables = [example.explorable for example in batch.examples if example.explorable]
    return explorer.walk(explorables, ahead, score)


def scorer_of(sentences: int, projected: Tensor, decide: Decide) -> Scorer:
    """What scores configurations in sentences, given projected[row, role, hidden] of their words."""
    roles = torch.arange(projected.shape[1], device=projected.device)

    def score(codes: Codes, sentence: Codes) -> npt.NDArray[np.float32]:
        rows = torch.from_numpy(rows_of_roles(codes, sentence, sentences)).to(projected.device)
        flat = rows * len(roles) + roles
        sums = functional.embedding_bag(flat, projected.flatten(0, 1), mode="sum")
        scores: npt.NDArray[np.float32] = decide(sums).float().cpu().numpy()
        return scores

    return score


def _with_ends_hidden(roles: Codes, sentence: Codes, ahead: Sequence[int]) -> Codes:
    """The roles as a parser without lookahead sees them before it is told that the sentence has ended.

    So in half of the sentences for such a parser; in the others the end is told at once.
    """
    is_hidden = (np.array(ahead) == 0) & (torch.rand(len(ahead)).numpy() < 0.5)
    unseen = hidden_beyond(roles, 0, True)
    return np.where(is_hidden[sentence][:, None], unseen, roles)


def _seen_anyhow(far_roles: Codes) -> Codes:
    """The roles, each as a parser sees them that looks any number of words ahead."""
    views = np.array([hidden_beyond(far_roles, words, False) for words in range(len(AHEAD) + 1)])
    chosen: Codes = views[torch.randint(len(views), (len(far_roles),)).numpy(), np.arange(len(far_roles))]
    return chosen
