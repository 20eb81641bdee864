"""Learning when sentences end, on the states of a finished parser, which is not changed.

The training data are all prefixes of all sentences, twice: as written, and as said, in small letters and
without punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.completeness_layers import COMPLETENESS, LENGTHS, UNITS
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_files import ModelFile, rounded
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.completeness_scores import LabelledPrefixes, inputs_by, truth_of

EPOCHS: Final = 6
BATCH: Final = 512  # prefixes
RATE: Final = 2e-3


class Layers(nn.Module):
    """Layers in training: logits of whether prefixes may end, and do."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(inputs, UNITS), nn.Linear(UNITS, 2)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = self.hidden(functional.dropout(inputs, 0.2, self.training))
        hidden = functional.leaky_relu(hidden, SLOPE)
        scores: Tensor = self.output(functional.dropout(hidden, 0.3, self.training))
        return scores


def learnt(model: Model, material: Sequence[LabelledPrefixes], seed: int = 1) -> dict[str, Array]:
    """Return the arrays of the layers, learnt from prefixes on the states of a model."""
    inputs = torch.from_numpy(inputs_by(model, material))
    torch.manual_seed(seed)
    network = Layers(inputs.shape[1])
    fit(network, inputs, material)
    named = network.state_dict().items()
    return rounded({f"{COMPLETENESS}.{name}": value.numpy().copy() for name, value in named})


def fit(network: nn.Module, inputs: Tensor, material: Sequence[LabelledPrefixes]) -> None:
    """Train a network on the labels of prefixes, in an order that torch's seed decides."""
    truth = torch.from_numpy(truth_of(material))
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.02)
    batches = [one for _ in range(EPOCHS) for one in torch.split(torch.randperm(len(inputs)), BATCH)]
    rates = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, len(batches))
    for batch in batches:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(network(inputs[batch]), truth[batch])
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        rates.step()


def with_completeness(file: ModelFile, arrays: Mapping[str, Array], told: Mapping[str, object]) -> ModelFile:
    """Return the model with the learnt layers, which fit only this model, and information on these."""
    said = {"units": UNITS, "lengths": LENGTHS, **told}
    return ModelFile({**file.arrays, **arrays}, {**file.information, COMPLETENESS: said})
