"""Causal states of words, which depend on the words so far: two layers over the gates of words.

For each word its upper state is kept, a kilobyte. Complete states are kept for the last two words and every
`KEPT_EVERY`; others are computed again, bit for bit, by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from treewhile.incremental.parsers.kernels.recurrent import take_and_tag_word, take_word
from treewhile.incremental.parsers.layers import Array, Recurrent, Tagger


class CausalStates(NamedTuple):
    """Causal states of words: `h` and `c` are [word, layer, unit]."""

    h: Array
    c: Array

    @property
    def top(self) -> Array:
        """Upper states [word, unit], the input of tags, transitions and the rest of the network."""
        return self.h[:, 1]


class CausalLayers:
    """Two causal layers, and the tagger on top; a state has `width` units."""

    def __init__(self, arrays: Mapping[str, Array], first: Recurrent) -> None:
        second = Recurrent(arrays, "causal_second")
        self._layers = first, second
        next_layers = first.states.layer, second.projected.layer, second.states.layer
        self.next_layers = next_layers, Tagger(arrays, "early_tags").layers  # for `take_and_tag_word`
        self.width = first.units

    def states(
        self, gates: Array, lengths: Sequence[int], before: CausalStates | None = None
    ) -> CausalStates:
        """Return the states of the words of sentences in a row, or of more words after given states."""
        if len(gates) == 1:
            return self.next_states(gates, before)
        hs: list[Array] = []
        cs: list[Array] = []
        for number, layer in enumerate(self._layers):
            start = None if before is None else [(before.h[-1, number], before.c[-1, number])]
            h, c = layer.run(layer.projected(hs[-1]) if hs else gates, lengths, start)
            hs.append(h)
            cs.append(c)
        return CausalStates(np.stack(hs, axis=1), np.stack(cs, axis=1))

    def tops(self, gates: Array, lengths: Sequence[int]) -> Array:
        """Return only the upper states [word, unit] of the words of sentences in a row."""
        first, second = self._layers
        upper, _ = second.run(second.projected(first.run(gates, lengths)[0]), lengths)
        return upper

    def next_states(self, gates: Array, before: CausalStates | None) -> CausalStates:
        """Return the states after one more word."""
        states = self.copied(before)
        take_word(gates, *self.next_layers[0], *states)
        return states

    def next_tagged(self, gates: Array, before: CausalStates | None) -> tuple[CausalStates, int, int]:
        """Return the states after one more word, with its best tag and features so far."""
        states = self.copied(before)
        tag, features = take_and_tag_word(gates, self.next_layers, *states)
        return states, tag, features

    def copied(self, states: CausalStates | None) -> CausalStates:
        """Return a copy of the last states, to be changed; zeros before the first word."""
        if states is None:
            return CausalStates(*np.zeros((2, 1, len(self._layers), self.width), np.float32))
        return CausalStates(states.h[-1:].copy(), states.c[-1:].copy())


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
