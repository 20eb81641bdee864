"""Learner: a network with its optimizer, batch by batch, and the mean of its latest weights.

Between epochs, moments and the differences from the weights to their mean keep the leading eight bits of
their fractions, both in an uninterrupted run and in one that is read from a checkpoint: so both end alike,
and a checkpoint has half the size that it would have otherwise. Weights themselves are never rounded in
training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from treewhile.incremental.parsers.model_files import Arrays, rounded
from treewhile.incremental.training.batches import Batch
from treewhile.incremental.training.exploration import UNKNOWN
from treewhile.incremental.training.torch_layers import Explore, chosen_device
from treewhile.incremental.training.torch_network import TorchNetwork
from treewhile.incremental.training.tree_losses import TreeLoss

# Weight of each loss; arcs, trees, labels and patience have weight 1.
WEIGHTS: Final = {
    "early_tags": 0.3,
    "early_features": 0.3,
    "tags": 0.5,
    "features": 0.5,
    "steps": 0.5,
    "awaiting": 0.5,
}

LARGEST_GRADIENT: Final = 5.0
AVERAGED: Final = 0.999  # share of the averaged weights that stays at every batch
MOMENTS: Final = ("exp_avg", "exp_avg_sq")  # names of the optimizer


class Learner:
    """Network in training, in any state."""

    def __init__(
        self, network: TorchNetwork, learning_rate: float, tree_loss: TreeLoss | None = None
    ) -> None:
        self._device = chosen_device()
        self.network = network.to(self._device)
        named = self.network.named_parameters()
        self._learnt = {name: parameter for name, parameter in named if parameter.requires_grad}
        self._tree_loss = tree_loss
        self._averaged = [parameter.detach().clone() for parameter in self._learnt.values()]
        self._optimizer = torch.optim.AdamW(
            self._learnt.values(), learning_rate, betas=(0.9, 0.95), weight_decay=0.01, fused=True
        )
        self._ways: list[Tensor] = []  # from the weights to their mean, at the end of the last epoch
        self.batches_done = 0

    def learn(
        self, batch: Batch, rate: float, explore: Explore | None, steps_alone: bool
    ) -> dict[str, float]:
        """Train the network on a batch; return the losses."""
        self.network.train()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad()
        batch = batch.to(self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=_has_half_precision(self._device)):
            scores = self.network(batch, explore, steps_alone=steps_alone)
        scores = {name: values.float() for name, values in scores.items()}
        losses = _losses(scores, batch.targets) | self._losses_of_trees(scores, batch)
        losses |= _losses_of_beliefs(scores, batch.taught)
        self.batches_done += 1
        self._go_down(losses)
        return {name: loss.item() for name, loss in losses.items()}

    def _go_down(self, losses: Mapping[str, Tensor]) -> None:
        torch.stack([WEIGHTS.get(name, 1) * loss for name, loss in losses.items()]).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._learnt.values(), LARGEST_GRADIENT)
        self._optimizer.step()
        self._average()

    def _losses_of_trees(self, scores: Mapping[str, Tensor], batch: Batch) -> dict[str, Tensor]:
        """Return the mean loss a word of whole trees, where trees are learnt."""
        rows, words = batch.whole_trees, batch.words_of_trees
        if self._tree_loss is None or "arcs" not in scores or not rows.numel():
            return {}
        losses = self._tree_loss(scores["arcs"][rows], batch.targets["arcs"][rows], words)
        return {"trees": losses.sum() / words.sum()}

    @torch.no_grad()
    def _average(self) -> None:
        kept = min(AVERAGED, self.batches_done / (self.batches_done + 9))
        torch._foreach_lerp_(self._averaged, [*self._learnt.values()], 1 - kept)

    def averaged(self) -> Arrays:
        """Return the mean of the latest weights, rounded as in storage."""
        pairs = zip(self._learnt, self._averaged, strict=True)
        return rounded({name: value.cpu().clone().numpy() for name, value in pairs})

    @contextmanager
    def with_weights(self, arrays: Arrays) -> Iterator[TorchNetwork]:
        """Yield the network with these weights, in evaluation mode."""
        before = {name: parameter.detach().clone() for name, parameter in self._learnt.items()}
        weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self.network.load_state_dict(weights, strict=False)
        try:
            yield self.network.eval()
        finally:
            self.network.load_state_dict(before, strict=False)

    @torch.no_grad()
    def end_epoch(self) -> None:
        """Round the values that a checkpoint holds rounded."""
        for moments in self._optimizer.state.values():
            for name in MOMENTS:
                moments[name].copy_(moments[name].bfloat16())
        pairs = zip(self._averaged, self._learnt.values(), strict=True)
        self._ways = [(average - weight).bfloat16() for average, weight in pairs]
        self._go_ways()

    def _go_ways(self) -> None:
        """Set the mean to the weights plus their differences."""
        pairs = zip(self._learnt.values(), self._ways, strict=True)
        self._averaged = [weight.detach() + way for weight, way in pairs]

    def state(self) -> dict[str, Any]:
        """Return the state after an epoch, from which learning can go on."""
        optimizer = self._optimizer.state_dict()
        optimizer["state"] = {
            number: {name: _halved(name, value) for name, value in moments.items()}
            for number, moments in optimizer["state"].items()
        }
        weights = {name: parameter.detach() for name, parameter in self._learnt.items()}
        return {
            "weights": weights,
            "ways": self._ways,
            "optimizer": optimizer,
            "batches_done": self.batches_done,
        }

    def go_on_from(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the same network."""
        self.network.load_state_dict(state["weights"], strict=False)
        self._optimizer.load_state_dict(state["optimizer"])
        self._ways = [way.to(self._device) for way in state["ways"]]
        self._go_ways()
        self.batches_done = state["batches_done"]


def _halved(name: str, value: Tensor) -> Tensor:
    """Return moments, which an epoch has rounded, in half the bytes; the number of steps unchanged."""
    return value.bfloat16() if name in MOMENTS else value


def _losses(scores: Mapping[str, Tensor], targets: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the mean loss of each kind of decision.

    For a step this is the negative log-probability of the set of optimal steps; for patience the squared
    error.
    """
    optimal = scores["steps"].masked_fill(scores["optimal_steps"] == 0, -torch.inf)
    steps = (scores["steps"].logsumexp(-1) - optimal.logsumexp(-1)).mean()
    others = {
        name: functional.cross_entropy(scores[name].flatten(0, -2), target.flatten(), ignore_index=UNKNOWN)
        for name, target in targets.items()
        if name in scores and bool((target != UNKNOWN).any())
    }
    if "known_patience" in scores:
        others["patience"] = functional.mse_loss(scores["patience"], scores["known_patience"])
    return {"steps": steps, **others}


def _losses_of_beliefs(scores: Mapping[str, Tensor], taught: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the mean cross entropy to what teachers believe; what they leave open does not count."""
    losses = {}
    for name, chances in taught.items():
        logs = scores[name].log_softmax(-1)
        seen = torch.where(logs > -torch.inf, logs, 0.0) * chances
        losses[f"taught {name}"] = -seen.sum() / chances.sum().clamp(min=1)
    return losses


def _has_half_precision(device: torch.device) -> bool:
    """Return whether the machine multiplies matrices of half the precision faster than others."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", bool)())
