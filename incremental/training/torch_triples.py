"""Scores of triples in torch, over a parser that stays as it is: what `parsers.triple_layers` computes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.network_shapes import SIBLINGS, SLOPE
from treewhile.incremental.training.torch_layers import DROPOUT


class Triples(nn.Module):
    """Scores of triples of one kind; those of all are 0 at first."""

    def __init__(self, kind: str, state: int, units: int) -> None:
        super().__init__()
        self.third = nn.Linear(state, units)
        self.head = nn.Linear(state, units)
        self.dependent = nn.Linear(state, units)
        nn.init.zeros_(self.dependent.weight)
        nn.init.zeros_(self.dependent.bias)
        self.first = nn.Parameter(torch.ones(units)) if kind == SIBLINGS else None

    def forward(self, late: Tensor) -> Tensor:
        """[sequence, third, head, dependent] for states[node, sequence, unit]."""
        late = late.transpose(0, 1)
        third, head = self._dropped(self.third(late)), self._dropped(self.head(late))
        pairs = third.unsqueeze(2) * head.unsqueeze(1)
        if self.first is not None:
            is_first = torch.eye(pairs.shape[1], dtype=torch.bool, device=late.device)[..., None]
            pairs = torch.where(is_first, (self.first * head).unsqueeze(1), pairs)
        return torch.einsum("sthu,sdu->sthd", pairs, self.dependent(late))

    def _dropped(self, sums: Tensor) -> Tensor:
        return functional.dropout(functional.leaky_relu(sums, SLOPE), DROPOUT, self.training)
