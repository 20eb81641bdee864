"""Optimal steps for any reference, kept up from step to step.

What can still be attained depends on the stack a_0..a_k and the remaining input alone, so values are kept
that look forward. For a stack prefix a_0..a_i, with a = a_i, and the words from x on:

    TAKES[x]   = w(a, x) + max over y > x of  R(x, y-1) + ON_TOP[y]          x goes under a
    MEETS[x]   = max of  TAKES[x],  w(x, a) + MEETS'[x],                     x is on top of a
                         max over y > x of  I(y -> x) + MEETS[y]
    ON_TOP[x]  = max of  done[x],  max over y >= x of  L(x, y) + TAKES[y]    a is on top
    COVERED[x] = max over y >= x of  L(x, y) + MEETS[y]                      something done is on top of a

where MEETS' is that of the prefix below, and L, R, I are the items of Table 3 inside the remaining input: a
word with its left children, with its right children, and an edge with all between. done[x] lets a word h that
takes no more right children go under a_i, under a later word, or take a_i as a left child and go on below:

    done_i[x]  = max of  w(a_i, h) + ON_TOP_i[x],  COVERED_i[x],  1 + L(x, p(h)) + MEETS_i[p(h)],
                         w(h, a_i) + done_(i-1)[x]      unless h is barred from left children

These are the trees of Table 4 (Nederhof 2019), each built from where the parser stands; but no value rests
on what is above its prefix or left of x, so all of them outlive steps and undone steps. A step fills the
values of at most three new prefixes, O(m) of them and O(m) time each, instead of O((k + m)^2) items.
"""

from __future__ import annotations

import numpy as np

from treewhile.oracles import kernels
from treewhile.oracles.projective_steps import Scores, as_scores
from treewhile.oracles.references import Reference
from treewhile.oracles.tabular_parsing import check_length
from treewhile.oracles.transitions import Configuration, Strategy


class KeptChart:
    """Follows one computation for any reference."""

    def __init__(self, reference: Reference, strategy: Strategy, configuration: Configuration) -> None:
        check_length(reference.n)
        self.strategy, width = strategy, reference.n + 2
        self.words = np.zeros((kernels.WORD_ROWS, width), dtype=np.int32)
        self.words[kernels.WORD_HEAD, :-1] = reference.heads
        self.words[kernels.WORD_HEAD, -1] = kernels.UNKNOWN
        self.spans = np.empty((kernels.SPAN_TABLES, width, width), dtype=np.int32)
        self.open_right = np.empty((width, width), dtype=np.int32)
        # A computation makes up to six nodes a word. All fit for sentences that people write; of longer ones
        # all but the stack are forgotten from time to time.
        nodes = 64 + min(6 * width, 2 * width + 800)
        self.nodes = np.empty((kernels.NODE_ROWS, nodes), dtype=np.int32)
        self.values = np.empty((kernels.NODE_VALUES, nodes, width), dtype=np.int32)
        self.done, self.found = np.empty(width, dtype=np.int32), np.empty(3, dtype=np.int64)
        self.size = np.zeros(kernels.SIZES, dtype=np.int64)
        self.place(configuration)

    def copy(self) -> KeptChart:
        """Another one that knows as much, and goes its own way; it takes the nodes that are in use."""
        other = object.__new__(KeptChart)
        other.strategy = self.strategy
        other.words, other.size = self.words.copy(), self.size.copy()
        other.done, other.found = np.empty_like(self.done), np.empty_like(self.found)
        other.spans, other.open_right = self.spans.copy(), self.open_right.copy()
        other.nodes, other.values = np.empty_like(self.nodes), np.empty_like(self.values)
        used = int(self.size[kernels.NODES])
        other.nodes[:, :used], other.values[:, :used] = self.nodes[:, :used], self.values[:, :used]
        return other

    @property
    def entries_filled(self) -> int:
        return int(self.size[kernels.FILLED])

    def place(self, configuration: Configuration) -> None:
        stack = np.array(configuration.stack, dtype=np.int32)
        kernels.place_any_stack(
            stack, configuration.front, self.words, self.nodes, self.size, self.strategy.bars_left_below_top
        )

    def take(self, step: int) -> None:
        kernels.take_any_step(step, self.words, self.nodes, self.size, self.strategy.bars_left_below_top)

    def scores(self) -> Scores:
        while not kernels.score_any_steps(
            self.words,
            self.spans,
            self.open_right,
            self.nodes,
            self.values,
            self.done,
            self.size,
            *self.strategy,
            self.found,
        ):
            kernels.forget_nodes(self.words, self.nodes, self.size, self.strategy.bars_left_below_top)
        return as_scores(self.found)

    def refer_to(self, reference: Reference, configuration: Configuration) -> bool:
        """Goes on with another reference; False where it has another length, which changes every value."""
        heads = self.words[kernels.WORD_HEAD, :-1]
        if reference.n != len(heads) - 1:
            return False
        for word in np.flatnonzero(heads != reference.heads):
            for head in (heads[word], reference.heads[word]):
                if head != kernels.UNKNOWN:
                    kernels.move_edge(word, head, self.words, self.nodes, self.size)
        heads[:] = reference.heads
        self.place(configuration)
        return True
