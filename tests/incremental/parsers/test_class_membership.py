"""Trees are in the classes that definitions say; what is to come counts as one node behind the words."""

from __future__ import annotations

from random import Random

import pytest
from cases import each
from every_tree import CLASSES, all_trees, trees_of

from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.parsers.tree_decoding import CLASSES as NAMES
from treewhile.incremental.parsers.tree_decoding import is_in_class, is_prefix_in_class

TO_COME: tuple[Head, ...] = (LATER, Virtual(1, "NOUN"), Virtual(2, "VERB"))


@pytest.mark.slow
@each("trees", NAMES)
def test_a_tree_is_in_a_class_as_its_definition_says(trees: str) -> None:
    for n in range(1, 6):
        assert {heads for heads in all_trees(n) if is_in_class(trees, heads)} == {*trees_of(trees, n)}


@each("trees", NAMES)
def test_all_that_is_to_come_is_one_node_behind_the_words(trees: str) -> None:
    rng = Random(1)
    for whole in rng.sample([heads for heads in all_trees(5) if heads[-1] == 0], 200):
        heads = [rng.choice(TO_COME) if head == 5 else head for head in whole[:4]]
        assert is_prefix_in_class(trees, heads) == CLASSES[trees](whole), whole


def test_what_leads_round_in_a_circle_is_in_no_class() -> None:
    assert not is_prefix_in_class("mh4", [2, 1, 0])


@pytest.mark.slow
def test_first_words_that_hang_on_each_other_can_go_on_in_mh4() -> None:
    first_words = [first for t in range(1, 6) for first in trees_of("mh4", t) if first.count(0) == 1]
    for first in first_words:
        root = first.index(0) + 1
        assert is_in_class("mh4", (*first, root, root))
    assert len(first_words) == 557
