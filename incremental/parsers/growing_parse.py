"""A sentence that grows word by word, with two parses of it side by side.

The *committed* parse is made by greedy shift-reduce steps: what it has said it never changes, and every word
costs the same. A step waits for the three words that come after the ones it is about; with a `risk`, no
longer than until waiting is expected to be worth no more right edges than that; with a `delay`, until so many
words are known. The *best* parse is the best projective tree over all that has come, with virtual nodes for
what has not; it may change its mind.

Of a word one state is kept, a kilobyte; what the network makes of it is made again for every best parse,
which takes a third longer and a twentieth of the room. States from which words can go on are kept for the
last two words and every `KEPT_EVERY`; others are found again, to the last bit, by the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from statistics import fmean
from typing import Any, Final

import numpy as np

from treewhile.incremental.parsers.analyses import LATER, NO_WORDS, Analysis, Head
from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.greedy_steps import WAITS_ALWAYS, WAITS_IF_ANY, GreedySteps, Taken
from treewhile.incremental.parsers.labelled_computations import AHEAD, SHIFT, step_of
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.parsers.told_values import as_told
from treewhile.oracles.errors import InputError

UNATTACHED = "_"  # the label of a word that the committed parse has not attached yet

KEPT_EVERY = 16
ROOM = 8  # so many more states have room where there is none

# What copies of a parse do not share, beside the states, which are never written again.
OWN: Final = ("_words", "_values", "_states", "_tags", "_features", "_greedy", "_steps", "_arcs")


class GrowingParse:
    """The two parses of the words so far; with a delay, it does not matter what the risk is."""

    def __init__(self, model: Model, delay: int | None = None, risk: float = RISK) -> None:
        check_risk(risk)
        self._model = as_model(model)
        by_risk = len(AHEAD), float(risk) or WAITS_IF_ANY
        self._patience = by_risk if delay is None else (_checked(delay), WAITS_ALWAYS)
        self._words: list[str] = []
        self._values: list[tuple[str, ...] | None] = []
        self._is_closed = False
        # [word, unit], with room for more; what a snapshot may hold is not written again
        self._tops = np.empty((0, model.network.causal.width), np.float32)
        self._states: dict[int, CausalStates] = {}  # after so many words
        self._tags: list[str] = []
        self._features: list[str] = []
        self._is_greedy = True
        self._restart(0)

    def copy(self) -> GrowingParse:
        """Another parse of the same words by the same model, which goes its own way from here on."""
        other = object.__new__(GrowingParse)
        vars(other).update(vars(self))
        for name in OWN:
            setattr(other, name, copy(getattr(self, name)))
        other._tops = self._tops[: len(self._words)]  # without room, so that neither writes to the other's
        return other

    def __copy__(self) -> GrowingParse:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> GrowingParse:
        return self.copy()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self._words)

    @property
    def word_count(self) -> int:
        return len(self._words)

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
        return self._greedy.front

    @property
    def delays(self) -> list[int]:
        """For each reduction: how many words had come that were not shifted, while the sentence was open."""
        return self._greedy.delays

    @property
    def mean_delay(self) -> float | None:
        """How many words a reduction has waited for, in the mean."""
        delays = self.delays
        return fmean(delays) if delays else None

    def append(self, word: str, values: Iterable[str] | None = None) -> None:
        """One more word has come. The committed parse goes on at once."""
        if self._is_closed:
            raise InputError(
                f"the sentence has ended, so {word!r:.40} cannot come: cut it back or start another"
            )
        told = None if values is None else as_told(values)
        states, tag, features = self._model.next_tagged(word, told, self._last_state())
        self._words.append(word)
        self._values.append(told)
        self._keep_state(states)
        self._keep_top(states)
        self._tags.append(tag)
        self._features.append(features)
        self._arcs.append()
        self._take(self._greedy.append(self._tops))

    def close(self) -> None:
        """The sentence has ended."""
        if not self._is_closed:
            self._is_closed = True
            self._take(self._greedy.close(self._tops))

    def cut(self, t: int) -> None:
        """Back to the first t words, as if neither others nor the end had come."""
        if not 0 <= t <= len(self._words):
            raise InputError(
                f"there are no {t} words to go back to: give a number from 0 to {len(self._words)}"
            )
        if self._is_greedy:
            self._undo_to(t)
        for kept in (self._words, self._values, self._tags, self._features, self._arcs):
            del kept[t:]
        self._tops = self._tops[:t]
        self._states = {after: states for after, states in self._states.items() if after <= t}
        self._is_closed = False
        if not self._is_greedy:
            self._commit_again()

    def follow(self, classes: Sequence[int]) -> None:
        """Takes these classes of step from the start on, in place of what was committed.

        They have to be legal and to shift as many words. Once the sentence is cut, its steps are greedy ones
        from the start on, as they would be without this.
        """
        self._restart(len(self._words))
        self._is_greedy = False
        self._take(self._greedy.follow(classes))

    def snapshot(self) -> Snapshot:
        """The words as they stand, for a best parse in another thread."""
        values = tuple(told or () for told in self._values) if any(self._values) else None
        return Snapshot(self.words, self._tops[: len(self._words)], not self._is_closed, values)

    def best(self) -> Analysis:
        """The best projective tree, with virtual nodes unless the sentence has ended."""
        return self._model.rescore(self.snapshot()).analysis if self._words else NO_WORDS

    def committed(self) -> Analysis:
        """What the steps so far have attached; a word that still waits hangs on LATER.

        Its label is then UNATTACHED, which is `_`, where the messages of a session have None.
        """
        return self._analysis(self._arcs)

    def committed_confidences(self) -> tuple[float | None, ...]:
        """The probability of the step that attached each word; None for a word that waits."""
        return tuple(self._arcs.confidences)

    def at_once(self) -> tuple[Analysis, tuple[float | None, ...]]:
        """What would be committed if no step waited any more, with confidences; nothing is committed."""
        arcs = copy(self._arcs)
        if not self._is_closed:
            arcs.attach(self._greedy.without_waiting(self._tops), self._model.inventory.labels)
        return self._analysis(arcs), tuple(arcs.confidences)

    def _analysis(self, arcs: _Arcs) -> Analysis:
        return Analysis(
            self.words, tuple(self._tags), tuple(self._features), tuple(arcs.heads), tuple(arcs.labels)
        )

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

    def _keep_top(self, states: CausalStates) -> None:
        """Of the last word."""
        last = len(self._words) - 1
        if last == len(self._tops):
            self._tops = np.concatenate([self._tops, np.empty((ROOM, self._tops.shape[1]), np.float32)])
        self._tops[last] = states.h[0, 1]

    # --- steps --------------------------------------------------------------------------------------------

    def _restart(self, n: int) -> None:
        """No steps are taken, over the first n words."""
        self._greedy, self._steps = GreedySteps(self._model, *self._patience, n), bytearray()
        self._arcs = _Arcs(len(self._words))

    def _commit_again(self) -> None:
        """Takes greedy steps from the start on."""
        self._is_greedy = True
        self._restart(0)
        for _ in self._words:
            self._take(self._greedy.append(self._tops))

    def _undo_to(self, t: int) -> None:
        """Takes back the steps that were taken since word t + 1 came, or the end."""
        undone, children = self._greedy.cut(t)
        del self._steps[len(self._steps) - undone :]
        for child in children:
            self._arcs.tell(child, LATER, UNATTACHED, None)

    def _take(self, steps: Sequence[Taken]) -> None:
        """Tells what steps have attached."""
        labels = self._model.inventory.labels
        self._steps.extend([step_of(step, len(labels)) for step, *_ in steps])
        self._arcs.attach(steps, labels)


class _Arcs:
    """What steps have attached, by words; a word that waits hangs on LATER."""

    def __init__(self, words: int) -> None:
        self.heads: list[Head] = [LATER] * words
        self.labels = [UNATTACHED] * words
        self.confidences: list[float | None] = [None] * words

    def __copy__(self) -> _Arcs:
        other = _Arcs(0)
        other.heads, other.labels, other.confidences = self.heads[:], self.labels[:], self.confidences[:]
        return other

    def __delitem__(self, words: slice) -> None:
        del self.heads[words], self.labels[words], self.confidences[words]

    def append(self) -> None:
        """One more word has come."""
        self.heads.append(LATER)
        self.labels.append(UNATTACHED)
        self.confidences.append(None)

    def attach(self, steps: Sequence[Taken], labels: Sequence[str]) -> None:
        """Tells what steps attach."""
        for step, child, head, confidence in steps:
            if step != SHIFT:
                self.tell(child, head, labels[(step - 1) % len(labels)], confidence)

    def tell(self, word: int, head: Head, label: str, confidence: float | None) -> None:
        place = word - 1
        self.heads[place], self.labels[place], self.confidences[place] = head, label, confidence


def _checked(delay: int) -> int:
    if isinstance(delay, bool) or delay not in range(len(AHEAD) + 1):
        raise InputError(f"a delay of {delay!r:.40} words is not possible: use one from 0 to {len(AHEAD)}")
    return int(delay)
