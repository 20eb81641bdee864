"""Parts of the network in torch, each with its layers: `torch_network` combines the parts.

The dropout mask between recurrent layers is the same at every time of a sequence (Gal & Ghahramani 2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, Inventory
from treewhile.incremental.parsers.network_shapes import (
    MISSING,
    ROLES,
    SLOPE,
    SPECIAL,
    Shape,
    step_outputs,
)
from treewhile.incremental.training.batches import Batch
from treewhile.incremental.training.word_batches import NodeInputs, WordInputs

DROPOUT: Final = 0.33
EMBEDDING_SCALE: Final = 0.3


class Explored(NamedTuple):
    """Configurations that a parser itself reaches, with the targets there."""

    rows: Tensor  # [configuration, role]
    optimal: Tensor  # [configuration, class]
    patience: Tensor  # [configuration]


# Function of a batch, the projections[row, role, hidden] of all roles and the rest of the step scorer, which
# computes the score of every class.
Explore = Callable[[Batch, Tensor, Callable[[Tensor], Tensor]], Explored]


class DropInTime(nn.Module):
    """Dropout of the same units at every time."""

    def forward(self, values: Tensor) -> Tensor:
        if not self.training:
            return values
        kept = values.new_full((1, *values.shape[1:]), 1 - DROPOUT).bernoulli_()
        return values * (kept / (1 - DROPOUT))


class DropInside(DropInTime):
    """Dropout in time between layers that are still learnt."""

    is_frozen = False

    def forward(self, values: Tensor) -> Tensor:
        return values if self.is_frozen else super().forward(values)


class Words(nn.Module):
    """Embeddings of each word alone."""

    def __init__(self, inventory: Inventory, shape: Shape) -> None:
        super().__init__()
        self.forms = nn.Embedding(len(inventory.forms) + 1, shape.form)
        self.ngrams = nn.EmbeddingBag(inventory.ngram_rows, shape.ngrams, mode="mean")
        self.characters = nn.Embedding(len(inventory.characters) + len(CHARACTER_CLASSES), shape.character)
        self.spelling_forward = nn.LSTM(shape.character, shape.spelling)
        self.spelling_backward = nn.LSTM(shape.character, shape.spelling)
        self.values = (
            nn.EmbeddingBag(len(inventory.values), shape.values, mode="sum", include_last_offset=True)
            if inventory.values
            else None
        )

    def start(self) -> None:
        for embedding in (self.forms, self.ngrams, self.characters, self.values):
            if embedding is not None:
                nn.init.normal_(embedding.weight, std=EMBEDDING_SCALE)

    def forward(self, batch: WordInputs) -> Tensor:
        """Return the vectors [place, sentence, unit]."""
        ngrams = self.ngrams(batch.ngrams, batch.ngram_starts)[batch.words]
        parts = [self.forms(batch.forms), ngrams, self._spellings(batch)[batch.words]]
        if self.values is not None:
            parts.append(self.values(batch.values, batch.value_ends).view(*batch.words.shape, -1))
        return torch.cat(parts, dim=-1)

    def _spellings(self, batch: WordInputs) -> Tensor:
        """Return the spellings [type, unit]."""
        groups = []
        for characters, backwards, last in batch.spellings:
            along = torch.arange(len(last), device=last.device)
            forward, _ = self.spelling_forward(self.characters(characters))
            backward, _ = self.spelling_backward(self.characters(backwards))
            groups.append(torch.cat([forward[last, along], backward[last, along]], dim=-1))
        return torch.cat(groups)


class Origins(nn.Module):
    """Differences of other treebanks from the main one, added to the vectors of their words.

    That of the main one stays 0, so that a finished model, which annotates as the main one does, has none.
    """

    def __init__(self, treebanks: int, word: int) -> None:
        super().__init__()
        self.treebanks = nn.Embedding(treebanks, word, padding_idx=0) if treebanks > 1 else None

    def start(self) -> None:
        if self.treebanks is not None:
            nn.init.normal_(self.treebanks.weight[1:], std=EMBEDDING_SCALE)

    def forward(self, batch: Batch, words: Tensor) -> Tensor:
        """Return the vectors [place, sentence, unit] of words by their treebanks."""
        return words if self.treebanks is None else words + self.treebanks(batch.treebanks)


class CausalLayers(nn.Module):
    """States of words by all words before them."""

    def __init__(self, word: int, shape: Shape, drop_inside: DropInside) -> None:
        super().__init__()
        self.causal_first = nn.LSTM(word, shape.state)
        self.causal_second = nn.LSTM(shape.state, shape.state)
        self.drop_inside, self.drop_in_time = drop_inside, DropInTime()

    def forward(self, words: Tensor) -> Tensor:
        """Return the states [place, sentence, unit]."""
        first = self.drop_inside(self.causal_first(words)[0])
        states: Tensor = self.drop_in_time(self.causal_second(first)[0])
        return states


class Surroundings(nn.Module):
    """States of nodes among all nodes, the root and the tail included."""

    def __init__(self, word: int, stock: int, shape: Shape, drop_inside: DropInside) -> None:
        super().__init__()
        H = self.state = shape.state
        self.special = nn.Parameter(torch.randn(len(SPECIAL) + stock, word + H) * 0.1)
        self.backward_first = nn.LSTM(word + H, H)
        self.forward_second = nn.LSTM(2 * H, H)
        self.backward_second = nn.LSTM(2 * H, H)
        self.drop_inside, self.drop_in_time = drop_inside, DropInTime()

    def forward(self, batch: NodeInputs, words: Tensor, causal: Tensor) -> tuple[Tensor, Tensor]:
        """Return the inputs [node, sequence, unit] of taggers, and those of arcs and labels."""
        inputs = torch.cat([words, causal], dim=-1).flatten(0, 1)
        table = torch.cat([inputs.new_zeros(1, inputs.shape[1]), self.special, inputs])
        sequences = torch.arange(batch.nodes.shape[1], device=inputs.device)
        right_to_left = self.drop_inside(self.backward_first(table[batch.nodes_reversed])[0])
        tops = table[batch.nodes][..., -self.state :]
        early = torch.cat([tops, right_to_left[batch.reverse, sequences]], dim=-1)
        forward, _ = self.forward_second(early)
        backward, _ = self.backward_second(early[batch.reverse, sequences])
        late = self.drop_in_time(torch.cat([forward, backward[batch.reverse, sequences]], dim=-1))
        return early, late


class Taggers(nn.Module):
    """Taggers of words on arrival, and of words among all nodes."""

    def __init__(self, inventory: Inventory, shape: Shape) -> None:
        super().__init__()
        self.early_tags = _Tagger(shape.state, shape.tagger, inventory)
        self.tags = _Tagger(2 * shape.state, shape.tagger, inventory)


class _Tagger(nn.Module):
    def __init__(self, width: int, hidden: int, inventory: Inventory) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, hidden)
        self.tags = nn.Linear(hidden, len(inventory.tags))
        self.features = nn.Linear(hidden, len(inventory.features))

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        hidden = functional.dropout(functional.leaky_relu(self.hidden(states), SLOPE), DROPOUT, self.training)
        return self.tags(hidden), self.features(hidden)


class Arcs(nn.Module):
    """Scores of arcs, and of their labels."""

    def __init__(self, labels: int, shape: Shape) -> None:
        super().__init__()
        state = 2 * shape.state
        self.arc_head = nn.Linear(state, shape.arc)
        self.arc_child = nn.Linear(state, shape.arc)
        self.arc = nn.Parameter(torch.zeros(shape.arc + 1, shape.arc))
        self.label_head = nn.Linear(state, shape.label)
        self.label_child = nn.Linear(state, shape.label)
        self.label = nn.Linear(shape.label, labels)

    def start(self) -> None:
        nn.init.orthogonal_(self.arc[:-1], gain=0.3)

    def scores(self, late: Tensor) -> Tensor:
        """Return the scores [sequence, child, head]."""
        heads = self._dropped(self.arc_head(late)).transpose(0, 1)
        children = self._dropped(self.arc_child(late)).transpose(0, 1)
        scores: Tensor = (children @ self.arc[:-1] + self.arc[-1]) @ heads.transpose(1, 2)
        return scores

    def label_scores(self, heads: Tensor, children: Tensor) -> Tensor:
        head, child = self.label_head(heads), self.label_child(children)
        scores: Tensor = self.label(self._dropped(head + child + head * child))
        return scores

    def _dropped(self, sums: Tensor) -> Tensor:
        return functional.dropout(functional.leaky_relu(sums, SLOPE), DROPOUT, self.training)


class Steps(nn.Module):
    """Scores of the next step, and the value of waiting."""

    def __init__(self, labels: int, shape: Shape) -> None:
        super().__init__()
        self._role_count = len(ROLES)
        self.missing = nn.Parameter(torch.randn(len(MISSING), shape.state) * 0.1)
        self.roles = nn.Linear(shape.state, self._role_count * shape.steps, bias=False)
        self.steps_bias = nn.Parameter(torch.zeros(shape.steps))
        self.steps_hidden = nn.Linear(shape.steps, shape.steps)
        self.steps = nn.Linear(shape.steps, step_outputs(labels))

    def forward(self, batch: Batch, causal: Tensor, explore: Explore | None) -> dict[str, Tensor]:
        """Return scores by target names, with the optimal steps, and the known patience if explored."""
        table = torch.cat([self.missing, causal.flatten(0, 1)])
        projected = self.roles(table).view(len(table), self._role_count, -1)
        rows, optimal = batch.role_rows, batch.optimal_steps
        known: dict[str, Tensor] = {}
        if explore is not None:
            rows, optimal, patience = explore(batch, projected.detach(), self._decide)
            known["known_patience"] = patience
        chosen = projected[rows, torch.arange(self._role_count, device=rows.device)].sum(1)
        outputs = self._outputs(chosen, self.training)
        return {"steps": outputs[:, :-1], "optimal_steps": optimal, "patience": outputs[:, -1], **known}

    @torch.no_grad()
    def _decide(self, chosen: Tensor) -> Tensor:
        """Return the scores [step, class] for sums[step, hidden] over the words in roles, without dropout."""
        return self._outputs(chosen, drops=False)[:, :-1]

    def _outputs(self, chosen: Tensor, drops: bool) -> Tensor:
        """Return the outputs [configuration, output] for sums over the words in roles."""
        first = functional.dropout(functional.leaky_relu(chosen + self.steps_bias, SLOPE), DROPOUT, drops)
        hidden = functional.leaky_relu(self.steps_hidden(first), SLOPE)
        outputs: Tensor = self.steps(functional.dropout(hidden, DROPOUT, drops))
        return outputs


class Awaiting(nn.Module):
    """Scores of the nodes to which the next word attaches."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.awaiting_node = nn.Linear(shape.label, shape.awaiting)
        self.awaiting_last = nn.Linear(shape.label, shape.awaiting)
        self.awaiting = nn.Linear(shape.awaiting, 1)

    def forward(self, batch: Batch, late: Tensor, arcs: Arcs) -> Tensor:
        """Return [prefix, node]: -inf behind the last word, but for the first place there, named "none"."""
        prefixes = late[:, batch.prefixes]
        lasts = late[batch.last_words, batch.prefixes]
        nodes = self.awaiting_node(arcs.label_head(prefixes)) + self.awaiting_last(arcs.label_child(lasts))
        hidden = functional.dropout(functional.leaky_relu(nodes, SLOPE), DROPOUT, self.training)
        scores: Tensor = self.awaiting(hidden).squeeze(-1).T
        behind = torch.arange(len(late), device=late.device) - batch.last_words[:, None]
        return scores.masked_fill(behind == 1, 0).masked_fill(behind > 1, -torch.inf)


def chosen_device() -> torch.device:
    """Return the accelerator if there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def start_recurrent(layer: Any) -> None:
    """Initialize a recurrent layer with its forget gate open."""
    nn.init.orthogonal_(layer.weight_hh_l0)
    nn.init.zeros_(layer.bias_hh_l0)
    nn.init.zeros_(layer.bias_ih_l0)
    nn.init.ones_(layer.bias_ih_l0[layer.hidden_size : 2 * layer.hidden_size])
