"""The network in torch, for training: what `treewhile.incremental.parsers.network` computes, on batches.

The names of the parameters are those of the arrays in a model file. What is dropped out between recurrent
layers is the same at every time of a sequence (Gal & Ghahramani 2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, NGRAM_ROWS, Inventory
from treewhile.incremental.parsers.network_shapes import (
    MISSING,
    ROLES,
    SLOPE,
    SPECIAL,
    Shape,
    step_outputs,
)
from treewhile.incremental.training.batches import Batch

DROPOUT = 0.33
EMBEDDING_SCALE = 0.3

# The parts that say which step is next, what waiting is worth, and on what the next word hangs.
STEP_SCORER: Final = (
    "missing",
    "roles",
    "steps_bias",
    "steps_hidden",
    "steps",
    "awaiting_node",
    "awaiting_last",
    "awaiting",
)


def is_of_step_scorer(parameter: str) -> bool:
    """Whether a parameter, or the array of a model, is one of the step scorer."""
    return parameter.split(".")[0] in STEP_SCORER


class Explored(NamedTuple):
    """Configurations that a parser itself gets to, and what is right there."""

    rows: Tensor  # [configuration, role]
    optimal: Tensor  # [configuration, class]
    patience: Tensor  # [configuration]


# Given a batch, the projections[row, role, hidden] of all roles and the rest of the step scorer, which gives
# the score of every class.
Explore = Callable[[Batch, Tensor, Callable[[Tensor], Tensor]], Explored]


class TorchNetwork(nn.Module):
    """All parameters; `forward` gives every score that is trained on."""

    def __init__(self, inventory: Inventory, shape: Shape) -> None:
        super().__init__()
        H, labels = shape.state, len(inventory.labels)
        word = shape.word(bool(inventory.values))
        self.shape, self._is_frozen = shape, False
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
        self.steps_hidden = nn.Linear(shape.steps, shape.steps)
        self.steps = nn.Linear(shape.steps, step_outputs(labels))
        self.awaiting_node = nn.Linear(shape.label, shape.awaiting)
        self.awaiting_last = nn.Linear(shape.label, shape.awaiting)
        self.awaiting = nn.Linear(shape.awaiting, 1)
        self._start()

    def _start(self) -> None:
        for embedding in (self.forms, self.ngrams, self.characters, self.values):
            if embedding is not None:
                nn.init.normal_(embedding.weight, std=EMBEDDING_SCALE)
        nn.init.orthogonal_(self.arc[:-1], gain=0.3)
        for layer in self.modules():
            if isinstance(layer, nn.LSTM):
                _start_recurrent(layer)

    def freeze(self) -> None:
        """Nothing but the step scorer is learnt from now on, and it alone drops something of states."""
        self._is_frozen = True
        for name, parameter in self.named_parameters():
            parameter.requires_grad_(is_of_step_scorer(name))

    def forward(
        self, batch: Batch, explore: Explore | None = None, steps_alone: bool = False
    ) -> dict[str, Tensor]:
        """Scores by the names of their targets, and what they are scores of where that is not the batch's.

        Only those of the step scorer where that alone is asked for.
        """
        words = self._drop_inside(self._words(batch))
        first = self._drop_inside(self.causal_first(words)[0])
        causal = self._drop_in_time(self.causal_second(first)[0])
        scores = self._step_scores(batch, causal, explore)
        if not steps_alone:
            scores |= self._early_scores(batch, causal)
        if batch.nodes.numel():
            early, late = self._around(batch, words, causal)
            scores |= self._awaiting_scores(batch, late)
            if not steps_alone:
                scores |= self._arc_scores(batch, early, late)
        return scores

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
        known: dict[str, Tensor] = {}
        if explore is not None:
            rows, optimal, patience = explore(batch, projected.detach(), self._decide)
            known["known_patience"] = patience
        chosen = projected[rows, torch.arange(len(ROLES), device=rows.device)].sum(1)
        outputs = self._outputs(chosen)
        return {"steps": outputs[:, :-1], "optimal_steps": optimal, "patience": outputs[:, -1], **known}

    def _outputs(self, chosen: Tensor) -> Tensor:
        """[configuration, output] for the sums[configuration, hidden] of what the words in the roles add."""
        first = self._drop(functional.leaky_relu(chosen + self.steps_bias, SLOPE))
        second = self._drop(functional.leaky_relu(self.steps_hidden(first), SLOPE))
        outputs: Tensor = self.steps(second)
        return outputs

    @torch.no_grad()
    def _decide(self, chosen: Tensor) -> Tensor:
        """[step, class] for the same sums, by all units."""
        first = functional.leaky_relu(chosen + self.steps_bias, SLOPE)
        outputs: Tensor = self.steps(functional.leaky_relu(self.steps_hidden(first), SLOPE))
        return outputs[:, :-1]

    def _early_scores(self, batch: Batch, causal: Tensor) -> dict[str, Tensor]:
        tags, features = self.early_tags(causal.flatten(0, 1)[batch.word_rows])
        return {"early_tags": tags, "early_features": features}

    def _around(self, batch: Batch, words: Tensor, causal: Tensor) -> tuple[Tensor, Tensor]:
        """[node, sequence, unit]: what tags are read off, and what arcs and labels are read off."""
        H = self.shape.state
        inputs = torch.cat([words, causal], dim=-1).flatten(0, 1)
        table = torch.cat([inputs.new_zeros(1, inputs.shape[1]), self.special, inputs])
        sequences = torch.arange(batch.nodes.shape[1], device=inputs.device)
        right_to_left = self._drop_inside(self.backward_first(table[batch.nodes_reversed])[0])
        early = torch.cat([table[batch.nodes][..., -H:], right_to_left[batch.reverse, sequences]], dim=-1)
        forward, _ = self.forward_second(early)
        backward, _ = self.backward_second(early[batch.reverse, sequences])
        late = self._drop_in_time(torch.cat([forward, backward[batch.reverse, sequences]], dim=-1))
        return early, late

    def _awaiting_scores(self, batch: Batch, late: Tensor) -> dict[str, Tensor]:
        """[prefix, node]: -inf behind the last word, but for the first place there, which is "none"."""
        prefixes = late[:, batch.prefixes]
        lasts = late[batch.last_words, batch.prefixes]
        nodes = self.awaiting_node(self.label_head(prefixes)) + self.awaiting_last(self.label_child(lasts))
        scores = self.awaiting(self._drop(functional.leaky_relu(nodes, SLOPE))).squeeze(-1).T
        behind = torch.arange(len(late), device=late.device) - batch.last_words[:, None]
        return {"awaiting": scores.masked_fill(behind == 1, 0).masked_fill(behind > 1, -torch.inf)}

    def _arc_scores(self, batch: Batch, early: Tensor, late: Tensor) -> dict[str, Tensor]:
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

    def _drop_inside(self, values: Tensor) -> Tensor:
        """What goes from layer to layer where these are still learnt."""
        return values if self._is_frozen else self._drop_in_time(values)

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
