"""A sentence that grows word by word, with two parses of it side by side.

The *committed* parse is made by greedy shift-reduce steps, each decided once `delay` words are known that
come after the ones it is about: what it has said it never changes, and every word costs the same. The *best*
parse is the best projective tree over all that has come, with virtual nodes for what has not; it may change
its mind.

Of a word one state is kept, a kilobyte; what the network makes of it is made again for every best parse,
which takes a third longer and a twentieth of the room. States from which words can go on are kept for the
last two words and every `KEPT_EVERY`; others are found again, to the last bit, by the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.analyses import LATER, NO_WORDS, Analysis, Head
from treewhile.incremental.parsers.labelled_computations import AHEAD, SHIFT, LabelledComputation
from treewhile.incremental.parsers.network import Array, CausalStates
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.step_rules import IS_FINAL, MUST_SHIFT, situation
from treewhile.oracles.errors import InputError

UNATTACHED = "_"  # the label of a word that the committed parse has not attached yet

KEPT_EVERY = 16
ROLES_KEPT = 12  # what words add to the next step in their roles, a kilobyte each


class _Choice(NamedTuple):
    """A class of step, and how probable it is, which does not matter to a shift."""

    step: int
    confidence: float


SHIFTS: Final = _Choice(SHIFT, 1.0)


class GrowingParse:
    """The two parses of the words so far."""

    def __init__(self, model: Model, delay: int = 0) -> None:
        if delay not in range(len(AHEAD) + 1):
            raise InputError(f"a delay of {delay!r} words is not possible: use one from 0 to {len(AHEAD)}")
        self._model, self._network = model, model.network
        self._delay = delay
        self._words: list[str] = []
        self._values: list[tuple[str, ...] | None] = []
        self._is_closed = False
        self._tops: list[Array] = []  # [unit] of every word
        self._states: dict[int, CausalStates] = {}  # after so many words
        self._tags: list[str] = []
        self._features: list[str] = []
        self._role_parts: dict[tuple[int, int], Array] = {}  # of a word in a role
        self._is_greedy = True
        self._steps = bytearray()
        self._steps_before: list[int] = []  # how many steps were taken when each word came, then the end
        # what these have attached, by words
        self._heads: list[Head] = []
        self._labels: list[str] = []
        self._confidences: list[float | None] = []
        self._restart()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self._words)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def steps(self) -> bytes:
        """The steps of the committed parse, by their numbers in the table of transitions."""
        return bytes(self._steps)

    @property
    def front(self) -> int:
        """The first word that the committed parse has not shifted."""
        return self._computation.front

    def append(self, word: str, values: Iterable[str] | None = None) -> None:
        """One more word has come. The committed parse goes on at once."""
        if self._is_closed:
            raise InputError(
                f"the sentence has ended, so {word!r:.40} cannot come: cut it back or start another"
            )
        told = None if values is None else tuple(values)
        states = self._model.next_states(word, told, self._last_state())
        self._words.append(word)
        self._values.append(told)
        self._keep_state(states)
        self._tops.append(states.h[0, 1].copy())
        tag, features = self._model.early_tags(states)
        self._tags.append(tag)
        self._features.append(features)
        self._heads.append(LATER)
        self._labels.append(UNATTACHED)
        self._confidences.append(None)
        self._let_in_word()

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
        if self._is_greedy:
            self._undo_to(t)
        by_word = (self._words, self._values, self._tops, self._tags, self._features)
        for kept in (*by_word, self._heads, self._labels, self._confidences):
            del kept[t:]
        self._states = {after: states for after, states in self._states.items() if after <= t}
        self._role_parts = {key: part for key, part in self._role_parts.items() if key[0] <= t}
        self._is_closed = False
        if not self._is_greedy:
            self._commit_again()

    def follow(self, classes: Sequence[int]) -> None:
        """Takes these classes of step from the start on, in place of what was committed.

        They have to be legal and to shift as many words. Once the sentence is cut, its steps are greedy ones
        from the start on, as they would be without this.
        """
        before = self._steps_before
        self._restart()
        self._is_greedy, self._steps_before = False, before
        for _ in self._words:
            self._computation.append()
        for step in classes:
            self._take(step, confidence=1.0)

    def snapshot(self) -> Snapshot:
        """The words as they stand, for a best parse in another thread."""
        values = tuple(told or () for told in self._values) if any(self._values) else None
        return Snapshot(self.words, tuple(self._tops), not self._is_closed, values)

    def best(self) -> Analysis:
        """The best projective tree, with virtual nodes unless the sentence has ended."""
        return self._model.rescore(self.snapshot()).analysis if self._words else NO_WORDS

    def committed(self) -> Analysis:
        """What the steps so far have attached; a word that still waits hangs on LATER."""
        return Analysis(
            self.words, tuple(self._tags), tuple(self._features), tuple(self._heads), tuple(self._labels)
        )

    def committed_confidences(self) -> tuple[float | None, ...]:
        """The probability of the step that attached each word; None for a word that waits."""
        return tuple(self._confidences)

    # --- states -------------------------------------------------------------------------------------------

    def _last_state(self) -> CausalStates | None:
        """The state after all words, found again from the last one that is kept."""
        start = max(self._states, default=0)
        states = self._states.get(start)
        for word in range(start, len(self._words)):
            states = self._model.next_states(self._words[word], self._values[word], states)
        return states

    def _keep_state(self, states: CausalStates) -> None:
        last = len(self._words)
        self._states[last] = states
        if last > 2 and (last - 2) % KEPT_EVERY:
            self._states.pop(last - 2, None)

    # --- steps --------------------------------------------------------------------------------------------

    def _restart(self) -> None:
        self._computation = LabelledComputation(len(self._model.inventory.labels))
        self._steps, self._steps_before = bytearray(), []
        n = len(self._words)
        self._heads, self._labels, self._confidences = [LATER] * n, [UNATTACHED] * n, [None] * n

    def _commit_again(self) -> None:
        """Takes greedy steps from the start on."""
        self._is_greedy = True
        self._restart()
        for _ in self._words:
            self._let_in_word()

    def _undo_to(self, t: int) -> None:
        """Takes back the steps that were taken since word t + 1 came, or the end."""
        while t < len(self._steps_before) and self._computation.steps_taken > self._steps_before[t]:
            attachment = self._computation.undo()
            self._steps.pop()
            if attachment is not None:
                self._tell(attachment.child, LATER, UNATTACHED, None)
        self._computation.cut(t)
        del self._steps_before[t:]

    def _let_in_word(self) -> None:
        self._steps_before.append(self._computation.steps_taken)
        self._computation.append()
        self._advance()

    def _advance(self) -> None:
        """Takes steps until the next one needs a word that has not come."""
        computation = self._computation
        while self._is_closed or computation.remaining >= self._delay:
            best = self._next_step()
            if best is None or (best.step == SHIFT and not computation.remaining):
                return
            self._take(*best)

    def _take(self, step: int, confidence: float) -> None:
        self._steps.append(self._computation.step_of(step))
        attachment = self._computation.take(step)
        if attachment is not None:
            label = self._model.inventory.labels[attachment.label]
            self._tell(attachment.child, attachment.head, label, confidence)

    def _tell(self, word: int, head: Head, label: str, confidence: float | None) -> None:
        place = word - 1
        self._heads[place], self._labels[place], self._confidences[place] = head, label, confidence

    def _next_step(self) -> _Choice | None:
        """The best step that is legal, where a shift may stand for waiting; None at the end."""
        computation = self._computation
        may_shift = computation.remaining > 0 or not self._is_closed
        now = situation(len(computation.stack), may_shift)
        if now == IS_FINAL:
            return None
        if now == MUST_SHIFT:
            return SHIFTS
        codes = computation.roles(self._delay, self._is_closed)
        best, scores = self._network.best_step(*self._roles(codes), self._model.barred_steps[now])
        return SHIFTS if best == SHIFT else _Choice(best, float(1 / np.exp(scores - scores[best]).sum()))

    def _roles(self, codes: Sequence[int]) -> tuple[list[Array], list[Array], int]:
        """What stands in each role adds to the next step, the words' states, and which parts are to be made.

        The parts that were used last are kept.
        """
        kept, network, missing = self._role_parts, self._network, 0
        parts, tops = [], [self._tops[0]] * len(codes)
        for role, code in enumerate(codes):
            if code <= 0:
                parts.append(network.missing_roles[-code, role])
                continue
            part = kept.pop((code, role), None)
            if part is None:
                part = np.empty_like(network.missing_roles[0, 0])
                tops[role] = self._tops[code - 1]
                missing |= 1 << role
            kept[code, role] = part
            parts.append(part)
        while len(kept) > ROLES_KEPT:
            del kept[next(iter(kept))]
        return parts, tops, missing
