"""Scores of spans in torch, over a parser that stays as it is: what `parsers.span_layers` computes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.span_layers import OPENINGS, SpanShape
from treewhile.incremental.training.torch_layers import DROPOUT


class Spans(nn.Module):
    """Scores of spans, of their labels, and of what words begin and end."""

    def __init__(self, state: int, shape: SpanShape, labels: int) -> None:
        super().__init__()
        self.pair = nn.Parameter(torch.zeros(shape.units + 1, shape.units))
        self.begin = nn.Linear(2 * state, shape.units)
        self.end = nn.Linear(2 * state, shape.units)
        self.label_begin = nn.Linear(2 * state, shape.label_units)
        self.label_end = nn.Linear(2 * state, shape.label_units)
        self.label = nn.Linear(shape.label_units, labels)
        self.openings = nn.Linear(shape.label_units, len(OPENINGS))
        nn.init.orthogonal_(self.pair[:-1], gain=0.3)

    def scores(self, fences: Tensor) -> Tensor:
        """[sequence, first, last] for states[sequence, fence, unit]; words count from 0."""
        begins, ends = self._dropped(self.begin(fences)), self._dropped(self.end(fences))
        pairs = begins @ self.pair[:-1].T @ ends.transpose(1, 2)
        return (pairs + begins @ self.pair[-1][:, None])[:, :-1, 1:]

    def label_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """[span, label] for the states of the fences before spans and behind them."""
        scores: Tensor = self.label(self._units(befores, behinds))
        return scores

    def opening_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """[word, flag], likewise."""
        scores: Tensor = self.openings(self._units(befores, behinds))
        return scores

    def _units(self, befores: Tensor, behinds: Tensor) -> Tensor:
        begin, end = self.label_begin(befores), self.label_end(behinds)
        return self._dropped(begin + end + begin * end)

    def _dropped(self, sums: Tensor) -> Tensor:
        return functional.dropout(functional.leaky_relu(sums, SLOPE), DROPOUT, self.training)
