"""Network in torch, for training: the computation of `treewhile.incremental.parsers.network`, on batches.

The names of the parameters are those of the arrays in a model file, without the names of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from torch import Tensor, nn

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.training.batches import Batch
from treewhile.incremental.training.torch_layers import (
    Arcs,
    Awaiting,
    CausalLayers,
    DropInside,
    Explore,
    Origins,
    Steps,
    Surroundings,
    Taggers,
    Words,
    start_recurrent,
)

# Parts that score the next step, the value of waiting, and the node to which the next word attaches.
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

OF_ORIGINS: Final = "treebanks.weight"  # what tells treebanks apart, which finished models do without


def is_of_step_scorer(parameter: str) -> bool:
    """Return whether a parameter, or the array of a model, belongs to the step scorer."""
    return parameter.split(".")[0] in STEP_SCORER


class _Parts(nn.Module):
    """Module of parts only, whose names are left out of those of parameters."""

    def named_parameters(self, *arguments: Any, **options: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """Yield the parameters, first those outside any layer: checkpoints number them in this order."""
        named = [(_of_layer(name), one) for name, one in super().named_parameters(*arguments, **options)]
        yield from sorted(named, key=lambda pair: "." in pair[0])

    def state_dict(  # type: ignore[override]  # it has another signature that is deprecated
        self, *arguments: Any, **options: Any
    ) -> dict[str, Any]:
        return {_of_layer(name): one for name, one in super().state_dict(*arguments, **options).items()}

    def load_state_dict(self, state_dict: Mapping[str, Any], *arguments: Any, **options: Any) -> Any:
        whole = {_of_layer(name): name for name in super().state_dict()}
        named = {whole.get(name, name): one for name, one in state_dict.items()}
        return super().load_state_dict(named, *arguments, **options)


def _of_layer(name: str) -> str:
    """Return the name without the part's name."""
    return name.partition(".")[2]


class TorchNetwork(_Parts):
    """All parameters; `forward` returns every trained score."""

    def __init__(self, inventory: Inventory, shape: Shape, treebanks: int = 1) -> None:
        super().__init__()
        labels, word = len(inventory.labels), shape.word(bool(inventory.values))
        self.shape, self.drop_inside = shape, DropInside()
        self.words = Words(inventory, shape)
        self.origins = Origins(treebanks, word)
        self.causal = CausalLayers(word, shape, self.drop_inside)
        self.surroundings = Surroundings(word, len(inventory.stock), shape, self.drop_inside)
        self.taggers = Taggers(inventory, shape)
        self.arcs = Arcs(labels, shape)
        self.steps = Steps(labels, shape)
        self.awaiting = Awaiting(shape)
        self._start()

    def _start(self) -> None:
        self.words.start()
        self.origins.start()
        self.arcs.start()
        for layer in self.modules():
            if isinstance(layer, nn.LSTM):
                start_recurrent(layer)

    def freeze(self) -> None:
        """Freeze all but the step scorer, which alone keeps the dropout of states."""
        self.drop_inside.is_frozen = True
        for name, parameter in self.named_parameters():
            parameter.requires_grad_(is_of_step_scorer(name))

    def forward(
        self, batch: Batch, explore: Explore | None = None, steps_alone: bool = False
    ) -> dict[str, Tensor]:
        """Return scores by target names, and the targets that are not in the batch.

        With `steps_alone`, only scores of the step scorer are returned.
        """
        words = self.drop_inside(self.origins(batch, self.words(batch)))
        causal = self.causal(words)
        scores: dict[str, Tensor] = self.steps(batch, causal, explore)
        if not steps_alone:
            scores |= self._early_scores(batch, causal)
        if batch.nodes.numel():
            early, late = self.surroundings(batch, words, causal)
            scores["awaiting"] = self.awaiting(batch, late, self.arcs)
            if not steps_alone:
                scores |= self._arc_scores(batch, early, late)
        return scores

    def _early_scores(self, batch: Batch, causal: Tensor) -> dict[str, Tensor]:
        tags, features = self.taggers.early_tags(causal.flatten(0, 1)[batch.word_rows])
        return {"early_tags": tags, "early_features": features}

    def _arc_scores(self, batch: Batch, early: Tensor, late: Tensor) -> dict[str, Tensor]:
        tags, features = self.taggers.tags(early.flatten(0, 1)[batch.tagged_rows])
        flat = late.flatten(0, 1)
        labels = self.arcs.label_scores(flat[batch.labelled_heads], flat[batch.labelled_children])
        return {
            "tags": tags,
            "features": features,
            "arcs": self.arcs.scores(late) + batch.barred,
            "labels": labels,
        }
