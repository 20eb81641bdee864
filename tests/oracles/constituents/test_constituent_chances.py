"""Sums over all trees, and what is expected of constituents, judged by all trees of small grammars."""

from __future__ import annotations

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from random_phrase_grammars import random_grammar, random_lexical, random_openings
from reach import Reached

from treewhile.oracles.constituents.constituent_chances import ConstituentChances, constituent_chances
from treewhile.oracles.constituents.derivations_by_definition import every_tree, is_allowed, score_of
from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt


def table_of(chances: ConstituentChances) -> dict[tuple[int, int, int], float]:
    keys = zip(*(each.tolist() for each in chances[1:4]), strict=True)
    return dict(zip(keys, chances.expected.tolist(), strict=True))


@pytest.mark.reaches(0.4)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("side", ["left", "right"])
def test_sums_and_chances_are_those_of_all_trees(side: str, seed: int, reached: Reached) -> None:
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng, side)
    words = int(rng.integers(1, 5))
    lexical = random_lexical(rng, grammar, words)
    openings = Openings.all_open(words) if seed % 2 else random_openings(rng, words)
    total, expected = 0.0, Counter[tuple[int, int, int]]()
    for tree in every_tree(grammar, lexical, 3):
        if is_allowed(tree, grammar, openings):
            chance = exp(score_of(tree, grammar, lexical))
            total += chance
            for node in tree.nodes():
                if not grammar.is_incomplete[node.symbol]:
                    expected[node.symbol, node.first + 1, node.last + 1] += chance
    found = constituent_chances(grammar, lexical, openings)
    reached(total > 0 and words > 1)
    assert (found is None) == (total == 0)
    if found:
        assert found.log_sum == pytest.approx(log(total))
        assert table_of(found) == pytest.approx({key: chance / total for key, chance in expected.items()})


def circle() -> Grammar:
    """S goes to itself half of the time: trees of S have any height."""
    return Grammar(
        ("S", "T"),
        0,
        np.zeros(2, np.bool_),
        np.array([[0, 1, 0]], np.int32),
        np.log([0.25]),
        np.array([[0, 0], [0, 1]], np.int32),
        np.log([0.5, 0.25]),
        "right",
    )


def test_circles_add_up() -> None:
    found = constituent_chances(circle(), np.array([[-np.inf, 0.0], [-np.inf, 0.0]]))
    assert found
    # S over one word is worth 2 * 1/4, over both words 2 * 1/4 of that; each S is expected twice.
    assert found.log_sum == pytest.approx(log(0.25))
    assert table_of(found) == pytest.approx({(0, 1, 2): 2, (1, 1, 1): 1, (0, 2, 2): 2, (1, 2, 2): 1})


def test_three_hundred_words_do_not_vanish() -> None:
    begins, ends = np.ones((2, 300), np.bool_)
    ends[:-1] = False
    found = constituent_chances(circle(), np.full((300, 2), [-np.inf, -9.0]), Openings(begins, ends, begins))
    assert found
    assert found.log_sum == pytest.approx(300 * (log(0.5) - 9))


def test_an_interrupt_ends_it() -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert constituent_chances(circle(), np.zeros((3, 2)), interrupt=interrupt) is None
