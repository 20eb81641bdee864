"""Optimal steps for any reference, heads or scores of edges, kept up to date from step to step.

The score that can still be attained depends only on the stack a_0..a_k and the remaining input, so the kept
values look forward. For a stack prefix a_0..a_i, with a = a_i, and the words from x on:

    TAKES[x]   = w(a, x) + max over y > x of  R(x, y-1) + ON_TOP[y]          x goes under a
    MEETS[x]   = max of  TAKES[x],  w(x, a) + MEETS'[x],                     x is on top of a
                         max over y > x of  I(y -> x) + MEETS[y]
    ON_TOP[x]  = max of  done[x],  max over y >= x of  L(x, y) + TAKES[y]    a is on top
    COVERED[x] = max over y >= x of  L(x, y) + MEETS[y]                      something done is on top of a

where MEETS' is that of the prefix below, and L, R, I are the items of Table 3 inside the remaining input: a
word with its left children, with its right children, and an edge with all between. done[x] lets a word h that
takes no more right children go under a_i, under a later word, or take a_i as a left child and go on below:

    done_i[x]  = max of  w(a_i, h) + ON_TOP_i[x],  max over y >= x of  w(y, h) + L(x, y) + MEETS_i[y],
                         w(h, a_i) + done_(i-1)[x]      unless h is barred from left children

With heads the second term is COVERED_i[x] or 1 + L(x, p(h)) + MEETS_i[p(h)], and needs no search. With 0
alone on the stack nothing is done before the end, n + 1; if 0 takes a single child, nothing follows that
child either.

The trees are those of Table 4 (Nederhof 2019), each built from the current configuration; but no value
depends on nodes above its prefix or words left of x, so all values outlive steps and undone steps. A step
fills the values of at most three new prefixes, O(m) of them and O(m) time each, instead of O((k + m)^2)
items. With scores a step takes O(m) as long for each level of the stack, which is little if few words remain.

For arc-eager, the recurrence is that of `eager_steps`. The values of a stack prefix depend on nothing above
it or left of the remaining words, so they outlive steps and undone steps. A shift or right_arc makes one new
prefix, with O(m) values of O(m) time each; the other steps need no new values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self, cast

import numpy as np

from treewhile.oracles.eager_steps import as_eager_scores, has_head_by_level
from treewhile.oracles.kernels import eager_values, prefix_values, prefixes, spans
from treewhile.oracles.kernels import standings as at
from treewhile.oracles.kernels.values import UNKNOWN, Ints
from treewhile.oracles.kernels.values import Scores as Values
from treewhile.oracles.projective_steps import Scores, as_real_scores, as_scores, standing
from treewhile.oracles.references import EdgeScores, Reference
from treewhile.oracles.tabular_parsing import check_length
from treewhile.oracles.transitions import (
    EAGER_TRANSITIONS,
    TRANSITIONS,
    Configuration,
    EagerConfiguration,
    Strategy,
)


class KeptComputation(ABC):
    """State of one computation."""

    def __init__(self, strategy: Strategy, single_root: bool) -> None:
        self.strategy, self.single_root = strategy, single_root
        self.standing = standing(strategy, single_root)

    @property
    def entries_filled(self) -> int:
        return int(self.standing[at.FILLED])

    def place(self, configuration: Configuration) -> None:
        """Go to any configuration."""
        self._place(np.array(configuration.stack, dtype=np.int32), configuration.front)

    @abstractmethod
    def _place(self, stack: Ints, front: int) -> None:
        """Go to the configuration with this stack and next word."""


class KeptChart(KeptComputation):
    """Chart that follows one computation for any reference."""

    node_values: ClassVar = prefix_values.NODE_VALUES  # number of kinds of values of a node
    steps: ClassVar = len(TRANSITIONS)

    def __init__(
        self,
        reference: Reference | EdgeScores,
        strategy: Strategy,
        configuration: Configuration,
        single_root: bool = False,
    ) -> None:
        super().__init__(strategy, single_root)
        self.weight: Values | None = reference.scores if isinstance(reference, EdgeScores) else None
        self._make_room(reference.n)
        if isinstance(reference, Reference):
            self.words[spans.WORD_HEAD, :-1] = reference.heads
        self.place(configuration)

    def _make_room(self, n: int) -> None:
        """Allocate empty tables for n words."""
        check_length(n)
        width, values = n + 2, np.int32 if self.weight is None else np.float64
        self.words = np.zeros((spans.WORD_ROWS, width), dtype=np.int32)
        self.words[spans.WORD_HEAD] = UNKNOWN
        self.spans = np.empty((spans.SPAN_TABLES, width, width), dtype=values)
        nodes = prefixes.node_room(width)
        self.nodes = np.empty((prefixes.NODE_ROWS, nodes), dtype=np.int32)
        self.values = np.empty((self.node_values, nodes, width), dtype=values)
        self.done = np.empty(width, dtype=values)
        self.found: Values = np.empty(self.steps, dtype=np.int64 if self.weight is None else np.float64)
        self.standing[at.NODES] = 0

    def copy(self) -> Self:
        """Return an independent copy with all known values; only the nodes in use are copied."""
        other = object.__new__(type(self))
        other.strategy, other.single_root, other.weight = self.strategy, self.single_root, self.weight
        other.words, other.standing = self.words.copy(), self.standing.copy()
        other.done, other.found = np.empty_like(self.done), np.empty_like(self.found)
        other.spans = self.spans.copy()
        other.nodes, other.values = np.empty_like(self.nodes), np.empty_like(self.values)
        used = int(self.standing[at.NODES])
        other.nodes[:, :used], other.values[:, :used] = self.nodes[:, :used], self.values[:, :used]
        return other

    def _place(self, stack: Ints, front: int) -> None:
        prefixes.place_any_stack(stack, front, self.words, self.nodes, self.standing)

    def take(self, step: int) -> None:
        prefixes.take_any_step(step, self.words, self.nodes, self.standing)

    def scores(self) -> Scores:
        while not prefix_values.score_any_steps(
            self.words,
            self.weight,
            self.spans,
            self.nodes,
            self.values,
            self.done,
            self.standing,
            self.found,
        ):
            prefixes.forget_nodes(self.words, self.nodes, self.standing)
        return as_scores(self.found) if self.weight is None else as_real_scores(self.found)

    def refer_to(self, reference: Reference | EdgeScores, configuration: Configuration) -> bool:
        """Continue with another reference; return False if it is not of the same kind, heads or scores.

        If the length differs, the span values of the remaining input are kept for the words in both.
        """
        before = self.weight
        if isinstance(reference, EdgeScores) != (before is not None):
            return False
        if reference.n != self.words.shape[1] - 2:
            self._fit(reference.n)
        if isinstance(reference, Reference):
            self._move_heads(reference.heads)
        elif before is not None:
            self.weight = reference.scores
            self._move_weights(before, reference.scores)
        self.place(configuration)
        return True

    def _fit(self, n: int) -> None:
        """Resize the tables to n words, and keep the span values of the words that stay."""
        words, attained = self.words, self.spans
        self._make_room(n)
        shared = min(words.shape[1], self.words.shape[1]) - 1
        heads = words[spans.WORD_HEAD, :shared]
        self.words[spans.WORD_HEAD, :shared] = np.where(heads < shared, heads, UNKNOWN)
        self.words[spans.STALE_FROM, :shared] = np.minimum(words[spans.STALE_FROM, :shared], shared)
        self.spans[:, :shared, :shared] = attained[:, :shared, :shared]

    def _move_heads(self, after: Ints) -> None:
        heads = self.words[spans.WORD_HEAD, :-1]
        for word in np.flatnonzero(heads != after).tolist():
            for head in (int(heads[word]), int(after[word])):
                if head != UNKNOWN:
                    prefixes.move_edge(word, head, self.words, self.nodes, self.standing)
        heads[:] = after

    def _move_weights(self, before: Values, after: Values) -> None:
        shared = min(len(before), len(after))
        moved = np.argwhere(before[:shared, :shared] != after[:shared, :shared])
        if len(moved) > len(after):  # so many kept values change that starting afresh is faster
            self.words[spans.STALE_FROM] = self.standing[at.NODES] = 0
        else:
            for head, word in moved.tolist():
                prefixes.move_edge(word, head, self.words, self.nodes, self.standing)


class KeptEagerChart(KeptChart):
    """Chart that follows one computation of arc-eager for any reference; arc-eager has no strategies."""

    node_values: ClassVar = 1
    steps: ClassVar = len(EAGER_TRANSITIONS)

    def place(self, configuration: Configuration) -> None:
        eager = cast(EagerConfiguration, configuration)
        stack, has_head = np.array(eager.stack, dtype=np.int32), has_head_by_level(eager)
        eager_values.place_eager_stack(stack, has_head, eager.front, self.words, self.nodes, self.standing)

    def take(self, step: int) -> None:
        eager_values.take_eager_step(step, self.words, self.nodes, self.standing)

    def scores(self) -> Scores:
        eager_values.score_eager_steps(
            self.words, self.weight, self.spans, self.nodes, self.values[0], self.standing, self.found
        )
        return as_eager_scores(self.found, self.weight is not None)
