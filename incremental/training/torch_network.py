"""The network in torch, for training: what `treewhile.incremental.parsers.network` computes, on batches.

The names of the parameters are those of the arrays in a model file. What is dropped out between recurrent
layers is the same at every time of a sequence (Gal & Ghahramani 2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, NGRAM_ROWS, Inventory
from treewhile.incremental.parsers.network_shapes import MISSING, ROLES, SLOPE, SPECIAL, Shape
from treewhile.incremental.training.batches import Batch

DROPOUT = 0.33
EMBEDDING_SCALE = 0.3

# Given a batch, the projections[row, role, hidden] of all roles and the rest of the step scorer: the rows of
# the roles, and the optimal classes, of configurations that the parser itself gets to.
Explore = Callable[[Batch, Tensor, Callable[[Tensor], Tensor]], tuple[Tensor, Tensor]]


class TorchNetwork(nn.Module):
    """All parameters; `forward` gives every score that is trained on."""

    def __init__(self, inventory: Inventory, shape: Shape) -> None:
        super().__init__()
        H, labels = shape.state, len(inventory.labels)
        word = shape.word(bool(inventory.values))
        self.shape = shape
        self.forms = nn.Embedding(len(inventory.forms) + 1, shape.form)
        self.ngrams = nn.EmbeddingBag(NGRAM_ROWS, shape.ngrams, mode="mean")
        self.characters = nn.Embedding(len(inventory.characters) + len(CHARACTER_CLASSES), shape.character)
        self.spelling_forward = nn.LSTM(shape.character, shape.spelling)
        self.spelling_backward = nn.LSTM(shape.character, shape.spelling)
        self.values = (
            nn.EmbeddingBag(len(inventory.values), shape.values, mode="sum", include_last_offset=True)
            if inventory.values
            else None
        )
        self.causal_first = nn.LSTM(word, H)
        self.causal_second = nn.LSTM(H, H)
        self.special = nn.Parameter(torch.randn(len(SPECIAL) + len(inventory.stock), word + H) * 0.1)
        self.backward_first = nn.LSTM(word + H, H)
        self.forward_second = nn.LSTM(2 * H, H)
        self.backward_second = nn.LSTM(2 * H, H)
        self.early_tags = _Tagger(H, shape.tagger, inventory)
        self.tags = _Tagger(2 * H, shape.tagger, inventory)
        self.arc_head = nn.Linear(2 * H, shape.arc)
        self.arc_child = nn.Linear(2 * H, shape.arc)
        self.arc = nn.Parameter(torch.zeros(shape.arc + 1, shape.arc))
        self.label_head = nn.Linear(2 * H, shape.label)
        self.label_child = nn.Linear(2 * H, shape.label)
        self.label = nn.Linear(shape.label, labels)
        self.missing = nn.Parameter(torch.randn(len(MISSING), H) * 0.1)
        self.roles = nn.Linear(H, len(ROLES) * shape.steps, bias=False)
        self.steps_bias = nn.Parameter(torch.zeros(shape.steps))
        self.steps = nn.Linear(shape.steps, 1 + 2 * labels)
        self._start()

    def _start(self) -> None:
        for embedding in (self.forms, self.ngrams, self.characters, self.values):
            if embedding is not None:
                nn.init.normal_(embedding.weight, std=EMBEDDING_SCALE)
        nn.init.orthogonal_(self.arc[:-1], gain=0.3)
        for layer in self.modules():
            if isinstance(layer, nn.LSTM):
                _start_recurrent(layer)

    def forward(self, batch: Batch, explore: Explore | None = None) -> dict[str, Tensor]:
        """Scores by the names of their targets, and what they are scores of where that is not the batch's."""
        words = self._drop_in_time(self._words(batch))
        first = self._drop_in_time(self.causal_first(words)[0])
        causal = self._drop_in_time(self.causal_second(first)[0])
        scores = self._step_scores(batch, causal, explore)
        scores["early_tags"], scores["early_features"] = self.early_tags(
            causal.flatten(0, 1)[batch.word_rows]
        )
        return scores | self._arc_scores(batch, words, causal) if batch.nodes.numel() else scores

    def _words(self, batch: Batch) -> Tensor:
        """[place, sentence, unit]"""
        ngrams = self.ngrams(batch.ngrams, batch.ngram_starts)[batch.words]
        parts = [self.forms(batch.forms), ngrams, self._spellings(batch)[batch.words]]
        if self.values is not None:
            parts.append(self.values(batch.values, batch.value_ends).view(*batch.words.shape, -1))
        return torch.cat(parts, dim=-1)

    def _spellings(self, batch: Batch) -> Tensor:
        """[type, unit]"""
        groups = []
        for characters, backwards, last in batch.spellings:
            along = torch.arange(len(last), device=last.device)
            forward, _ = self.spelling_forward(self.characters(characters))
            backward, _ = self.spelling_backward(self.characters(backwards))
            groups.append(torch.cat([forward[last, along], backward[last, along]], dim=-1))
        return torch.cat(groups)

    def _step_scores(self, batch: Batch, causal: Tensor, explore: Explore | None) -> dict[str, Tensor]:
        table = torch.cat([self.missing, causal.flatten(0, 1)])
        projected = self.roles(table).view(len(table), len(ROLES), -1)
        rows, optimal = batch.role_rows, batch.optimal_steps
        if explore is not None:
            rows, optimal = explore(batch, projected.detach(), self._decide)
        chosen = projected[rows, torch.arange(len(ROLES), device=rows.device)].sum(1)
        return {"steps": self.steps(self._drop(self._hidden(chosen))), "optimal_steps": optimal}

    def _hidden(self, chosen: Tensor) -> Tensor:
        return functional.leaky_relu(chosen + self.steps_bias, SLOPE)

    @torch.no_grad()
    def _decide(self, chosen: Tensor) -> Tensor:
        """[step, class] for the sums[step, hidden] of what the words in the roles add."""
        scores: Tensor = self.steps(self._hidden(chosen))
        return scores

    def _arc_scores(self, batch: Batch, words: Tensor, causal: Tensor) -> dict[str, Tensor]:
        H = self.shape.state
        inputs = torch.cat([words, causal], dim=-1).flatten(0, 1)
        table = torch.cat([inputs.new_zeros(1, inputs.shape[1]), self.special, inputs])
        sequences = torch.arange(batch.nodes.shape[1], device=inputs.device)
        right_to_left = self._drop_in_time(self.backward_first(table[batch.nodes_reversed])[0])
        early = torch.cat([table[batch.nodes][..., -H:], right_to_left[batch.reverse, sequences]], dim=-1)
        forward, _ = self.forward_second(early)
        backward, _ = self.backward_second(early[batch.reverse, sequences])
        late = self._drop_in_time(torch.cat([forward, backward[batch.reverse, sequences]], dim=-1))
        tags, features = self.tags(early.flatten(0, 1)[batch.tagged_rows])
        flat = late.flatten(0, 1)
        labels = self._labels(flat[batch.labelled_heads], flat[batch.labelled_children])
        return {"tags": tags, "features": features, "arcs": self._arcs(late) + batch.barred, "labels": labels}

    def _arcs(self, late: Tensor) -> Tensor:
        """[sequence, child, head]"""
        heads = self._drop(functional.leaky_relu(self.arc_head(late), SLOPE)).transpose(0, 1)
        children = self._drop(functional.leaky_relu(self.arc_child(late), SLOPE)).transpose(0, 1)
        scores: Tensor = (children @ self.arc[:-1] + self.arc[-1]) @ heads.transpose(1, 2)
        return scores

    def _labels(self, heads: Tensor, children: Tensor) -> Tensor:
        head, child = self.label_head(heads), self.label_child(children)
        scores: Tensor = self.label(self._drop(functional.leaky_relu(head + child + head * child, SLOPE)))
        return scores

    def _drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, DROPOUT, self.training)

    def _drop_in_time(self, values: Tensor) -> Tensor:
        if not self.training:
            return values
        kept = values.new_full((1, *values.shape[1:]), 1 - DROPOUT).bernoulli_()
        return values * (kept / (1 - DROPOUT))


class _Tagger(nn.Module):
    def __init__(self, width: int, hidden: int, inventory: Inventory) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, hidden)
        self.tags = nn.Linear(hidden, len(inventory.tags))
        self.features = nn.Linear(hidden, len(inventory.features))

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        hidden = functional.dropout(functional.leaky_relu(self.hidden(states), SLOPE), DROPOUT, self.training)
        return self.tags(hidden), self.features(hidden)


def _start_recurrent(layer: Any) -> None:
    """Nothing is forgotten at first: that gate begins open."""
    nn.init.orthogonal_(layer.weight_hh_l0)
    nn.init.zeros_(layer.bias_hh_l0)
    nn.init.zeros_(layer.bias_ih_l0)
    nn.init.ones_(layer.bias_ih_l0[layer.hidden_size : 2 * layer.hidden_size])
