"""Causal states of a growing sentence: one for each word, and checkpoints from which words can be added.

For each word its upper state is kept, a kilobyte. Complete states are kept for the last two words and every
`KEPT_EVERY`; others are computed again, bit for bit, by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.layers import Array

Values: TypeAlias = tuple[str, ...] | None

# Function from a word, its gold values and the states before it to the states after it.
NextStates: TypeAlias = Callable[[str, Values, CausalStates | None], CausalStates]

KEPT_EVERY = 16
ROOM = 8  # number of states by which room grows


class WordStates:
    """Causal states; `tops[word, unit]` are the upper states, with spare room; filled rows never change."""

    def __init__(self, width: int) -> None:
        self.tops: Array = np.empty((0, width), np.float32)
        self._after: dict[int, CausalStates] = {}  # by number of words

    def copy(self, words: int) -> WordStates:
        """Return a copy for the first words, without spare room, so that neither writes into the other."""
        other = WordStates(self.tops.shape[1])
        other.tops, other._after = self.tops[:words], {**self._after}
        return other

    def last(
        self, words: Sequence[str], values: Sequence[Values], next_states: NextStates
    ) -> CausalStates | None:
        """Return the states after all words, computed from the last kept ones."""
        start = next(reversed(self._after), 0)  # in insertion order
        states = self._after.get(start)
        for place in range(start, len(words)):
            states = next_states(words[place], values[place], states)
        return states

    def with_room(self, words: int) -> Array:
        """Return `tops`, with room for this many words."""
        if words > len(self.tops):
            self.tops = np.concatenate([self.tops, np.empty((ROOM, self.tops.shape[1]), np.float32)])
        return self.tops

    def keep(self, words: int, states: CausalStates) -> None:
        """Keep the states after a number of words, whose last has just come and is in `tops`."""
        self._after[words] = states
        if words > 2 and (words - 2) % KEPT_EVERY:
            self._after.pop(words - 2, None)

    def cut(self, words: int) -> None:
        """Cut back to the first words."""
        self.tops = self.tops[:words]
        self._after = {after: states for after, states in self._after.items() if after <= words}
