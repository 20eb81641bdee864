"""Layers from causal states to bidirectional states of nodes, computed anew for every prefix.

A sequence of nodes is the root, the words, and a *tail*: END for a whole sentence; for an open prefix the
virtual nodes of the stock, LATER and UNUSED.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from treewhile.incremental.parsers.kernels.both_sides import Tail, look_around
from treewhile.incremental.parsers.layers import Array, Recurrent, Rows, Tagger
from treewhile.incremental.parsers.network_shapes import SPECIAL
from treewhile.incremental.parsers.word_gates import FROM_RIGHT, WordGates


class Around(NamedTuple):
    """Bidirectional states of the nodes of some sequences, one after the other."""

    early: Array  # [root or word, 2 * unit], the input of tags
    late: Array  # [node, 2 * unit], the input of arcs and labels
    bounds: Rows  # bounds of the sequences among the nodes
    lengths: Rows  # numbers of words

    def for_tags(self, number: int) -> Around:
        """Return only what the tags of one sequence need, as the states of a single one."""
        start = int((self.lengths[:number] + 1).sum())
        lengths = self.lengths[number : number + 1]
        return Around(self.early[start : start + 1 + int(lengths[0])], self.late[:0], lengths[:0], lengths)


def tags_of_words(tags: Rows, features: Rows, lengths: Rows) -> list[tuple[Rows, Rows]]:
    """Return tags and features of the words of each sequence, without its root's, given numbers of words."""
    bounds = [*pairwise(accumulate((lengths + 1).tolist(), initial=0))]
    return [(tags[start + 1 : end], features[start + 1 : end]) for start, end in bounds]


class Surroundings:
    """Bidirectional layers, and the tagger on top."""

    def __init__(
        self, arrays: Mapping[str, Array], first: Recurrent, words: WordGates, word_width: int
    ) -> None:
        self._words, self._word_width = words, word_width
        self._of_tops = first.of_inputs(word_width, None)
        self._from_right = first, Recurrent(arrays, "backward_second")
        self._from_left = Recurrent(arrays, "forward_second")
        second = self._from_right[1]
        pairs = (
            (self._of_tops, first.states),
            (self._from_left.projected, self._from_left.states),
            (second.projected, second.states),
        )
        self.layers = tuple(products.layer for pair in pairs for products in pair)
        self.tagger = Tagger(arrays, "tags")
        # used later: nothing is computed here, so that a model is ready before its kernels are compiled
        self._special = arrays["special"]

    def around(self, tops: Array, gates: Array, lengths: Sequence[int], are_open: Sequence[bool]) -> Around:
        """Return the states of all nodes of sentences in a row, each with its root, words and tail.

        tops[word, unit] are causal states, gates[word, gate] contributions of words to the first layer from
        the right.
        """
        of_words = np.array(lengths, np.intp)
        tail_of = np.array(are_open, np.intp)
        root, tails = self.special_nodes
        early, late, bounds = look_around(tops, gates, of_words, root, tail_of, tails, self.layers)
        return Around(early, late, bounds, of_words)

    def tags(self, around: Around) -> list[tuple[Rows, Rows]]:
        """Return the numbers of the best tags and features of words, by bidirectional states."""
        return tags_of_words(*self.tagger.best(around.early), around.lengths)

    def tag_logs(self, around: Around, number: int) -> Array:
        """Return [word, tag]: log-probabilities of the tags of the words of one sequence."""
        return self.tagger.tag_logs(_early_states(around, number))

    def feature_scores(self, around: Around, number: int) -> Array:
        """Return [word, features]: scores of the features of the words of one sequence."""
        return self.tagger.feature_scores(_early_states(around, number))

    @cached_property
    def special_nodes(self) -> tuple[tuple[Array, Array], tuple[Tail, Tail]]:
        """Root before the words, and the two tails behind: of a whole sentence and of a prefix."""
        vectors, tops = self._special[:, : self._word_width], self._special[:, self._word_width :]
        gates = self._words.of_vectors(vectors, FROM_RIGHT)
        root, end, later, unused = range(len(SPECIAL))
        virtual = range(len(SPECIAL), len(vectors))
        ended, goes_on = (self._tail(tops[rows], gates[rows]) for rows in ([end], [*virtual, later, unused]))
        return (tops[[root]], gates[[root]]), (ended, goes_on)

    def _tail(self, tops: Array, gates: Array) -> Tail:
        first, second = self._from_right
        h, first_c = first.run_back(gates + self._of_tops(tops), [len(tops)])
        early = np.concatenate([tops, h], axis=1)
        from_right, second_c = second.run_back(second.projected(early), [len(tops)])
        states = np.array([[h[0], first_c[0]], [from_right[0], second_c[0]]])
        return self._from_left.projected(early), from_right, states


def _early_states(around: Around, number: int) -> Array:
    """Return the states of the words of one sequence from which tags are read."""
    start = int((around.lengths[:number] + 1).sum()) + 1
    return around.early[start : start + int(around.lengths[number])]
