"""Inference network without torch: from forms to states, and from states to scores.

    words    form, n-grams, spelling, gold values  ->  gates of both first layers       cached for every form
    causal   gates, left to right                  ->  causal states, two layers        kept for every word
    around   causal states + tail, right to left   ->  bidirectional states             anew for every prefix
    arcs     bidirectional states                  ->  scores of arcs and labels
    steps    causal states                         ->  scores of the next step

`treewhile.incremental.training.torch_network` computes the same on batches; arrays have the names of its
parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewhile.incremental.parsers.arc_layers import ArcLayers, LabelParts, score_tables
from treewhile.incremental.parsers.causal_layers import CausalLayers
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.kernels.both_sides import judge_nodes
from treewhile.incremental.parsers.kernels.steps import step_scores
from treewhile.incremental.parsers.kernels.tiles import on_lines
from treewhile.incremental.parsers.layers import Array, Products, Recurrent, Rows, linear
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits
from treewhile.incremental.parsers.surroundings import Around, Surroundings, tags_of_words
from treewhile.incremental.parsers.word_gates import WordGates


class StepLayers:
    """Layers of steps; `layers`, for `take_steps`: role weights and scales, bias, and two more layers."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._roles = [
            Products(*in_eight_bits(part))
            for part in np.split(
                arrays["roles.weight"], len(arrays["roles.weight"]) // arrays["steps_bias"].size
            )
        ]
        self._hidden, self._steps = (linear(arrays, name).layer for name in ("steps_hidden", "steps"))
        self._bias, self._missing = arrays["steps_bias"], arrays["missing"]
        weights = on_lines(np.array([part.layer[0] for part in self._roles]))
        scales = np.array([part.layer[1] for part in self._roles])
        self.layers = weights, scales, self._bias, self._hidden, self._steps

    @cached_property
    def missing_roles(self) -> Array:
        """Contributions [vector, role, hidden] of the substitutes for missing words."""
        return self.roles(self._missing)

    def roles(self, top: Array) -> Array:
        """Return [word, role, hidden]: the contribution of each word to the next step in each role."""
        return np.stack([part(top) for part in self._roles], axis=1)

    def scores(self, chosen: Array) -> Array:
        """Return the scores of all classes, then PATIENCE, given [role, hidden] of the words in the roles."""
        scores: Array = step_scores(chosen, self._bias, self._hidden, self._steps)
        return scores


class Judged(NamedTuple):
    """Outputs of the network for the nodes of some sequences."""

    around: Around
    scores: list[Array]  # scores of arcs: [head, child] of each sequence
    label_parts: LabelParts  # of all nodes
    tags: list[tuple[Rows, Rows]]  # numbers of tags and features of the words of each sequence


class Network(NamedTuple):
    """Layers of the network, by task."""

    words: WordGates
    causal: CausalLayers
    surroundings: Surroundings
    arcs: ArcLayers
    steps: StepLayers

    def judge(self, tops: Array, gates: Array, lengths: Sequence[int], are_open: Sequence[bool]) -> Judged:
        """Return all inputs of best trees, given those of `Surroundings.around`, in one kernel call.

        Returning to Python in between costs more than the work there, since the weights of the network have
        evicted Python's data from the processor's caches.
        """
        of_words, (root, tails) = np.array(lengths, np.intp), self.surroundings.special_nodes
        nodes = tops, gates, of_words, root, np.array(are_open, np.intp), tails
        tagger, arcs = self.surroundings.tagger.layers, self.arcs
        found = judge_nodes(*nodes, self.surroundings.layers, tagger, arcs.layers, arcs.label_layers)
        early, late, bounds, scores, as_head, as_child, tags, features = found
        return Judged(
            Around(early, late, bounds, of_words),
            score_tables(scores, bounds),
            arcs.parts_of(as_head, as_child),
            tags_of_words(tags, features, of_words),
        )


def network_of(
    arrays: Mapping[str, Array], inventory: Inventory, shape: Shape, temperature: float
) -> Network:
    """Return the network with these arrays, already checked by `model_contents`."""
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
