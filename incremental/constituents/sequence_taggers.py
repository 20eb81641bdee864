"""Taggers of Markov order 0, 1 or 2: a linear model of tag sequences, best tags, and sums over all sequences.

The score of a sequence of tags is the sum of the weights of all its features: those of each word with its
tag, if the tagger is *conditioned* also with the previous tag, and those of adjacent tags. Before the
sentence all tags are the first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constituents.kernels import tagging
from treewhile.incremental.constituents.tagger_features import Keys, Templates

Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

NOT_FIXED = tagging.NOWHERE


@dataclass(frozen=True, eq=False)
class SequenceTagger:
    """Sparse weights by feature, and weights of transitions between states.

    A state is the tag of a word, at order 2 the tags of the previous word and of the word, as one number. The
    entries of the feature f are columns[starts[f]:starts[f + 1]] with their weights; a column is a tag, or,
    behind the tags, the previous tag times the number of tags plus the tag.
    """

    tags: tuple[str, ...]
    order: int
    templates: Templates
    is_conditioned: bool
    names: tuple[str, ...]  # [feature]
    starts: Numbers
    columns: Numbers
    weights: npt.NDArray[np.float32]
    transitions: Floats  # [previous state, state]; -inf if the state cannot follow

    def best_tags(self, keys: Keys, fixed: Numbers | None = None) -> Numbers:
        """Return the numbers of the best tags; fixed[word] is a required tag, or -1."""
        if not len(keys):
            return np.empty(0, np.int32)
        states: Numbers = tagging.best_states(self._steps(keys, fixed))
        return states % np.int32(len(self.tags))

    def log_sums(self, keys: Keys, fixed: Numbers | None = None) -> Floats:
        """Return by word and tag the logarithm of the sum over all sequences with that tag there.

        The terms of the sum are exponentials of scores (Roark et al. 2012, Section 6.2).
        """
        if not len(keys):
            return np.empty((0, len(self.tags)))
        sums = tagging.state_sums(self._steps(keys, fixed))
        by_tag: Floats = np.logaddexp.reduce(sums.reshape(len(keys), -1, len(self.tags)), axis=1)
        return by_tag

    def _steps(self, keys: Keys, fixed: Numbers | None) -> Floats:
        count, states = len(self.tags), len(self.transitions)
        scores = np.zeros((len(keys), columns_of(count, self.is_conditioned)))
        entries = (self.starts, self.columns, self.weights)
        tagging.add_features(keys, *self._places, *entries, scores)
        steps = np.empty((len(keys), states, states))
        if fixed is None:
            fixed = np.full(len(keys), NOT_FIXED, np.int32)
        tagging.fill_steps(scores, self.transitions, count, fixed, steps)
        return steps

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.uint64], Numbers, np.uint64]:
        """Keys of features, and a hash table of them by upper bits, at most half full."""
        keys = self.templates.keys_of_names(self.names)
        bits = max(1, (2 * len(keys)).bit_length())
        slots, shift = np.full(1 << bits, tagging.NOWHERE, np.int32), np.uint64(64 - bits)
        tagging.fill_slots(keys, slots, shift)
        return keys, slots, shift


def columns_of(tags: int, is_conditioned: bool) -> int:
    """Return the maximum number of weights of a feature."""
    return tags + tags * tags if is_conditioned else tags


def states_of(tags: int, order: int) -> int:
    return tags * tags if order == 2 else tags


def tag_numbers(tags: Sequence[str], wanted: Sequence[str]) -> Numbers:
    """Return the numbers of tags, -1 for unknown ones."""
    numbers = {tag: number for number, tag in enumerate(tags)}
    return np.array([numbers.get(tag, NOT_FIXED) for tag in wanted], np.int32)
