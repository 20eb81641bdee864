"""A sentence that grows word by word, with two parses of it side by side.

The *committed* parse is made by greedy shift-reduce steps, each decided once `delay` words are known that
come after the ones it is about: what it has said it never changes, and every word costs the same. The *best*
parse is the best projective tree over all that has come, with virtual nodes for what has not; it may change
its mind.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewhile.incremental.analyses import LATER, NO_WORDS, Analysis
from treewhile.incremental.labelled_computations import AHEAD, SHIFT, LabelledComputation
from treewhile.incremental.network import Array, CausalStates
from treewhile.incremental.parsing import Model
from treewhile.incremental.step_rules import IS_FINAL, MUST_SHIFT, situation
from treewhile.oracles.errors import InputError

UNATTACHED = "_"  # the label of a word that the committed parse has not attached yet


class GrowingParse:
    """The two parses of the words so far."""

    def __init__(self, model: Model, delay: int = 0) -> None:
        if delay not in range(len(AHEAD) + 1):
            raise InputError(f"a delay of {delay!r} words is not possible: use one from 0 to {len(AHEAD)}")
        self._model, self._network = model, model.network
        self._delay = delay
        self._words: list[str] = []
        self._is_closed = False
        self._vectors: list[Array] = []
        self._states: list[CausalStates] = []
        self._foreseen: list[Array] = []  # of the words at the last best parse
        self._roles: list[Array] = []
        self._tags: list[tuple[str, str]] = []
        self._computation = LabelledComputation(len(model.inventory.labels))
        self._steps_before: list[int] = []  # how many steps were taken when each word came, then the end

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self._words)

    def append(self, word: str, values: Iterable[str] | None = None) -> None:
        """One more word has come. The committed parse goes on at once."""
        if self._is_closed:
            raise InputError(
                f"the sentence has ended, so {word!r:.40} cannot come: cut it back or start another"
            )
        vectors = self._model.vectors([word], None if values is None else [[*values]])
        states = self._network.causal_states(vectors, [1], self._states[-1] if self._states else None)
        self._words.append(word)
        self._vectors.append(vectors)
        self._states.append(states)
        self._roles.append(self._network.roles(states.top)[0])
        self._tags.append(self._model.early_tags(states))
        self._steps_before.append(self._computation.steps_taken)
        self._computation.append()
        self._advance()

    def close(self) -> None:
        """The sentence has ended."""
        if not self._is_closed:
            self._steps_before.append(self._computation.steps_taken)
            self._is_closed = True
            self._advance()

    def cut(self, t: int) -> None:
        """Back to the first t words, as if neither others nor the end had come."""
        if not 0 <= t <= len(self._words):
            raise InputError(
                f"there are no {t} words to go back to: give a number from 0 to {len(self._words)}"
            )
        while t < len(self._steps_before) and self._computation.steps_taken > self._steps_before[t]:
            self._computation.undo()
        self._computation.cut(t)
        per_word = (self._words, self._vectors, self._states, self._foreseen, self._roles, self._tags)
        for kept in (*per_word, self._steps_before):
            del kept[t:]
        self._is_closed = False

    def best(self) -> Analysis:
        """The best projective tree, with virtual nodes unless the sentence has ended."""
        if not self._words:
            return NO_WORDS
        causal = _joined(self._states)
        new = len(self._foreseen)
        if new < len(self._words):
            vectors = np.concatenate(self._vectors[new:])
            self._foreseen += np.split(
                self._network.foreseen(vectors, _joined(self._states[new:])), len(vectors)
            )
        foreseen = np.concatenate(self._foreseen)
        return self._model.best([self._words], causal, foreseen, not self._is_closed)[0]

    def committed(self) -> Analysis:
        """What the steps so far have attached; a word that still waits hangs on LATER."""
        attachments, labels = self._computation.attachments, self._model.inventory.labels
        found = [attachments.get(word) for word in range(1, len(self._words) + 1)]
        return Analysis(
            self.words,
            tuple(tag for tag, _ in self._tags),
            tuple(features for _, features in self._tags),
            tuple(LATER if edge is None else edge.head for edge in found),
            tuple(UNATTACHED if edge is None else labels[edge.label] for edge in found),
        )

    def _advance(self) -> None:
        """Takes steps until the next one needs a word that has not come."""
        computation = self._computation
        while self._is_closed or computation.remaining >= self._delay:
            step = self._next_step()
            if step is None or (step == SHIFT and not computation.remaining):
                return
            computation.take(step)

    def _next_step(self) -> int | None:
        """The class of the best step that is legal, where a shift may stand for waiting; None at the end."""
        computation = self._computation
        may_shift = computation.remaining > 0 or not self._is_closed
        now = situation(len(computation.stack), may_shift)
        if now == IS_FINAL:
            return None
        if now == MUST_SHIFT:
            return SHIFT
        codes = computation.roles(self._delay, self._is_closed)
        missing = self._network.missing_roles
        chosen = [
            (self._roles[code - 1] if code > 0 else missing[-code])[role] for role, code in enumerate(codes)
        ]
        return int((self._network.step_scores(np.array(chosen)) + self._model.barred_steps[now]).argmax())


def _joined(states: list[CausalStates]) -> CausalStates:
    return CausalStates(*(np.concatenate(parts) for parts in zip(*states, strict=True)))
