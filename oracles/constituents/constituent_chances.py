"""How likely each constituent is, where a tree's chance is as exp of its score: inside and outside.

    outside(top) = 1 / inside(top)
    outside(B, b, m) += outside(A, b, e) * (A -> B C) * inside(C, m + 1, e), and so for C
    outside(D, b, e) += outside(A, b, e) * the sum over all chains from A down to D

and inside times outside is what is expected. Openings leave out the trees that they do not allow. Baker 1979;
Lari & Young 1990; chains by an inverse as in Stolcke 1995.

Values less than 1e-300 times the greatest in their cell may count as nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.chart_rules import SUMS, Floats, Ints
from treewhile.oracles.constituents.grammar_charts import GrammarChart, lexical_rows
from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.kernels.outside import descend
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.interrupts import Interrupt


class ConstituentChances(NamedTuple):
    """Complete symbols over words, tags included, in no certain order, and what is expected of each.

    That is a chance, unless unary rules go round in circles, since a tree then has a symbol several times
    over the same words.
    """

    log_sum: float  # the logarithm of the sum over all trees
    symbols: Ints
    firsts: Ints  # words are numbered from 1
    lasts: Ints
    expected: Floats


def constituent_chances(
    grammar: Grammar,
    lexical: npt.ArrayLike,
    openings: Openings | None = None,
    interrupt: Interrupt | None = None,
) -> ConstituentChances | None:
    """What is expected of constituents; None if there is no tree, or it is interrupted.

    The arguments are those of `best_derivation`.
    """
    chart, interrupt = GrammarChart(grammar, SUMS), interrupt or Interrupt()
    is_done = chart.follow(lexical_rows(lexical, grammar), openings, interrupt=interrupt)
    if not is_done or chart.score_of_top() == -np.inf:
        return None
    outside = chart_outside(chart, interrupt)
    return None if outside is None else _expected(chart, outside)


def chart_outside(chart: GrammarChart, interrupt: Interrupt) -> Floats | None:
    """outside[cell, symbol] of complete symbols, or None if interrupted."""
    outside, start = np.zeros_like(chart.cells.complete), chart.place[chart.grammar.start]
    outside[chart.top, start] = 1 / chart.cells.complete[chart.top, start]
    entries = np.zeros_like(chart.cells.value)
    is_done = descend(
        chart.rules, chart.cells, chart.words, chart.ends, chart.scratch(), outside, entries, interrupt.flag
    )
    return outside if is_done else None


def _expected(chart: GrammarChart, outside: Floats) -> ConstituentChances:
    cells = int(chart.cells.first[chart.words])
    expected = chart.cells.complete[:cells] * outside[:cells]
    cell, symbol = np.nonzero(expected)
    return ConstituentChances(
        chart.score_of_top(),
        chart.symbol[symbol],
        chart.cells.begin[cell] + 1,
        chart.cells.end[cell] + 1,
        expected[cell, symbol],
    )
