"""Charts of a binarized grammar that grow with the sentence, and the best tree that the openings allow.

ConstrainedCYK, column by column. best(A, b, e) is the greatest score of a tree of A over words b..e:

    made(A, b, e) = max over A -> B C and midpoints m of log(A -> B C) + best(B, b, m) + best(C, m + 1, e)
    made(A, b, b) = lexical[b, A]
    best(A, b, e) = max over chains A -> ... -> D of log(chain) + made(D, b, e)

where cells of case 1 have no symbols, those of case 2 only incomplete ones, and those of case 4 no chains
(see `closed_cells`); with all cells open this is CYK. O(n^3) for each rule, less if cells are closed.

Among trees with the same score, each node in turn from the top has no chain below it, or the chain that leads
to the first symbol, phrases before tags; then the first midpoint; then the first rule of the grammar.

A column holds the cells that end with one word. It depends on the words up to this one alone, so it stays
valid when words are added, as long as their scores and flags are the same: `follow` fills the others. The
last word of a sentence always ends a constituent, so its column is filled anew when words are added, unless
that word may end a constituent anyway.

Roark, Hollingshead & Bodenstab 2012, Algorithms 1 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from treewhile.oracles.constituents.chart_cells import COUNTED, bytes_of, no_cells, with_room
from treewhile.oracles.constituents.closed_cells import ClosedCells, check_openings, count_cells
from treewhile.oracles.constituents.grammars import Floats, Grammar, Ints, chart_grammar
from treewhile.oracles.constituents.kernels.columns import fill_columns, trace_derivation
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

MOST_BYTES: Final = 2 << 30
ENTRIES_MORE: Final = 50  # number of full cells by which the room for entries grows
MOST_MIDPOINTS: Final = 5_000_000  # 300 words if all cells are open


class Node(NamedTuple):
    """Symbol over a span of words, numbered from 1."""

    symbol: int
    first: int
    last: int


class Derivation(NamedTuple):
    """Tree with its incomplete symbols and unary chains: parents first, then from the left."""

    nodes: list[Node]
    score: float


class GrammarChart:
    """Chart of a sentence, which keeps its valid columns from one version of the sentence to the next."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.rules, self.place, self.symbol = chart_grammar(grammar)
        self.cells = no_cells(self.rules.complete)
        self.counts = np.zeros(COUNTED, np.int64)  # counters of all work so far; see `chart_cells`
        self.words = 0  # number of words whose columns are filled
        self.ends: Ints = np.zeros(0, np.int32)  # words that may end a constituent
        self._rows: list[Floats] = []
        self.closed = ClosedCells.of(Openings.all_open(0))
        self._values = np.full(self.rules.symbols, -np.inf), np.empty(self.rules.symbols, np.int32)

    def follow(
        self,
        lexical: Sequence[Floats],
        openings: Openings | None = None,
        interrupt: Interrupt | None = None,
    ) -> bool:
        """Bring the chart to a sentence; return whether that was done before the interrupt.

        A tree has a symbol over each word, whose score is lexical[word][symbol]: the logarithm of a chance,
        or any other. Those of incomplete symbols are not read, and -inf is what may not be. Without openings
        all cells are open.
        """
        closed = self._checked(lexical, openings)
        self.words = min(self.words, self._standing(lexical, closed))
        self.closed, self._rows[self.words :] = closed, [*lexical[self.words :]]
        self.ends = np.flatnonzero(closed.openings.ends).astype(np.int32)
        self._lay_out(len(lexical), closed)
        return self._fill(len(lexical), interrupt or Interrupt())

    def best(self) -> Derivation | None:
        """Return the best tree of the followed sentence, or None if there is none."""
        if not self.words:
            return None
        score = float(self.cells.complete[self.top, self.place[self.grammar.start]])
        if score == -np.inf:
            return None
        nodes = trace_derivation(
            self.rules, self.cells, self.top, self.place[self.grammar.start], self.ends, self._scratch()
        )
        symbols = self.symbol[nodes[:, 0]].tolist()
        spans = (nodes[:, 1:] + 1).tolist()
        return Derivation([Node(symbol, *span) for symbol, span in zip(symbols, spans, strict=True)], score)

    # --- what stands ----------------------------------------------------------------------------------------

    def _checked(self, lexical: Sequence[Floats], openings: Openings | None) -> ClosedCells:
        words = len(lexical)
        flags = Openings.all_open(words) if openings is None else check_openings(openings, words)
        check_midpoints(flags, self.grammar)
        return ClosedCells.of(flags)

    def _standing(self, lexical: Sequence[Floats], closed: ClosedCells) -> int:
        """Return the number of leading columns that are still valid."""
        standing = self.closed.columns_shared(closed)
        for word, (before, after) in enumerate(zip(self._rows[:standing], lexical, strict=False)):
            if before is not after and not np.array_equal(before, after):
                return word
        return standing

    # --- filling --------------------------------------------------------------------------------------------

    def _lay_out(self, words: int, closed: ClosedCells) -> None:
        """Set the positions of cells in all columns from the first unfilled one."""
        ends, begins, is_open = closed.cells_of(slice(self.words, words), self.grammar.side)
        first = int(self.cells.first[self.words])
        after = first + len(ends)
        self._make_room(after, 0, words)
        self.cells.begin[first:after], self.cells.end[first:after] = begins, ends
        self.cells.is_open[first:after] = is_open
        sizes = np.bincount(ends - self.words, minlength=words - self.words)
        self.cells.first[self.words + 1 : words + 1] = first + np.cumsum(sizes)

    def _fill(self, words: int, interrupt: Interrupt) -> bool:
        while self.words < words:
            lexical = np.array(self._rows[self.words :])[:, self.symbol[: self.rules.complete]]
            self.words = fill_columns(
                self.rules,
                self.cells,
                self.words,
                lexical,
                self.ends,
                self._scratch(),
                self.counts,
                interrupt.flag,
            )
            if interrupt.is_set:
                return self.words == words
            if self.words < words:
                self._make_room(0, self.cells.value.size + ENTRIES_MORE * self.rules.symbols, 0)
        return True

    def _make_room(self, cells: int, entries: int, words: int) -> None:
        """Make room for at least this many cells, entries and words."""
        self.cells = with_room(self.cells, cells, entries, words)
        if bytes_of(self.cells) > MOST_BYTES:
            raise InputError(
                f"a chart of {len(self._rows)} words takes more than {MOST_BYTES >> 30} GiB: "
                "close more cells, or cut the sentence"
            )

    def _scratch(self) -> tuple[Floats, Ints, Ints]:
        """Return the kernels' work space: values by symbol, kept at zero, symbols, and pairs of cells."""
        return *self._values, np.empty((len(self._rows) + 2, 2), np.int32)

    @property
    def top(self) -> int:
        """Number of the cell over all words."""
        return int(self.cells.first[self.words - 1])


def check_midpoints(openings: Openings, grammar: Grammar) -> None:
    """Raise an InputError if a chart would take minutes."""
    count = count_cells(openings, grammar.side).midpoints
    if count > MOST_MIDPOINTS:
        raise InputError(
            f"a sentence of {len(openings.begins)} words has {count} pairs of cells to join, "
            f"{MOST_MIDPOINTS} at most: close more cells, or cut it"
        )
