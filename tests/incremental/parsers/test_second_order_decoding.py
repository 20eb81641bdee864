"""Trees by scores of arcs and triples, judged by listing all trees."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from cases import cases, each_seed
from every_tree import Tree, trees_of

from treewhile.incremental.parsers.network_shapes import SIBLINGS
from treewhile.incremental.parsers.second_order_decoding import (
    COLUMNS,
    MOST_WORDS,
    Scored,
    score_by_grandparents,
)
from treewhile.oracles.interrupts import Interrupt
from treewhile.oracles.trees.sibling_decoding import sibling_score

CLASS_OF = {
    "projective + siblings": "projective",
    "siblings + rearrangement": "any",
    "gap-minding + siblings": "gap-minding",
    "gap-minding + grandparents": "gap-minding",
}


def drawn(seed: int, n: int) -> Scored:
    """Small integers, so that sums are exact and ties occur."""
    generator = np.random.default_rng(seed)
    triples = generator.integers(-3, 4, (n + 1,) * 3).astype(np.float32)
    arcs = generator.integers(-2, 3, (n + 1, n + 1)).astype(float)
    arcs[:, 0] = arcs.ravel()[:: n + 2] = -inf
    return Scored(arcs, triples)


def worth(scored: Scored, heads: Tree | list[int], kind: str) -> float:
    if kind == SIBLINGS:
        return sibling_score(heads, scored.arcs, scored.siblings)
    return score_by_grandparents(scored, np.array(heads, np.int32))


def one_rooted(name: str, n: int) -> list[Tree]:
    return [heads for heads in trees_of(name, n) if heads.count(0) == 1]


@pytest.mark.parametrize("column", [name for name in COLUMNS if "rearrangement" not in name])
@each_seed(cases(20))
def test_the_tree_of_a_column_is_the_best_of_its_class_with_one_root(column: str, seed: int) -> None:
    kind, decode = COLUMNS[column]
    scored = drawn(seed, 1 + seed % 5)
    found = decode(scored, Interrupt())
    assert found is not None
    best = max(worth(scored, heads, kind) for heads in one_rooted(CLASS_OF[column], scored.words))
    assert worth(scored, found.tolist(), kind) == best
    assert tuple(found.tolist()) in one_rooted(CLASS_OF[column], scored.words)


@each_seed(cases(20))
def test_a_rearranged_tree_is_not_worse_than_the_best_projective_one(seed: int) -> None:
    scored, before, after = (
        drawn(seed, 5),
        COLUMNS["projective + siblings"][1],
        COLUMNS["siblings + rearrangement"][1],
    )
    trees = [
        found.tolist() for decode in (before, after) if (found := decode(scored, Interrupt())) is not None
    ]
    assert worth(scored, trees[1], SIBLINGS) >= worth(scored, trees[0], SIBLINGS)


@pytest.mark.parametrize("column", COLUMNS)
def test_nothing_is_found_once_it_is_interrupted(column: str) -> None:
    interrupt = Interrupt()
    interrupt.set()
    assert COLUMNS[column][1](drawn(1, 12), interrupt) is None


@pytest.mark.parametrize("column", COLUMNS)
def test_a_sentence_that_is_too_long_for_gaps_still_gets_a_tree(column: str) -> None:
    scored = drawn(2, MOST_WORDS + 1)
    found = COLUMNS[column][1](scored, Interrupt())
    assert found is not None
    assert len(found) == MOST_WORDS + 1
    assert np.count_nonzero(found == 0) == 1
