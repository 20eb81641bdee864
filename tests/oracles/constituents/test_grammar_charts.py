"""The best trees of charts, judged by all trees of small grammars."""

from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each_seed
from every_derivation import every_tree, is_allowed, score_of
from random_phrase_grammars import random_grammar, random_lexical, random_openings
from reach import Reached

from treewhile.oracles.constituents.grammar_charts import GrammarChart
from treewhile.oracles.constituents.openings import Openings

LONGEST_CHAIN = 3  # there are three phrases, and none twice in the best chain


@pytest.mark.reaches(0.4)
@each_seed(cases(60))
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_best_tree_is_the_best_of_all(side: str, seed: int, reached: Reached) -> None:
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng, side, circles=seed % 3 == 0)
    words = int(rng.integers(1, 5))
    lexical = random_lexical(rng, grammar, words)
    openings = [Openings.all_open(words), random_openings(rng, words), random_openings(rng, words, 0.3)][
        seed % 3
    ]
    trees = [*every_tree(grammar, lexical, LONGEST_CHAIN)]
    allowed = [tree for tree in trees if is_allowed(tree, grammar, openings)]
    best = max((score_of(tree, grammar, lexical) for tree in allowed), default=None)
    chart = GrammarChart(grammar)
    assert chart.follow([*lexical], openings)
    found = chart.best()
    reached(best is not None and words > 1)
    assert (found and found.score) == best
    if found:
        assert found.nodes in [
            [(node.symbol, node.first + 1, node.last + 1) for node in tree.nodes()]
            for tree in allowed
            if score_of(tree, grammar, lexical) == best
        ]
