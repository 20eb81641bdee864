"""What is taken for the best tree without a chart is what the chart finds."""

from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each_seed
from reach import Reached

from treewhile.incremental.parsers.arc_decoding import Weights, prefix_weights, sentence_weights
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree
from treewhile.incremental.parsers.tree_decoding import best_of_all
from treewhile.oracles.interrupts import Interrupt


def some_weights(seed: int, t: int, virtual: int | None) -> Weights:
    """Of a prefix, or without virtual nodes of a whole sentence; near edges are better, as in language."""
    generator, nodes = np.random.default_rng(seed), t + (virtual or 0)
    rows = nodes + (1 if virtual is None else 3)
    scores = generator.normal(size=(rows, nodes + 1)).astype(np.float32)
    scores -= np.abs(np.subtract.outer(np.arange(rows), np.arange(nodes + 1))).astype(np.float32) / 3
    return sentence_weights(scores) if virtual is None else prefix_weights(scores, virtual)


@pytest.mark.parametrize("virtual", [None, 0, 1, 3])
@pytest.mark.reaches(0.1)
@each_seed(cases(40))
def test_what_is_found_is_the_best_of_the_class(seed: int, virtual: int | None, reached: Reached) -> None:
    weights = some_weights(seed, 1 + seed % 6, virtual)
    found = best_of_all("mh4", weights, Interrupt())
    reached(found is not None)
    assert found is None or found.tolist() == best_mh4_tree(weights)[0].tolist()


def test_a_tree_of_another_class_is_not_taken() -> None:
    scores = np.zeros((5, 5), np.float32)
    scores[[3, 4, 0, 3], [1, 2, 3, 4]] = 9
    weights = sentence_weights(scores)
    assert best_of_all("projective", weights, Interrupt()) is None
    found = best_of_all("mh4", weights, Interrupt())
    assert found is not None
    assert found.tolist() == [3, 4, 0, 3]


def test_a_prefix_without_words_is_left_to_the_chart() -> None:
    assert best_of_all("mh4", prefix_weights(np.zeros((5, 3), np.float32), 2), Interrupt()) is None


def test_what_is_interrupted_or_impossible_gives_nothing() -> None:
    interrupt = Interrupt()
    interrupt.set()
    weights = some_weights(1, 5, None)
    assert best_of_all("mh4", weights, interrupt) is None
    weights.weight[:, 2] = -np.inf
    assert best_of_all("mh4", weights, Interrupt()) is None
