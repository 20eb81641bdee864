from __future__ import annotations

import random

import pytest
from cases import cases, each_seed
from every_tree import Tree, all_trees, cross
from reach import Reached

from treewhile.oracles.trees.crossing_edges import which_cross


def by_definition(heads: Tree) -> list[bool]:
    edges = [*enumerate(heads, 1)]
    return [any(cross(edge, other) for other in edges) for edge in edges]


def test_edges_of_all_small_trees_cross_as_by_definition() -> None:
    for n in range(6):
        for heads in all_trees(n):
            assert which_cross(heads) == by_definition(heads), heads


@pytest.mark.reaches(0.9)
@each_seed(cases(40))
def test_edges_of_long_trees_cross_as_by_definition(seed: int, reached: Reached) -> None:
    rng = random.Random(seed)
    n = rng.randint(10, 60)
    heads = tuple(rng.randint(max(0, word - 4), word - 1) for word in range(1, n + 1))
    found = which_cross(heads)
    assert found == by_definition(heads)
    reached(any(found) and not all(found))
