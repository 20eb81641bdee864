"""Sentence that grows word by word, with two parses side by side.

The *committed* parse is made by greedy steps: its arcs never change, and every word costs the same. A step
waits for the three words after the words that it attaches. With a `risk` it waits only while waiting is
expected to gain more correct edges than the risk; with a `delay`, until that number of words is known. The
*best* parse is the best tree of the model's class over all words so far, with virtual nodes for the words to
come; it may change at every word.

Network outputs that depend on the states of words are computed again for every best parse, which takes a
third longer and a twentieth of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from statistics import fmean
from typing import Any

from treewhile.incremental.completeness import ENDED, NOT_BEGUN, Completeness
from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis
from treewhile.incremental.parsers.causal_layers import CausalStates, WordStates
from treewhile.incremental.parsers.committed_parses import UNATTACHED as UNATTACHED
from treewhile.incremental.parsers.committed_parses import Arcs, CommittedParse
from treewhile.incremental.parsers.greedy_steps import WAITS_ALWAYS, WAITS_IF_ANY, Patience
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.parsers.shift_reduce import AHEAD, checked_classes
from treewhile.incremental.parsers.told_values import as_told
from treewhile.oracles.errors import InputError


class GrowingParse:
    """Both parses of the words so far; with a delay, the risk is ignored.

    A copy shares only the model, which never changes. A pickle holds the model, too, 28 MB for `en`: if
    another process has the model, append the words there again, which gives bit-identical results.
    """

    def __init__(self, model: Model, delay: int | None = None, risk: float = RISK) -> None:
        check_risk(risk)
        self._model = as_model(model)
        by_risk = Patience(len(AHEAD), float(risk) or WAITS_IF_ANY)
        self._patience = by_risk if delay is None else Patience(_checked(delay), WAITS_ALWAYS)
        self._words: list[str] = []
        self._told_words: tuple[str, ...] | None = ()  # cached tuple of the words
        self._values: list[tuple[str, ...] | None] = []
        self._tags: list[str] = []
        self._features: list[str] = []
        self._is_closed = False
        self._states = WordStates(model.network.causal.width)
        self._committed = CommittedParse(model, self._patience)
        self._is_greedy = True

    def copy(self) -> GrowingParse:
        """Return an independent parse of the same words by the same model."""
        other = object.__new__(GrowingParse)
        vars(other).update(vars(self))
        for name in ("_words", "_values", "_tags", "_features", "_committed"):
            setattr(other, name, copy(getattr(self, name)))
        other._states = self._states.copy(len(self._words))
        return other

    def __copy__(self) -> GrowingParse:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> GrowingParse:
        return self.copy()

    @property
    def words(self) -> tuple[str, ...]:
        if self._told_words is None:
            self._told_words = tuple(self._words)
        return self._told_words

    @property
    def word_count(self) -> int:
        return len(self._words)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def steps(self) -> bytes:
        """Steps of the committed parse, as numbers in the table of transitions."""
        return bytes(self._committed.steps)

    @property
    def front(self) -> int:
        """First word that the committed parse has not shifted."""
        return self._committed.greedy.front

    @property
    def delays(self) -> list[int]:
        """Number of known words beyond those of each arc, while the sentence was open."""
        return self._committed.greedy.delays

    @property
    def mean_delay(self) -> float | None:
        """Mean number of words that an arc has waited for."""
        delays = self.delays
        return fmean(delays) if delays else None

    def append(self, word: str, values: Iterable[str] | None = None, looks_ahead: bool = False) -> None:
        """Add one more word; the committed parse goes on at once.

        With `looks_ahead`, a following call of `at_once` is cheaper.
        """
        if self._is_closed:
            raise InputError(
                f"the sentence has ended, so {word!r:.40} cannot come: cut it back or start another"
            )
        told = None if values is None else as_told(values)
        model, words = self._model, len(self._words) + 1
        gates = model.gates_of_word(word, told)
        states, tops = model.network.causal.copied(self._last_states), self._states.with_room(words)
        tag, features = self._committed.attach(gates, states, tops, looks_ahead)
        self._words.append(word)
        self._told_words = None
        self._values.append(told)
        self._states.keep(words, states)
        self._tags.append(model.inventory.tags[tag])
        self._features.append(model.inventory.features[features])

    @property
    def _last_states(self) -> CausalStates | None:
        return self._states.last(self._words, self._values, self._model.next_states)

    def next_tag(self, word: str) -> str:
        """Return the best tag of a word if it came next; nothing changes."""
        _, tag, _ = self._model.next_tagged(word, None, self._last_states)
        return tag

    def close(self) -> None:
        """End the sentence."""
        if not self._is_closed:
            self._is_closed = True
            self._committed.take(self._committed.greedy.close(self._states.tops))

    def cut(self, t: int) -> None:
        """Cut back to the first t words, as if neither later words nor the end had come."""
        if not 0 <= t <= len(self._words):
            raise InputError(
                f"there are no {t} words to go back to: give a number from 0 to {len(self._words)}"
            )
        for kept in (self._words, self._values, self._tags, self._features):
            del kept[t:]
        self._told_words = None
        self._states.cut(t)
        self._is_closed = False
        if self._is_greedy:
            self._committed.cut(t)
        else:
            self._commit_again()

    def _commit_again(self) -> None:
        """Take greedy steps from the start on."""
        self._is_greedy = True
        self._committed = CommittedParse(self._model, self._patience)
        for _ in self._words:
            self._committed.arcs.append()
            self._committed.take(self._committed.greedy.append(self._states.tops))

    def follow(self, classes: Sequence[int]) -> None:
        """Take these classes of step from the start on, instead of the committed ones.

        Illegal steps are refused, and then nothing has changed. Once the sentence is cut, its steps are
        greedy from the start on, as without this call.
        """
        kinds, words = len(self._model.inventory.labels), len(self._words)
        checked = checked_classes(classes, kinds, words)
        self._is_greedy = False
        self._committed = CommittedParse(self._model, self._patience, words)
        self._committed.take(self._committed.greedy.follow(checked))

    def snapshot(self) -> Snapshot:
        """Return the current words and states, for a best parse in another thread."""
        values = tuple(told or () for told in self._values) if any(self._values) else None
        return Snapshot(self.words, self._states.tops[: len(self._words)], not self._is_closed, values)

    def best(self) -> Analysis:
        """Return the best tree of the model's class, with virtual nodes unless the sentence has ended.

        The analysis has constituents if the model has learnt them: those that will go on are open; it has
        lemmas and XPOS likewise. The time grows at least with the cube of the number of words, and cannot be
        interrupted: thousands of words take seconds. A session leaves such sentences to the committed parse.
        """
        if not self._words:
            return NO_WORDS
        rescored = self._model.rescore(self.snapshot()._replace(with_constituents=True, with_lemmas=True))
        return replace(rescored.analysis, constituents=rescored.constituents or ())

    def completeness(self) -> Completeness:
        """Return the probabilities that the words so far could be, and are, a whole sentence."""
        return self.completeness_later()()

    def completeness_later(self) -> Callable[[], Completeness]:
        """Return a function that computes the completeness of the current words once, in any thread."""
        layers, n = self._model.completeness, len(self._words)
        if layers is None:
            raise InputError("the model has not learnt when sentences end: take another one, such as en")
        if self._is_closed or not n:
            found = ENDED if self._is_closed else NOT_BEGUN
            return lambda: found
        top = self._states.tops[n - 1]
        known: list[Completeness] = []

        def find_once() -> Completeness:
            if not known:
                known.append(layers.of(top, n))
            return known[0]

        return find_once

    def committed(self) -> Analysis:
        """Return the arcs of the steps so far; a waiting word has the head LATER.

        The label is then UNATTACHED, which is `_`; messages of a session have None instead.
        """
        return self._analysis(self._committed.arcs)

    def committed_confidences(self) -> tuple[float | None, ...]:
        """Return the probability of the step that attached each word; None for a waiting word."""
        return tuple(self._committed.arcs.confidences)

    def at_once(self) -> tuple[Analysis, tuple[float | None, ...]]:
        """Return the arcs that there would be without waiting, with confidences; nothing is committed."""
        committed = self._committed
        arcs = committed.arcs if self._is_closed else committed.without_waiting(self._states.tops)
        return self._analysis(arcs), tuple(arcs.confidences)

    def _analysis(self, arcs: Arcs) -> Analysis:
        return Analysis(
            self.words, tuple(self._tags), tuple(self._features), tuple(arcs.heads), tuple(arcs.labels)
        )


def _checked(delay: int) -> int:
    if isinstance(delay, bool) or delay not in range(len(AHEAD) + 1):
        raise InputError(f"a delay of {delay!r:.40} words is not possible: use one from 0 to {len(AHEAD)}")
    return int(delay)
