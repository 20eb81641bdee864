"""The recurrent layers, judged by their definition; all layers together are judged by torch, in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treewhile.incremental import kernels
from treewhile.incremental.network import Array, Network
from treewhile.incremental.parsing import Model


def by_definition(projected: Array, weight: Any, h: Array, c: Array) -> Array:
    """The outputs in double precision."""
    outputs = []
    for inputs in projected.astype(float):
        into, forget, cell, out = np.split(inputs + h @ weight, 4)
        c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-into))
        h = np.tanh(c) / (1 + np.exp(-out))
        outputs.append(h)
    return np.array(outputs)


def run(
    projected: Array, lengths: list[int], weight: Any, scale: Array, h: Array, c: Array
) -> tuple[Array, Array]:
    outputs, cells = np.empty((2, len(projected), len(h)), np.float32)
    kernels.run_recurrent(projected, np.array(lengths), weight, scale, h, c, outputs, cells)
    return outputs, cells


@pytest.mark.parametrize("units", [8, 16, 40])
@pytest.mark.parametrize("size", [0.1, 1, 30])
def test_a_recurrent_layer_follows_its_definition(units: int, size: float) -> None:
    generator = np.random.default_rng(units)
    projected = (size * generator.standard_normal((9, 4 * units))).astype(np.float32)
    weight = generator.integers(-127, 128, (units, 4 * units)).astype(np.int8)
    scale = (generator.random(4 * units) / 100 / units).astype(np.float32)
    h, c = generator.standard_normal((2, units)).astype(np.float32)
    outputs, _ = run(projected, [4, 0, 5], weight, scale, h, c)
    for part in (slice(0, 4), slice(4, 9)):
        expected = by_definition(projected[part], weight * scale, h, c)
        assert np.abs(outputs[part] - expected).max() < 1e-5


def test_the_approximate_tangent_is_close_everywhere() -> None:
    inputs = np.linspace(-30, 30, 400 * kernels.UNROLLED).astype(np.float32)
    units, wide = len(inputs), np.full(len(inputs), 30, np.float32)
    projected = np.concatenate([wide, -wide, inputs, wide])[None]
    nothing, scale = np.zeros(units, np.float32), np.zeros(4 * units, np.float32)
    weight = np.zeros((units, 4 * units), np.int8)
    _, cells = run(projected, [1], weight, scale, nothing, nothing)
    assert np.abs(cells[0] - np.tanh(inputs.astype(float))).max() < 1e-6


def test_the_vector_of_a_form_is_kept(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    network: Network = model.network
    once = network.word_vectors(["dog", "unheard-of"])
    monkeypatch.setattr(model.inventory.__class__, "code", None)
    assert np.array_equal(network.word_vectors(["dog", "unheard-of"]), once)


def test_no_more_vectors_are_kept_than_fit_and_none_of_monsters(
    make_model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.network.FORMS_KEPT", 10)
    network = make_model(seed=7).network
    for number in range(35):
        network.word_vectors([f"form{number}", "x" * 1000 + str(number)])
        assert len(network._form_vectors) <= 10


def test_no_words_have_no_vectors(model: Model) -> None:
    assert len(model.network.word_vectors([])) == 0
