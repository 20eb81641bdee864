"""Products and recurrent layers, judged by their definitions; the network is judged by torch, in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import each
from small_networks import in_eighth_bits

from treewhile.incremental.parsers.kernels.arcs import head_logs, label_logs
from treewhile.incremental.parsers.kernels.products import Layer, add_products
from treewhile.incremental.parsers.kernels.recurrent import best_tags, run_recurrent
from treewhile.incremental.parsers.kernels.steps import COUNTS, NODE_ROWS, ROLE, best_step_of
from treewhile.incremental.parsers.kernels.tiles import PANEL
from treewhile.incremental.parsers.kernels.tiles import in_panels as rows_in_panels
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT


def by_definition(projected: Array, weight: Any, h: Array, c: Array) -> Array:
    """The outputs in double precision."""
    outputs = []
    for inputs in projected.astype(float):
        into, forget, cell, out = np.split(inputs + h @ weight, 4)
        c = c / (1 + np.exp(-forget)) + np.tanh(cell) / (1 + np.exp(-into))
        h = np.tanh(c) / (1 + np.exp(-out))
        outputs.append(h)
    return np.array(outputs)


def in_panels(weight: Any) -> Any:
    """[input, output] as kernels take it."""
    return rows_in_panels(weight.T)


def eight_bits(generator: np.random.Generator, inputs: int, outputs: int) -> tuple[Any, Array]:
    weight = generator.integers(-127, 128, (inputs, outputs)).astype(np.int8)
    return weight, (generator.random(outputs) / 100 / inputs).astype(np.float32)


def filled(scale: Array) -> Array:
    return np.pad(scale, (0, -len(scale) % PANEL))


@each("rows", [0, 1, 2, 3, 4, 5, 6, 7, 13])
@each("inputs, outputs", [(1, 1), (7, 65), (40, 128)])
def test_products_are_those_of_matrices(rows: int, inputs: int, outputs: int) -> None:
    generator = np.random.default_rng(rows)
    weight = generator.integers(-127, 128, (inputs, outputs)).astype(np.int8)
    values, before = (
        generator.integers(-9, 10, (rows + 1, inputs)),
        generator.integers(-9, 10, (rows + 1, outputs)),
    )
    found = np.pad(before, ((0, 0), (0, -outputs % PANEL))).astype(np.float32)
    scale = filled(np.full(outputs, 0.5, np.float32))
    add_products(values[:rows].astype(np.float32), in_panels(weight), scale, found)
    expected = before + 0.5 * (values @ weight.astype(int))
    assert np.array_equal(found[:rows, :outputs], expected[:rows])
    assert np.array_equal(found[rows, :outputs], before[rows])


def test_a_product_is_the_same_to_the_last_bit_whatever_rows_stand_beside_it() -> None:
    generator = np.random.default_rng(1)
    weight, scale = eight_bits(generator, 100, PANEL)
    inputs = generator.standard_normal((15, 100)).astype(np.float32)
    outputs = np.zeros((15, PANEL), np.float32)
    add_products(inputs, in_panels(weight), scale, outputs)
    for row in range(15):
        alone = np.zeros((1, PANEL), np.float32)
        add_products(inputs[row : row + 1], in_panels(weight), scale, alone)
        assert np.array_equal(outputs[row], alone[0])


@each("inputs", [1, 31, 512, 513, 2000])
@each("size", [0.0, 1e-35, 1e-9, 1.0, 1e9])
def test_inputs_of_any_size_lose_no_more_than_an_eighth_bit_of_the_greatest(inputs: int, size: float) -> None:
    generator = np.random.default_rng(inputs)
    weight = generator.choice(np.array([-127, 127], np.int8), (inputs, PANEL))
    values = np.full((2, inputs), size, np.float32)  # all as great as can be, and of one sign with a weight
    values[0] *= 1.9999999 * np.sign(weight[:, 0])
    values[1] *= generator.standard_normal(inputs)
    outputs = np.zeros((2, PANEL), np.float32)
    scale = np.full(PANEL, 1 / 127, np.float32)
    add_products(values, in_panels(weight), scale, outputs)
    expected = values.astype(float) @ (weight / 127)
    lost = 2.0**-7 * np.abs(values).max(1, keepdims=True) * inputs + 1e-29
    assert (np.abs(outputs - expected) <= lost + 1e-6 * np.abs(expected)).all()


def run(
    projected: Array,
    firsts: list[int],
    lengths: list[int],
    towards: int,
    weight: Any,
    scale: Array,
    start: Array,
) -> tuple[Array, Array]:
    starts = np.repeat(start[None], len(firsts), axis=0)
    places = np.array(firsts), np.array(lengths), towards
    found: tuple[Array, Array] = run_recurrent(projected, *places, states_of(weight, scale), starts)
    return found


def states_of(weight: Any, scale: Array) -> Layer:
    """A layer without biases, which recurrent layers have elsewhere."""
    return in_panels(weight), filled(scale), np.zeros_like(filled(scale)), len(scale)


@each("units", [8, 16, 40])
@each("size", [0.1, 1, 30])
def test_a_recurrent_layer_follows_its_definition(units: int, size: float) -> None:
    generator = np.random.default_rng(units)
    projected = (size * generator.standard_normal((13, 4 * units))).astype(np.float32)
    weight, scale = eight_bits(generator, units, 4 * units)
    h, c = start = generator.standard_normal((2, units)).astype(np.float32)
    parts = [slice(0, 4), slice(9, 13), slice(4, 9)]  # in any order
    firsts, lengths = [part.start for part in parts], [part.stop - part.start for part in parts]
    outputs, _ = run(projected, [0, *firsts], [0, *lengths], 1, weight, scale, start)
    lasts = [part.stop - 1 for part in parts]
    backward, _ = run(projected, lasts, lengths, -1, weight, scale, start)
    for part in parts:
        expected = by_definition(projected[part], weight * scale, h, c)
        assert np.abs(outputs[part] - expected).max() < 2e-3  # what an eighth bit of outputs comes to
        expected = by_definition(projected[part][::-1], weight * scale, h, c)[::-1]
        assert np.abs(backward[part] - expected).max() < 2e-3


def test_each_sequence_begins_with_its_own_state() -> None:
    generator = np.random.default_rng(3)
    projected = generator.standard_normal((6, 32)).astype(np.float32)
    weight, scale = eight_bits(generator, 8, 32)
    whole, cells = run(projected, [5], [6], -1, weight, scale, np.zeros((2, 8), np.float32))
    states = [(whole[5], cells[5]), (whole[2], cells[2])]
    firsts, lengths = np.array([4, 1]), np.array([1, 2])
    outputs, _ = run_recurrent(projected, firsts, lengths, -1, states_of(weight, scale), np.array(states))
    assert np.array_equal(outputs[[0, 1, 4]], whole[[0, 1, 4]])


def test_the_approximate_tangent_is_close_everywhere() -> None:
    inputs = np.linspace(-30, 30, 3200).astype(np.float32)
    units, wide = len(inputs), np.full(len(inputs), 30, np.float32)
    projected = np.concatenate([wide, -wide, inputs, wide])[None]
    nothing, scale = np.zeros((2, units), np.float32), np.zeros(4 * units, np.float32)
    weight = np.zeros((units, 4 * units), np.int8)
    _, cells = run(projected, [0], [1], 1, weight, scale, nothing)
    assert np.abs(cells[0] - np.tanh(inputs.astype(float))).max() < 1e-6


@pytest.mark.parametrize("name", ["model", "en"])
def test_words_that_come_one_by_one_have_the_states_of_the_whole_to_the_last_bit(
    name: str, model: Model
) -> None:
    model = load_model(name) if name == "en" else model
    gates, states = model.gates(["the", "old", "dog", "barks"], FROM_LEFT), None
    whole = model.network.causal.states(gates, [4])
    for word in range(4):
        states = model.network.causal.states(gates[word : word + 1], [1], states)
        assert np.array_equal(states.h[0], whole.h[word])
        assert np.array_equal(states.c[0], whole.c[word])


def layer_of(generator: np.random.Generator, inputs: int, outputs: int) -> tuple[Layer, Array]:
    """A layer of small whole numbers, and its weight with the bias as the last row."""
    weight = generator.integers(-3, 4, (inputs + 1, outputs))
    empty = (0, -outputs % PANEL)
    scale, bias = np.pad(np.ones(outputs), empty), np.pad(weight[-1], empty)
    parts = in_panels(weight[:-1].astype(np.int8)), scale.astype(np.float32), bias.astype(np.float32)
    return (*parts, outputs), weight.astype(np.float32)


def outputs_by_definition(inputs: Array, weight: Array) -> Array:
    return np.asarray(in_eighth_bits(inputs) @ weight[:-1] + weight[-1])


def rectified(values: Array) -> Array:
    """Exact for tens, of which a tenth is a whole number."""
    return np.asarray(np.maximum(values, values * np.float32(SLOPE)))


@pytest.mark.parametrize("rows", [0, 1, 2, 9])
def test_the_likeliest_tags_have_the_greatest_outputs(rows: int) -> None:
    generator = np.random.default_rng(rows)
    states = 10 * generator.integers(-3, 4, (rows, 7)).astype(np.float32)
    layers, weights = zip(*(layer_of(generator, *size) for size in [(7, 9), (9, 3), (9, 70)]), strict=True)
    for bias in (layers[0][2], weights[0][-1]):
        bias *= 10
    hidden = rectified(outputs_by_definition(states, weights[0]))
    expected = [outputs_by_definition(hidden, weight).argmax(1) for weight in weights[1:]]
    assert all(map(np.array_equal, best_tags(*layers, states), expected))


@pytest.mark.parametrize("kept", [0b0000, 0b1001, 0b1111])
def test_the_best_step_is_the_best_that_is_not_barred(kept: int) -> None:
    """What some of four words add in their roles is kept from before; what others add is computed."""
    generator, no_missing = np.random.default_rng(kept), np.zeros((1, 4, 8), np.float32)
    is_kept = [bool(kept >> role & 1) for role in range(4)]
    for _ in range(20):
        hidden, hidden_weight = layer_of(generator, 8, 7)
        steps, weight = layer_of(generator, 7, 6)
        roles, role_weights = zip(*(layer_of(generator, 3, 8) for _ in range(4)), strict=True)
        weights, scales = np.array([one[0] for one in roles]), np.array([one[1] for one in roles])
        for of_bias in (hidden[2], hidden_weight[-1]):
            of_bias *= 100
        tops, bias = 100 * generator.integers(-3, 4, (4, 3)), 100 * generator.integers(-3, 4, 8)
        parts = np.array(
            [in_eighth_bits(top) @ of_role[:-1] for top, of_role in zip(tops, role_weights, strict=True)]
        )
        barred = np.where(generator.random(5) < 0.5, -np.inf, 0).astype(np.float32)
        barred[generator.integers(5)] = 0
        units = rectified((parts.sum(0) + bias).astype(np.float32))
        units = rectified(outputs_by_definition(units, hidden_weight))
        expected = outputs_by_definition(units, weight) + np.append(barred, 0)
        computation = (*new_computation(4), *kept_parts(parts, is_kept))
        best, scores = best_step_of(
            np.arange(1, 5),
            (tops if not all(is_kept) else np.zeros((4, 3))).astype(np.float32),
            computation,
            (weights, scales, bias.astype(np.float32), hidden, steps),
            no_missing,
            barred,
        )
        assert best == expected[:-1].argmax(), "the last one is no class, but PATIENCE"
        assert np.array_equal(scores, expected)
        _, _, _, slots, found = computation
        assert np.array_equal(found[np.argsort(slots[:, ROLE])], parts)


def new_computation(n: int) -> tuple[Any, Any, Any]:
    """Nodes, steps taken and counts, of which none is known."""
    return np.zeros((NODE_ROWS, n + 1), np.int32), np.zeros((n, 4), np.int32), np.zeros(COUNTS, np.int64)


def kept_parts(parts: Array, is_kept: list[bool]) -> tuple[Any, Any]:
    """Slots with the parts of words in their roles that are kept, and nothing in the others."""
    slots = np.zeros((len(parts), 3), np.int64)
    for role, one in enumerate(is_kept):
        slots[role] = (role + 1, role, 1) if one else 0
    return slots, np.where(np.array(is_kept)[:, None], parts, np.nan).astype(np.float32)


@pytest.mark.parametrize("layer", [FROM_LEFT, FROM_RIGHT])
def test_what_a_form_adds_to_the_gates_is_kept(
    model: Model, monkeypatch: pytest.MonkeyPatch, layer: int
) -> None:
    once = model.gates(["dog", "unheard-of", "dog"], layer)
    monkeypatch.setattr(model.inventory.__class__, "code", None)
    assert np.array_equal(model.gates(["dog", "unheard-of", "dog"], layer), once)
    assert np.array_equal(once[0], once[2])
    assert not np.array_equal(once[0], once[1])


def test_no_more_forms_are_kept_than_fit_and_no_monsters(
    make_model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewhile.incremental.parsers.word_gates.FORMS_KEPT", 10)
    model = make_model(seed=7)
    forms = [form for number in range(35) for form in (f"form{number}", "x" * 1000 + str(number))]
    for form in forms:
        model.next_states(form, None, None)
        assert len(model.network.words) <= 10
    assert all(map(model.network.words.knows, forms[-20::2])), "the oldest go first"
    one_by_one = [model.gates([form], FROM_LEFT)[0] for form in forms]
    assert np.array_equal(model.gates(forms, FROM_LEFT), one_by_one)
    assert not any(model.network.words.knows(form) for form in forms[1::2])


def distance(found: Any, expected: Any) -> float:
    """How far apart finite numbers are; others have to be the same."""
    seen = np.isfinite(expected)
    assert np.array_equal(found[~seen], expected[~seen])
    return float(np.abs(found[seen] - expected[seen]).max())


def logs_by_definition(scores: Any, axis: int) -> Any:
    shifted = scores.astype(float) - scores.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


@each("is_open", [False, True])
@each("size", [0.1, 10, 1000])
def test_heads_have_the_logarithms_of_their_probabilities(is_open: bool, size: float) -> None:
    scores = (size * np.random.default_rng(2).standard_normal((9, 9))).astype(np.float32)
    heads, children = (9, 7) if is_open else (8, 8)
    found = head_logs(scores.copy(), heads, children, 4)
    allowed = scores[:heads, :children].copy()
    allowed[range(children), range(children)] = -np.inf
    if is_open:
        allowed[-1, :5] = -np.inf  # words are never UNUSED
    assert distance(found[:, 1:], logs_by_definition(allowed[:, 1:], axis=0)) < 1e-6 * max(1, size)
    assert (found[:, 0] == -np.inf).all()


@pytest.mark.parametrize("size", [0.1, 3])
def test_labels_have_the_logarithms_of_their_probabilities(size: float) -> None:
    generator = np.random.default_rng(4)
    as_head, as_child = (size * generator.standard_normal((2, 6, 7))).astype(np.float32)
    layer, weight = layer_of(generator, 7, 70)
    heads, children = generator.integers(0, 6, (2, 13))
    barred = np.where(generator.random((13, 70)) < 0.3, -np.inf, 0).astype(np.float32)
    found = label_logs(as_head, as_child, heads, children, barred, layer)
    head, child = as_head[heads].astype(float), as_child[children].astype(float)
    units = head + child + head * child
    units = np.maximum(units, units * SLOPE)
    expected = logs_by_definition(units @ weight[:-1] + weight[-1] + barred, axis=1)
    lost = 7 * np.abs(weight).max() * np.abs(units).max() / 2**7  # inputs have eight bits
    assert distance(found, expected) < 2 * lost + 1e-6
