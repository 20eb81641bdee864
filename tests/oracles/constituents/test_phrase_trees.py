from __future__ import annotations

import random
from functools import reduce

import pytest
from cases import cases, each, each_seed
from planted_phrases import random_leaves, random_phrase

from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import (
    Constituent,
    Leaf,
    Phrase,
    constituents_of,
    fold,
    tree_of,
)

SHE, LEFT = Leaf("PRP", "She"), Leaf("VBD", "left")
TREE = Phrase("S", (Phrase("NP", (SHE,)), Phrase("VP", (Phrase("VP", (LEFT,)),))))


def test_constituents_come_in_the_order_of_their_brackets_and_chains_from_the_outside() -> None:
    tree = Phrase("ROOT", (TREE,))
    spans = [("ROOT", 1, 2), ("S", 1, 2), ("NP", 1, 1), ("VP", 2, 2), ("VP", 2, 2)]
    assert constituents_of(tree) == tuple(Constituent(*span) for span in spans)


@each_seed(cases(100))
def test_a_tree_is_made_of_its_constituents_again(seed: int) -> None:
    rng = random.Random(seed)
    tree = random_phrase(rng, rng.randint(1, 12))
    assert tree_of(constituents_of(tree), tree.leaves) == tree


@each_seed(cases(20))
def test_the_order_of_constituents_over_other_words_does_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    tree = random_phrase(rng, 9)
    spans = sorted(constituents_of(tree), key=lambda span: (span.last or 0, span.first))
    assert tree_of(spans, tree.leaves) == tree


def test_open_constituents_reach_to_the_last_word() -> None:
    spans = [Constituent("S", 1, None), Constituent("NP", 1, 1), Constituent("VP", 2, None)]
    assert tree_of(spans, [SHE, LEFT]) == Phrase("S", (Phrase("NP", (SHE,)), Phrase("VP", (LEFT,))))
    assert [span.is_open for span in spans] == [True, False, True]


@each(
    "spans, problem",
    [
        ([], "covers all of the 3 words"),
        ([("S", 1, 2)], "covers all of the 3 words"),
        ([("S", 1, 3), ("A", 1, 2), ("B", 2, 3)], "'B' from 2 to 3 crosses"),
        ([("S", 1, 3), ("A", 2, 4)], "'A' is from 2 to 4: there are 3 words"),
        ([("S", 1, 3), ("A", 3, 2)], "'A' is from 3 to 2"),
        ([("S", 1, 4)], "'S' is from 1 to 4|covers all"),
        ([("S", 1, 3), ("A", 0, 1)], "covers all|from 0 to 1"),
    ],
)
def test_what_is_no_tree_is_refused(spans: list[tuple[str, int, int]], problem: str) -> None:
    leaves = random_leaves(random.Random(1), 3)
    with pytest.raises(InputError, match=problem):
        tree_of([Constituent(*span) for span in spans], leaves)


def test_equal_trees_are_those_of_one_form() -> None:
    a, b = SHE, LEFT
    trees = [
        Phrase("S", (a, b)),
        Phrase("S", (b, a)),
        Phrase("T", (a, b)),
        Phrase("S", (Phrase("S", (a, b)),)),
        Phrase("S", (Phrase("S", (a,)), b)),
        Phrase("S", (a, Phrase("S", (b,)))),
        Phrase("S", (Phrase("S", (a,)), Phrase("S", (b,)))),
    ]
    assert len(set(trees)) == len(trees)
    assert all((one == other) == (one is other) for one in trees for other in trees)
    assert Phrase("S", (a, b)) == trees[0] != "S"


def test_folding_gives_what_is_made_of_the_children() -> None:
    words = fold(TREE, lambda leaf: leaf.word, lambda label, parts: f"{label}[{' '.join(parts)}]")
    assert words == "S[NP[She] VP[VP[left]]]"


@pytest.mark.slow
def test_depth_needs_no_stack_of_calls() -> None:
    deep, same = (reduce(lambda tree, _: Phrase("X", (tree,)), range(20_000), TREE) for _ in range(2))
    assert (deep == same, hash(deep) == hash(same), deep.leaves) == (True, True, (SHE, LEFT))
    assert tree_of(constituents_of(deep), deep.leaves) == deep
    assert fold(deep, lambda leaf: 0, lambda label, depths: 1 + max(depths)) == 20_003
