from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import every_tree
import numpy as np
import pytest
from cases import cases, each, each_seed
from every_tree import Tree, all_trees
from judges import random_forest, scaled

from treewhile.oracles import InputError, is_projective, projectivize, tree_classes

DEFINITIONS: dict[str, Callable[[Tree], Any]] = {
    "gap_degree": every_tree.gap_degree,
    "edge_degree": every_tree.edge_degree,
    "inheritance_degree": every_tree.inheritance_degree,
    "is_well_nested": every_tree.is_well_nested,
    "is_projective": every_tree.CLASSES["projective"],
    "is_gap_minding": every_tree.CLASSES["gap-minding"],
    "is_1_inherit": every_tree.CLASSES["1-inherit"],
    "is_mild": every_tree.CLASSES["mild"],
    "is_1_endpoint_crossing": every_tree.CLASSES["1-endpoint-crossing"],
    "is_mh4": every_tree.CLASSES["mh4"],
}

# Trees of each class over 1, 2, ... words, as papers and decoders count them.
COUNTS = {
    "is_projective": [1, 3, 12, 55, 273, 1428],
    "is_gap_minding": [1, 3, 16, 105, 759, 5838],
    "is_1_inherit": [1, 3, 16, 121, 1103, 11054],
    "is_mild": [1, 3, 16, 121, 1103, 11102],
    "is_mh4": [1, 3, 16, 118, 1019],
    "is_1_endpoint_crossing": [1, 3, 16, 125, 1104],
}


def random_tree(rng: Random, n: int) -> Tree:
    """Any tree, or a projective one of which a few words have been hung elsewhere."""
    heads = [head or 0 for head in random_forest(rng, n)]
    if rng.random() < 0.3:
        return tuple(heads)
    heads = projectivize(heads, single_root=False)
    for word in rng.choices(range(1, n + 1), k=rng.randint(0, 3)):
        heads[word - 1] = rng.choice([head for head in range(n + 1) if not is_below(heads, head, word)])
    return tuple(heads)


def is_below(heads: list[int], node: int, word: int) -> bool:
    while node not in (0, word):
        node = heads[node - 1]
    return node == word


@pytest.mark.slow
@each("n", range(scaled(7, 6)))
def test_every_attribute_is_what_its_definition_says(n: int) -> None:
    names = [name for name in DEFINITIONS if n < scaled(6, 5) or name != "is_mh4"]
    trees = all_trees(n)
    for heads in Random(n).sample(trees, min(len(trees), 1500)):
        classes = tree_classes(heads)
        for name in names:
            assert getattr(classes, name) == DEFINITIONS[name](heads), (name, heads)


@each("name", COUNTS)
def test_as_many_trees_are_in_a_class_as_papers_count(name: str) -> None:
    expected = COUNTS[name][: scaled(6, 4)]
    for n, count in enumerate(expected, 1):
        assert sum(getattr(tree_classes(heads), name) for heads in all_trees(n)) == count


@pytest.mark.reaches(0.6)
@each_seed(cases(scaled(300, 60)))
def test_longer_trees_are_as_their_definitions_say(seed: int, reached: Any) -> None:
    rng = Random(seed)
    heads = random_tree(rng, rng.randint(7, scaled(11, 8)))
    classes = tree_classes(heads)
    reached(not classes.is_projective)
    assert {name: getattr(classes, name) for name in DEFINITIONS} == {
        name: definition(heads) for name, definition in DEFINITIONS.items()
    }, heads


@pytest.mark.reaches(0.3)
@each_seed(cases(scaled(200, 30)))
def test_classes_lie_within_each_other(seed: int, reached: Any) -> None:
    rng = Random(seed)
    heads = random_tree(rng, rng.randint(1, scaled(40, 15)))
    found = tree_classes(heads)
    reached(not found.is_projective and (found.is_mild or found.is_mh4))
    assert found.is_projective == is_projective(heads)
    assert found.is_projective == (found.gap_degree == 0) == (found.edge_degree == 0)
    assert found.is_gap_minding <= found.is_1_inherit <= found.is_mild <= found.is_well_nested
    assert found.is_projective <= min(found.is_gap_minding, found.is_1_endpoint_crossing, found.is_mh4)


def test_heads_come_in_any_form_that_other_functions_take() -> None:
    letter = [2, 3, 0, 3, 7, 7, 2]
    assert tree_classes(letter) == tree_classes(tuple(letter)) == tree_classes(np.array(letter))
    assert tree_classes(letter).is_gap_minding
    assert not tree_classes(letter).is_projective


def test_degrees_are_numbers_and_memberships_truth_values() -> None:
    for heads in ([0], [2, 3, 0, 3, 7, 7, 2], [4, 1, 0, 3, 2, 2]):
        for name, value in tree_classes(heads)._asdict().items():
            assert type(value) is (bool if name.startswith("is_") else int)


@each(
    "heads, message",
    [
        ([0, None, 1], "the head of word 2 is unknown, and only whole trees are in classes: give all heads"),
        ([2, 1, 0], "the heads go round in a circle: 1 <- 2 <- 1"),
        ([0, 4, 1], "the head of word 2 is 4, but heads run from 0"),
        ([0, 2], "word 2 is its own head"),
        ([0, 1.5], "the head of word 2 is 1.5: give a whole number"),
        (
            [3, 4, 0, 0, *range(4, 12_000)],
            "12,000 words are too many to look at all pairs of their edges: at most 10,000",
        ),
    ],
)
def test_what_is_no_whole_tree_is_refused_in_a_sentence(heads: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        tree_classes(heads)
    assert str(caught.value).startswith(message)
