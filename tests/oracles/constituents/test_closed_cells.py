"""How many cells are closed: counted, not timed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from cases import cases, each_seed
from random_phrase_grammars import random_grammar, random_lexical, random_openings

from treewhile.oracles.constituents.chart_cells import MIDPOINTS
from treewhile.oracles.constituents.closed_cells import (
    CellCounts,
    as_of_sentence,
    check_openings,
    count_cells,
)
from treewhile.oracles.constituents.grammar_charts import GrammarChart
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError

SIDES: list[Side] = ["left", "right"]


def count_by_definition(openings: Openings, side: Side) -> CellCounts:
    """Each cell and each midpoint, looked at."""
    begins, ends, unaries = as_of_sentence(openings)
    words = len(begins)
    cases = [0] * 4
    midpoints = 0
    for b, e in combinations(range(words), 2):
        outer, inner = (begins[b], ends[e]) if side == "left" else (ends[e], begins[b])
        case = 1 if not outer else 3 if inner else 2
        cases[case] += 1
        for m in range(b, e):
            if side == "left":
                sibling_is_word, sibling_is_open = m + 1 == e, begins[m + 1] and ends[e]
            else:
                sibling_is_word, sibling_is_open = m == b, begins[b] and ends[m]
            midpoints += case > 1 and bool(sibling_is_word or (case == 3 and sibling_is_open))
    of_tags = sum(not flag for flag in unaries)
    return CellCounts(*cases[1:], of_tags, words - of_tags, midpoints)


@pytest.mark.parametrize("side", SIDES)
@each_seed(cases(30))
def test_counts_are_those_of_the_definition_and_of_the_kernel(seed: int, side: Side) -> None:
    rng = np.random.default_rng(seed)
    words = int(rng.integers(1, 12))
    openings = random_openings(rng, words, rng.random())
    counts = count_cells(openings, side)
    assert counts == count_by_definition(openings, side)
    grammar = random_grammar(rng, side)
    chart = GrammarChart(grammar)
    chart.follow(random_lexical(rng, grammar, words), openings)
    assert chart.counts.tolist() == [*counts[1:]]


def test_the_kernel_counts_what_it_does_again() -> None:
    rng = np.random.default_rng(1)
    grammar = random_grammar(rng, "left")
    rows = [*random_lexical(rng, grammar, 6)]
    chart = GrammarChart(grammar)
    chart.follow(rows)
    before = int(chart.counts[MIDPOINTS])
    chart.follow(rows)
    assert chart.counts[MIDPOINTS] == before


def test_flags_have_to_fit_the_sentence() -> None:
    with pytest.raises(InputError, match="the flags of begins have shape"):
        check_openings(Openings.all_open(3), 4)
