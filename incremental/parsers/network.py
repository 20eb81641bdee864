"""The network without torch: from forms to states, and from states to scores.

    words    form, n-grams, spelling, gold values  ->  gates of both first layers       kept for every form
    causal   gates, left to right                  ->  causal states, two layers        kept for every word
    around   causal states + tail, right to left   ->  states that know what follows    anew for every prefix
    arcs     those states                          ->  scores of arcs and labels
    steps    causal states                         ->  scores of the next step

`treewhile.incremental.training.torch_network` computes the same on batches; the names of the arrays are those
of its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from treewhile.incremental.parsers.arc_layers import ArcLayers
from treewhile.incremental.parsers.causal_layers import CausalLayers
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.layers import Array, Recurrent
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.step_layers import StepLayers
from treewhile.incremental.parsers.surroundings import Surroundings
from treewhile.incremental.parsers.word_gates import WordGates


class Network(NamedTuple):
    """All layers, by what they are about."""

    words: WordGates
    causal: CausalLayers
    surroundings: Surroundings
    arcs: ArcLayers
    steps: StepLayers


def network_of(
    arrays: Mapping[str, Array], inventory: Inventory, shape: Shape, temperature: float
) -> Network:
    """The network with these arrays, which are trusted: `model_contents` has checked them."""
    from_left, from_right = (Recurrent(arrays, name) for name in ("causal_first", "backward_first"))
    words = WordGates(arrays, inventory, shape, (from_left, from_right))
    word_width = shape.word(with_values=bool(inventory.values))
    return Network(
        words,
        CausalLayers(arrays, from_left),
        Surroundings(arrays, from_right, words, word_width),
        ArcLayers(arrays, inventory, temperature),
        StepLayers(arrays),
    )
