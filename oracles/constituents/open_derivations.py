"""What is open after the first words of a sentence: the best tree of them and of what is still to come.

open(A, b) is the greatest score of a beginning of A that has all words from b on, and goes on after the last
one, t. What is wholly to come counts as nothing, for its chances add up to one: so it is for grammars whose
rules have their shares in a treebank (Chi & Geman 1998), and words theirs.

    corner(A, b) = max over A -> B C of log(A -> B C) + best(B, b, t)
    corner(A, b) = max over A -> B C and m of log(A -> B C) + best(B, b, m) + open(C, m + 1)
    open(A, b) = max over left corners A -> B ..., ... -> D of log(corners) + corner(D, b)

where a left corner is A -> B or A -> B C with C to come. With sums for maxima it is the chance that a
sentence begins with these words (and goes on), over that of its words (Jelinek & Lafferty 1991). Sums over
corners are a series, added up until nothing changes: it has an end where the inverse of Jelinek and
Lafferty's matrix is one.

An open constituent has several words, so it begins where the openings have it; how it ends is to be seen.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from treewhile.oracles.constituents.chart_rules import BEST, SUMS, Floats, Ints
from treewhile.oracles.constituents.grammar_charts import GrammarChart, lexical_rows
from treewhile.oracles.constituents.grammars import Grammar
from treewhile.oracles.constituents.kernels.open_columns import fill_open_column, trace_open
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt


class OpenNode(NamedTuple):
    """A symbol over words, numbered from 1; `last` is None while its end is still to come."""

    symbol: int
    first: int
    last: int | None


class OpenDerivation(NamedTuple):
    """The nodes that have words already: parents first, then from the left."""

    nodes: list[OpenNode]
    score: float


class Corners(NamedTuple):
    """By symbol, what has it as a left corner."""

    first: Ints  # [symbol]
    parent: Ints  # [corner]
    weight: Floats


def best_open_derivation(
    grammar: Grammar,
    lexical: npt.ArrayLike,
    openings: Openings | None = None,
    interrupt: Interrupt | None = None,
) -> OpenDerivation | None:
    """The best tree of a sentence that begins with these words and goes on, or None if there is none.

    The arguments are those of `best_derivation`; the last word has no rights of its own.
    """
    chart = GrammarChart(grammar)
    rows = lexical_rows(lexical, grammar)
    is_done = chart.follow(rows, openings, is_over=False, interrupt=interrupt)
    return open_derivation(chart) if is_done else None


def prefix_log_sum(grammar: Grammar, lexical: npt.ArrayLike, openings: Openings | None = None) -> float:
    """The logarithm of the sum over all trees of sentences that begin with these words and go on."""
    chart = GrammarChart(grammar, SUMS)
    chart.follow(lexical_rows(lexical, grammar), openings, is_over=False)
    if not chart.words:
        return -np.inf
    _fill(chart)
    top = int(chart.cells.first[chart.words])
    value = chart.cells.complete[top, chart.place[grammar.start]]
    return float(chart.cells.offset[top] + np.log(value)) if value > 0 else -np.inf


def open_derivation(chart: GrammarChart) -> OpenDerivation | None:
    """The best tree of what a chart has followed, a sentence that is not over, or None if there is none."""
    if not chart.words:
        return None
    via, start = _fill(chart), chart.place[chart.grammar.start]
    score = float(chart.cells.complete[chart.cells.first[chart.words], start])
    if score == -np.inf:
        return None
    nodes = trace_open(chart.rules, chart.cells, chart.words, start, chart.ends, chart.scratch(), via)
    symbols = chart.symbol[nodes[:, 0]].tolist()
    return OpenDerivation(
        [
            OpenNode(symbol, first + 1, None if last == chart.words else last + 1)
            for symbol, (first, last) in zip(symbols, nodes[:, 1:].tolist(), strict=True)
        ],
        score,
    )


def _fill(chart: GrammarChart) -> Ints:
    """Fills the column of what is open, which stays until the chart follows another sentence.

    The next symbol below each by a left corner, [cell of the column, symbol], or -1.
    """
    chart.lay_out(chart.words + 1, chart.closed.with_more())
    symbols = chart.rules.symbols
    cells = int(np.diff(chart.cells.first[chart.words : chart.words + 2])[0])
    entry = chart.next_entry
    chart.make_room(0, entry + cells * symbols, 0)
    via = np.empty((cells, symbols), np.int32)
    is_finite = fill_open_column(
        chart.code,
        chart.rules,
        corners_of(chart),
        chart.cells,
        chart.words,
        chart.ends,
        entry,
        chart.scratch(),
        np.empty((2, symbols)),
        via,
        chart.counts,
    )
    if not is_finite:
        raise InputError("left corners go round in circles whose chances do not add up: they are too likely")
    return via


# --- left corners -------------------------------------------------------------------------------------------

_corners: WeakKeyDictionary[Grammar, dict[int, Corners]] = WeakKeyDictionary()


def corners_of(chart: GrammarChart) -> Corners:
    """The left corners of a chart's grammar."""
    known = _corners.setdefault(chart.grammar, {})
    if chart.code not in known:
        known[chart.code] = _find_corners(chart)
    return known[chart.code]


def _find_corners(chart: GrammarChart) -> Corners:
    grammar, symbols = chart.grammar, chart.rules.symbols
    rules = np.concatenate([grammar.binary[:, :2], grammar.unary])
    logs = np.concatenate([grammar.binary_logs, grammar.unary_logs])
    edge = chart.place[rules[:, 1]].astype(np.int64) * symbols + chart.place[rules[:, 0]]
    edges, which = np.unique(edge, return_inverse=True)
    weights = np.full(len(edges), -np.inf)
    gather = np.maximum if chart.code == BEST else np.logaddexp
    gather.at(weights, which, logs)
    first = np.searchsorted(edges, np.arange(symbols + 1) * symbols)
    return Corners(
        first.astype(np.int32),
        (edges % symbols).astype(np.int32),
        weights if chart.code == BEST else np.exp(weights),
    )
