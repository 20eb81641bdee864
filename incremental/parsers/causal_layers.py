"""Layers from the gates of words to causal states, which depend on the words so far: two layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treewhile.incremental.parsers.kernels.recurrent import take_and_tag_word, take_word
from treewhile.incremental.parsers.layers import Array, Recurrent, Tagger


class CausalStates(NamedTuple):
    """Causal states of words: `h` and `c` are [word, layer, unit]."""

    h: Array
    c: Array

    @property
    def top(self) -> Array:
        """Upper states [word, unit], the input of tags, transitions and the rest of the network."""
        return self.h[:, 1]


class CausalLayers:
    """Two causal layers, and the tagger on top; a state has `width` units."""

    def __init__(self, arrays: Mapping[str, Array], first: Recurrent) -> None:
        second = Recurrent(arrays, "causal_second")
        self._layers = first, second
        next_layers = first.states.layer, second.projected.layer, second.states.layer
        self.next_layers = next_layers, Tagger(arrays, "early_tags").layers  # for `take_and_tag_word`
        self.width = first.units

    def states(
        self, gates: Array, lengths: Sequence[int], before: CausalStates | None = None
    ) -> CausalStates:
        """Return the states of the words of sentences in a row, or of more words after given states."""
        if len(gates) == 1:
            return self.next_states(gates, before)
        hs: list[Array] = []
        cs: list[Array] = []
        for number, layer in enumerate(self._layers):
            start = None if before is None else [(before.h[-1, number], before.c[-1, number])]
            h, c = layer.run(layer.projected(hs[-1]) if hs else gates, lengths, start)
            hs.append(h)
            cs.append(c)
        return CausalStates(np.stack(hs, axis=1), np.stack(cs, axis=1))

    def next_states(self, gates: Array, before: CausalStates | None) -> CausalStates:
        """Return the states after one more word."""
        states = self.copied(before)
        take_word(gates, *self.next_layers[0], *states)
        return states

    def next_tagged(self, gates: Array, before: CausalStates | None) -> tuple[CausalStates, int, int]:
        """Return the states after one more word, with its best tag and features so far."""
        states = self.copied(before)
        tag, features = take_and_tag_word(gates, self.next_layers, *states)
        return states, tag, features

    def copied(self, states: CausalStates | None) -> CausalStates:
        """Return a copy of the last states, to be changed; zeros before the first word."""
        if states is None:
            return CausalStates(*np.zeros((2, 1, len(self._layers), self.width), np.float32))
        return CausalStates(states.h[-1:].copy(), states.c[-1:].copy())
