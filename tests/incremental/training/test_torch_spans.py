"""Both forms of the scores of spans are the same: those that are trained, and those that are used."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from treewhile.incremental.parsers.model_files import rounded
from treewhile.incremental.parsers.span_layers import Fences, SpanLayers, SpanShape, span_shapes
from treewhile.incremental.training.span_learning import Spans

STATE, SHAPE, FENCES = 10, SpanShape(7, 5), 6
LABELS = [("NP",), ("S", "VP"), ("VP",)]


@pytest.fixture
def both() -> tuple[Spans, SpanLayers]:
    """The same random weights in both forms."""
    torch.manual_seed(4)
    shapes = span_shapes(STATE, SHAPE, len(LABELS))
    arrays = rounded({name: 0.3 * torch.randn(shape).numpy() for name, shape in shapes.items()})
    scorer = Spans(STATE, SHAPE, len(LABELS)).eval()
    named = {name.removeprefix("spans."): torch.from_numpy(array) for name, array in arrays.items()}
    scorer.load_state_dict(named)
    return scorer, SpanLayers(arrays, LABELS)


@pytest.fixture
def fences() -> Fences:
    states = np.random.default_rng(3).standard_normal((FENCES, 2 * STATE)).astype(np.float32)
    return Fences(states, np.array([0, FENCES]), [FENCES - 1])


@torch.no_grad()
def test_what_is_used_scores_spans_as_what_was_trained(
    both: tuple[Spans, SpanLayers], fences: Fences
) -> None:
    scorer, layers = both
    trained = scorer.scores(torch.from_numpy(fences.states)[None])[0].numpy()
    used = layers.scores(fences)[0]
    assert used.shape == (FENCES - 1,) * 2
    assert np.abs(trained).max() > 0.3
    assert np.abs(used - trained).max() < 0.1  # inputs have eight bits in what is used


@torch.no_grad()
def test_what_is_used_names_spans_as_what_was_trained(both: tuple[Spans, SpanLayers], fences: Fences) -> None:
    scorer, layers = both
    firsts, lasts = np.array([0, 1, 2]), np.array([3, 2, 5])
    states = torch.from_numpy(fences.states)
    trained = scorer.label_scores(states[firsts], states[lasts]).numpy()
    assert np.abs(trained).max() > 0.3
    used = layers.label_scores(fences, firsts, lasts)
    assert np.abs(used - trained).max() < 0.1  # inputs have eight bits in what is used


@torch.no_grad()
def test_what_is_used_opens_words_as_what_was_trained(both: tuple[Spans, SpanLayers], fences: Fences) -> None:
    scorer, layers = both
    states = torch.from_numpy(fences.states)
    trained = scorer.opening_scores(states[:-1], states[1:]).numpy()
    assert (
        np.abs(layers.openings_logs(fences)[0] - trained).max() < 0.1
    )  # inputs have eight bits in what is used


def test_the_shapes_of_arrays_are_those_of_parameters() -> None:
    parameters = Spans(STATE, SHAPE, len(LABELS)).named_parameters()
    shapes = span_shapes(STATE, SHAPE, len(LABELS))
    assert shapes == {f"spans.{name}": tuple(one.shape) for name, one in parameters}
