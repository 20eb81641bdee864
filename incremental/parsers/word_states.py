"""The causal states of a sentence that grows: one of each word, and some from which words can go on.

Of a word its upper state is kept, a kilobyte. States from which words can go on are kept for the last two
words and every `KEPT_EVERY`; others are found again, to the last bit, by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.layers import Array

Values: TypeAlias = tuple[str, ...] | None

# The states after one more word, given what was told of it and the states before.
NextStates: TypeAlias = Callable[[str, Values, CausalStates | None], CausalStates]

KEPT_EVERY = 16
ROOM = 8  # how many more states get room once there is none left


class WordStates:
    """`tops[word, unit]` are the upper states, with room for more; what a snapshot may hold stays."""

    def __init__(self, width: int) -> None:
        self.tops: Array = np.empty((0, width), np.float32)
        self._after: dict[int, CausalStates] = {}  # by how many words have come

    def copy(self, words: int) -> WordStates:
        """A copy for the first words, without spare room, so that neither writes into the other."""
        other = WordStates(self.tops.shape[1])
        other.tops, other._after = self.tops[:words], {**self._after}
        return other

    def last(
        self, words: Sequence[str], values: Sequence[Values], next_states: NextStates
    ) -> CausalStates | None:
        """The states after all words, found again from the last ones that were kept."""
        start = next(reversed(self._after), 0)  # they were kept in their order
        states = self._after.get(start)
        for place in range(start, len(words)):
            states = next_states(words[place], values[place], states)
        return states

    def with_room(self, words: int) -> Array:
        """`tops`, with room for this many words."""
        if words > len(self.tops):
            self.tops = np.concatenate([self.tops, np.empty((ROOM, self.tops.shape[1]), np.float32)])
        return self.tops

    def keep(self, words: int, states: CausalStates) -> None:
        """Keeps the states after a number of words, the last of which has just come and is in `tops`."""
        self._after[words] = states
        if words > 2 and (words - 2) % KEPT_EVERY:
            self._after.pop(words - 2, None)

    def cut(self, words: int) -> None:
        """Back to the first words."""
        self.tops = self.tops[:words]
        self._after = {after: states for after, states in self._after.items() if after <= words}
