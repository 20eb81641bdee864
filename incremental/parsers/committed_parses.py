"""Committed parse of words that come one by one: its steps and the arcs made so far."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache

from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.greedy_steps import GreedySteps, Patience, Taken
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.nodes import LATER, Head
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shift_reduce import step_of

UNATTACHED = "_"  # label of a word that the committed parse has not attached yet


class Arcs:
    """Arcs made by steps, by word; a waiting word has the head LATER."""

    def __init__(self, words: int) -> None:
        self.heads: list[Head] = [LATER] * words
        self.labels = [UNATTACHED] * words
        self.confidences: list[float | None] = [None] * words

    def __copy__(self) -> Arcs:
        other = Arcs(0)
        other.heads, other.labels, other.confidences = self.heads[:], self.labels[:], self.confidences[:]
        return other

    def cut(self, words: int) -> None:
        """Cut back to the first words."""
        del self.heads[words:], self.labels[words:], self.confidences[words:]

    def append(self) -> None:
        """Add one more word, which waits."""
        self.heads.append(LATER)
        self.labels.append(UNATTACHED)
        self.confidences.append(None)

    def attach(self, steps: Sequence[Taken], labels: Sequence[str]) -> None:
        """Record the arcs that steps make."""
        for step, child, head, confidence in steps:
            if child:
                place = child - 1
                self.heads[place], self.confidences[place] = head, confidence
                self.labels[place] = labels[(step - 1) % len(labels)]

    def detach(self, children: Sequence[int]) -> None:
        """Make these words wait again."""
        for child in children:
            place = child - 1
            self.heads[place], self.labels[place], self.confidences[place] = LATER, UNATTACHED, None


class CommittedParse:
    """Committed parse of n words, with no steps so far; steps wait as in `GreedySteps`."""

    def __init__(self, model: Model, patience: Patience, n: int = 0) -> None:
        self._labels = model.inventory.labels
        self._step_of_class = _steps_of_classes(model.barred_steps.shape[1], len(self._labels))
        self.greedy = GreedySteps(model, *patience, n)
        self.steps = bytearray()  # as numbers in the table of transitions
        self.arcs = Arcs(n)
        self._ahead: list[Taken] | None = None  # steps that would follow without waiting, while known

    def __copy__(self) -> CommittedParse:
        other = object.__new__(CommittedParse)
        vars(other).update({name: copy(value) for name, value in vars(self).items()})
        return other

    def attach(self, gates: Array, states: CausalStates, tops: Array, looks_ahead: bool) -> tuple[int, int]:
        """Add one more word, as `GreedySteps.attach` does; return the numbers of its tag and features."""
        tag, features, taken, ahead = self.greedy.attach(gates, states, tops, looks_ahead)
        self.arcs.append()
        self.take(taken)
        self._ahead = ahead if looks_ahead else None
        return tag, features

    def take(self, steps: Sequence[Taken]) -> None:
        """Record steps that `greedy` has taken."""
        self._ahead = None
        self.steps.extend([self._step_of_class[taken[0]] for taken in steps])
        self.arcs.attach(steps, self._labels)

    def cut(self, words: int) -> None:
        """Cut back to the first words, and undo the steps since the next word, or the end, came."""
        self._ahead = None
        undone, children = self.greedy.cut(words)
        del self.steps[len(self.steps) - undone :]
        self.arcs.detach(children)
        self.arcs.cut(words)

    def without_waiting(self, tops: Array) -> Arcs:
        """Return the arcs that there would be if no step waited any more; no step is taken."""
        if self._ahead is None:
            self._ahead = self.greedy.without_waiting(tops)
        arcs = copy(self.arcs)
        arcs.attach(self._ahead, self._labels)
        return arcs


@cache
def _steps_of_classes(classes: int, kinds: int) -> bytes:
    """Return, for each class of step, its number without the label."""
    return bytes(step_of(step_class, kinds) for step_class in range(classes))
