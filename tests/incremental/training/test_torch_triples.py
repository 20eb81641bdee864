"""Both forms of the scores of triples are the same: those that are trained, and those that are used."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from treewhile.incremental.parsers.model_files import rounded
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS, KINDS, SIBLINGS
from treewhile.incremental.parsers.triple_layers import TripleLayers, triple_shapes
from treewhile.incremental.training.torch_triples import Triples

STATE, UNITS, NODES, SEQUENCES = 10, 7, 6, 3


def random_triples(kind: str) -> tuple[Triples, TripleLayers]:
    """The same random weights in both forms."""
    torch.manual_seed(4)
    scorer = Triples(kind, STATE, UNITS).eval()
    shapes = sorted(triple_shapes(kind, STATE, UNITS).items(), key=lambda one: one[0].endswith("first"))
    arrays = rounded({name: 0.3 * torch.randn(shape).numpy() for name, shape in shapes})
    scorer.load_state_dict(
        {name.removeprefix(f"{kind}."): torch.from_numpy(array) for name, array in arrays.items()}
    )
    return scorer, TripleLayers(arrays, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_used_scores_as_what_was_trained(kind: str) -> None:
    scorer, layers = random_triples(kind)
    late = torch.randn(NODES, SEQUENCES, STATE)
    with torch.no_grad():
        trained = scorer(late).numpy()
    assert np.abs(trained).max() > 0.3
    for sequence in range(SEQUENCES):
        used = layers.scores(np.ascontiguousarray(late[:, sequence].numpy()))
        assert used.shape == (NODES,) * 3
        assert np.abs(used - trained[sequence]).max() < 0.03 * np.abs(trained).max()


def test_the_first_sibling_is_told_from_one_that_is_the_head() -> None:
    _, layers = random_triples(SIBLINGS)
    _, others = random_triples(GRANDPARENTS)
    late = np.random.default_rng(2).standard_normal((NODES, STATE)).astype(np.float32)
    siblings, grandparents = layers.scores(late), others.scores(late)
    are_first = np.eye(NODES, dtype=bool)
    assert np.abs(siblings - grandparents)[~are_first].max() < 1e-6, "the weights are the same"
    assert np.abs(siblings - grandparents)[are_first].min() > 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_before_anything_is_learnt(kind: str) -> None:
    scores = Triples(kind, STATE, UNITS)(torch.randn(NODES, 1, STATE))
    assert not scores.any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_shapes_of_arrays_are_those_of_parameters(kind: str) -> None:
    parameters = Triples(kind, STATE, UNITS).named_parameters()
    assert triple_shapes(kind, STATE, UNITS) == {
        f"{kind}.{name}": tuple(one.shape) for name, one in parameters
    }
