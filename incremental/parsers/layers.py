"""Layers of the network, with weights in eight bits in the layout of the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.kernels.products import Layer, outputs_of
from treewhile.incremental.parsers.kernels.recurrent import best_tags, run_recurrent
from treewhile.incremental.parsers.kernels.tiles import PANEL, in_panels
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.rounded_matrices import in_eight_bits

Array = npt.NDArray[np.float32]
EightBits = npt.NDArray[np.int8]
Rows = npt.NDArray[np.intp]
State: TypeAlias = tuple[Array, Array]  # output and cell of a recurrent layer, both [unit]

GATES = 4  # number of gates of a unit: input, forget, cell, output


class Products:
    """Products of inputs with a matrix [output, input] in eight bits, with a scale for each output."""

    def __init__(self, eight_bits: EightBits, scale: Array, bias: Array | None = None) -> None:
        self._wide = len(eight_bits)
        empty = (0, -self._wide % PANEL)  # padding of the last panel
        bias = np.zeros(self._wide, np.float32) if bias is None else bias
        weight = in_panels(eight_bits)
        self.layer: Layer = weight, np.pad(scale.ravel(), empty), np.pad(bias, empty), self._wide

    def __call__(self, inputs: Array) -> Array:
        outputs: Array = outputs_of(self.layer, np.ascontiguousarray(inputs))
        return self.counted(outputs)

    def counted(self, outputs: Array) -> Array:
        """Return the outputs without the padding of panels."""
        return np.ascontiguousarray(outputs[:, : self._wide])


def linear(arrays: Mapping[str, Array], name: str) -> Products:
    """Return the products of a matrix, with its biases."""
    return Products(*in_eight_bits(arrays[f"{name}.weight"]), arrays[f"{name}.bias"])


class Recurrent:
    """Layer of long short-term memory; gates are ordered input, forget, cell, output."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        weight, scale = in_eight_bits(arrays[f"{name}.weight_ih_l0"])
        bias = arrays[f"{name}.bias_ih_l0"] + arrays[f"{name}.bias_hh_l0"]
        self._inputs = weight, scale, bias
        self.projected = Products(weight, scale, bias)  # [time, gate]: contribution of inputs to the gates
        self.states = Products(*in_eight_bits(arrays[f"{name}.weight_hh_l0"]))  # contribution of states
        self.units = arrays[f"{name}.weight_hh_l0"].shape[1]

    def of_first_inputs(self, count: int) -> Products:
        """Return the products of the first `count` inputs with the gate weights, with the biases."""
        weight, scale, bias = self._inputs
        return Products(weight[:, :count], scale, bias)

    def of_inputs(self, start: int, end: int | None) -> Products:
        """Return the products of a range of inputs with the gate weights, without biases."""
        weight, scale, _ = self._inputs
        return Products(weight[:, start:end], scale)

    def run(
        self, projected: Array, lengths: Sequence[int], starts: Sequence[State] | None = None
    ) -> tuple[Array, Array]:
        """Return outputs and cells after every input, both [time, unit], of sequences in a row."""
        return self._run(projected, np.cumsum([0, *lengths[:-1]]), lengths, 1, starts)

    def run_back(
        self, projected: Array, lengths: Sequence[int], starts: Sequence[State] | None = None
    ) -> tuple[Array, Array]:
        """Return outputs and cells as `run` does, but from the end of every sequence to its start."""
        return self._run(projected, np.cumsum(lengths) - 1, lengths, -1, starts)

    def _run(
        self,
        projected: Array,
        firsts: Rows,
        lengths: Sequence[int],
        towards: int,
        starts: Sequence[State] | None,
    ) -> tuple[Array, Array]:
        states = np.zeros((len(lengths), 2, self.units), np.float32) if starts is None else np.array(starts)
        gates, times = np.ascontiguousarray(projected), np.array(lengths, np.intp)
        found: tuple[Array, Array] = run_recurrent(gates, firsts, times, towards, self.states.layer, states)
        return found


class Tagger:
    """Layers that predict tags and features."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        self.layers = tuple(linear(arrays, f"{name}.{part}").layer for part in ("hidden", "tags", "features"))

    def best(self, states: Array) -> tuple[Rows, Rows]:
        """Return the numbers of the best tags and features of each row."""
        best: tuple[Rows, Rows] = best_tags(*self.layers, np.ascontiguousarray(states))
        return best

    def tag_logs(self, states: Array) -> Array:
        """Return [row, tag]: log-probabilities of tags."""
        scores = self._scores(states, 1)
        logs: Array = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return logs

    def feature_scores(self, states: Array) -> Array:
        """Return [row, features]: the higher, the likelier."""
        return self._scores(states, 2)

    def _scores(self, states: Array, number: int) -> Array:
        hidden, layer = self.layers[0], self.layers[number]
        units = outputs_of(hidden, np.ascontiguousarray(states))[:, : hidden[3]]
        scores: Array = outputs_of(layer, np.maximum(units, units * np.float32(SLOPE)))[:, : layer[3]]
        return scores
