"""The recurrent layers, judged by their definition; all layers together are judged by torch, in training."""

from __future__ import annotations

import numpy as np
import pytest

from treewhile.incremental import kernels
from treewhile.incremental.network import Array, Network
from treewhile.incremental.parsing import Model


def by_definition(projected: Array, weight: Array, h: Array, c: Array) -> Array:
    """The outputs in double precision."""
    outputs = []
    for inputs in projected.astype(float):
        into, forget, cell, out = np.split(inputs + h @ weight, 4)
        c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-into))
        h = np.tanh(c) / (1 + np.exp(-out))
        outputs.append(h)
    return np.array(outputs)


@pytest.mark.parametrize("units", [8, 16, 40])
@pytest.mark.parametrize("scale", [0.1, 1, 30])
def test_a_recurrent_layer_follows_its_definition(units: int, scale: float) -> None:
    generator = np.random.default_rng(units)
    projected = (scale * generator.standard_normal((9, 4 * units))).astype(np.float32)
    weight = (generator.standard_normal((units, 4 * units)) / units).astype(np.float32)
    h, c = generator.standard_normal((2, units)).astype(np.float32)
    outputs, cells = np.empty((2, 9, units), np.float32)
    kernels.run_recurrent(projected, weight, h, c, outputs, cells)
    assert np.abs(outputs - by_definition(projected, weight, h, c)).max() < 1e-5


def test_the_approximate_tangent_is_close_everywhere() -> None:
    inputs = np.linspace(-30, 30, 20_001).astype(np.float32)
    gates = np.zeros((1, 4, len(inputs)), np.float32)
    gates[0, 0], gates[0, 1], gates[0, 2], gates[0, 3] = 30, -30, inputs, 30
    rest = -len(inputs) % kernels.UNROLLED
    gates = np.pad(gates, ((0, 0), (0, 0), (0, rest)))
    units = gates.shape[2]
    outputs, cells = np.empty((2, 1, units), np.float32)
    nothing, no_weight = np.zeros(units, np.float32), np.zeros((1, 1), np.float32)
    no_weight = np.lib.stride_tricks.as_strided(no_weight, (units, 4 * units), (0, 0))
    kernels.run_recurrent(gates.reshape(1, -1), no_weight, nothing, nothing, outputs, cells)
    assert np.abs(cells[0, : len(inputs)] - np.tanh(inputs.astype(float))).max() < 1e-6


def test_the_vector_of_a_form_is_kept(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    network: Network = model.network
    once = network.word_vectors(["dog", "unheard-of"])
    monkeypatch.setattr(model.inventory.__class__, "code", None)
    assert np.array_equal(network.word_vectors(["dog", "unheard-of"]), once)


def test_no_words_have_no_vectors(model: Model) -> None:
    assert len(model.network.word_vectors([])) == 0
