"""Scores of spans in torch, on the states of a fixed parser: the computation of `parsers.span_layers`."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.span_layers import OPENINGS, SpanShape
from treewhile.incremental.training.torch_layers import DROPOUT


class Spans(nn.Module):
    """Scores of spans, of their labels, and of the openings at words."""

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
        """Return [sequence, first, last] for states[sequence, fence, unit]; words count from 0."""
        begins, ends = self._dropped(self.begin(fences)), self._dropped(self.end(fences))
        pairs = begins @ self.pair[:-1].T @ ends.transpose(1, 2)
        return (pairs + begins @ self.pair[-1][:, None])[:, :-1, 1:]

    def label_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """Return [span, label] for the states of the fences before and behind spans."""
        scores: Tensor = self.label(self._units(befores, behinds))
        return scores

    def opening_scores(self, befores: Tensor, behinds: Tensor) -> Tensor:
        """Return [word, flag] for the states of the fences before and behind words."""
        scores: Tensor = self.openings(self._units(befores, behinds))
        return scores

    def _units(self, befores: Tensor, behinds: Tensor) -> Tensor:
        begin, end = self.label_begin(befores), self.label_end(behinds)
        return self._dropped(begin + end + begin * end)

    def _dropped(self, sums: Tensor) -> Tensor:
        return functional.dropout(functional.leaky_relu(sums, SLOPE), DROPOUT, self.training)
