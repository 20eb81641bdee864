"""Layers from the causal state of the last word to the completeness of the words so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from treewhile.incremental.completeness import Completeness
from treewhile.incremental.parsers.layers import Array, linear
from treewhile.incremental.parsers.network_shapes import SLOPE

COMPLETENESS: Final = "completeness"  # part of a model with these layers; prefix of the names of their arrays
UNITS: Final = 128
LENGTHS: Final = 3  # number of inputs that encode the number of words
LONG: Final = 20  # in words


def completeness_shapes(state: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array by its name, for states with so many units."""
    hidden, output = f"{COMPLETENESS}.hidden", f"{COMPLETENESS}.output"
    return {
        f"{hidden}.weight": (units, state + LENGTHS),
        f"{hidden}.bias": (units,),
        f"{output}.weight": (2, units),
        f"{output}.bias": (2,),
    }


def inputs_of(tops: Array, counts: Sequence[int]) -> Array:
    """Return [prefix, input]: the states of last words, and encodings of the number of words."""
    t = np.array(counts, np.float32)
    return np.concatenate([tops, np.stack([np.log(t), t / LONG, np.minimum(t, 3) / 3], 1)], 1)


class CompletenessLayers:
    """Layers that predict completeness."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._hidden = linear(arrays, f"{COMPLETENESS}.hidden")
        self._output = linear(arrays, f"{COMPLETENESS}.output")

    def of(self, top: Array, words: int) -> Completeness:
        """Return the completeness of so many words, given the state of the last one."""
        may_end, ends = self.chances(inputs_of(top[None], [words]))[0].tolist()
        return Completeness(max(may_end, ends), ends)

    def chances(self, inputs: Array) -> Array:
        """Return [prefix, (may end, ends)]: probabilities."""
        hidden = self._hidden(inputs)
        scores = self._output(np.maximum(hidden, np.float32(SLOPE) * hidden))
        chances: Array = np.float32(1) / (np.float32(1) + np.exp(-scores))
        return chances
