"""A sentence that grows word by word, with two parses of it side by side.

The *committed* parse is made by greedy steps: it never changes what it has said, and
every word costs the same. A step waits for the three words that come after the ones it is about. With a
`risk` it waits only while that is expected to gain more right edges than the risk; with a `delay`, until that
number of words is known. The *best* parse is the best tree of the model's class over all that has come, with
virtual nodes for what has not; it may change its mind.

What the network computes from the states of words is computed again for every best parse, which takes a third
longer and a twentieth of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from statistics import fmean
from typing import Any

from treewhile.incremental.completeness.completeness import ENDED, NOT_BEGUN, Completeness
from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis
from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.committed_parses import UNATTACHED as UNATTACHED
from treewhile.incremental.parsers.committed_parses import Arcs, CommittedParse
from treewhile.incremental.parsers.greedy_steps import WAITS_ALWAYS, WAITS_IF_ANY
from treewhile.incremental.parsers.labelled_computations import AHEAD
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.rescoring import Snapshot
from treewhile.incremental.parsers.risks import RISK, check_risk
from treewhile.incremental.parsers.step_rules import checked_classes
from treewhile.incremental.parsers.told_values import as_told
from treewhile.incremental.parsers.word_states import WordStates
from treewhile.oracles.errors import InputError


class GrowingParse:
    """The two parses of the words so far; with a delay, it does not matter what the risk is.

    A copy shares only the model, which never changes. A pickle holds the model, too, 28 MB for `en`: where
    another process has the model, let it append the words anew, which gives the same to the last bit.
    """

    def __init__(self, model: Model, delay: int | None = None, risk: float = RISK) -> None:
        check_risk(risk)
        self._model = as_model(model)
        by_risk = len(AHEAD), float(risk) or WAITS_IF_ANY
        self._patience = by_risk if delay is None else (_checked(delay), WAITS_ALWAYS)
        self._words: list[str] = []
        self._told_words: tuple[str, ...] | None = ()  # the same, once somebody has asked for them
        self._values: list[tuple[str, ...] | None] = []
        self._tags: list[str] = []
        self._features: list[str] = []
        self._is_closed = False
        self._states = WordStates(model.network.causal.width)
        self._committed = CommittedParse(model, *self._patience)
        self._is_greedy = True

    def copy(self) -> GrowingParse:
        """Another parse of the same words by the same model, which goes its own way from here on."""
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
        """The steps of the committed parse, by their numbers in the table of transitions."""
        return bytes(self._committed.steps)

    @property
    def front(self) -> int:
        """The first word that the committed parse has not shifted."""
        return self._committed.greedy.front

    @property
    def delays(self) -> list[int]:
        """For each arc: how many words had come that it was not about, while the sentence was open."""
        return self._committed.greedy.delays

    @property
    def mean_delay(self) -> float | None:
        """How many words an arc has waited for on average."""
        delays = self.delays
        return fmean(delays) if delays else None

    def append(self, word: str, values: Iterable[str] | None = None, looks_ahead: bool = False) -> None:
        """One more word has come. The committed parse goes on at once.

        Where it `looks_ahead`, `at_once` takes less time together with this than by itself.
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
        """The likeliest tag of a word if it came next; nothing is attached."""
        _, tag, _ = self._model.next_tagged(word, None, self._last_states)
        return tag

    def close(self) -> None:
        """The sentence has ended."""
        if not self._is_closed:
            self._is_closed = True
            self._committed.take(self._committed.greedy.close(self._states.tops))

    def cut(self, t: int) -> None:
        """Back to the first t words, as if neither others nor the end had come."""
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
        """Takes greedy steps from the start on."""
        self._is_greedy = True
        self._committed = CommittedParse(self._model, *self._patience)
        for _ in self._words:
            self._committed.arcs.append()
            self._committed.take(self._committed.greedy.append(self._states.tops))

    def follow(self, classes: Sequence[int]) -> None:
        """Takes these classes of step from the start on, in place of what was committed.

        What is not legal is refused, and then nothing has changed. Once the sentence is cut, its steps are
        greedy ones from the start on, as they would be without this.
        """
        kinds, words = len(self._model.inventory.labels), len(self._words)
        checked = checked_classes(classes, kinds, words)
        self._is_greedy = False
        self._committed = CommittedParse(self._model, *self._patience, words)
        self._committed.take(self._committed.greedy.follow(checked))

    def snapshot(self) -> Snapshot:
        """The words as they stand, for a best parse in another thread."""
        values = tuple(told or () for told in self._values) if any(self._values) else None
        return Snapshot(self.words, self._states.tops[: len(self._words)], not self._is_closed, values)

    def best(self) -> Analysis:
        """The best tree of the model's class, with virtual nodes unless the sentence has ended.

        It has the constituents that the words make, if the model knows any: those that will go on are open.
        Its time grows with the cube of the words at least, and nothing interrupts it: sentences of some
        thousand words take seconds. A session leaves them to the committed parse.
        """
        if not self._words:
            return NO_WORDS
        rescored = self._model.rescore(self.snapshot()._replace(with_constituents=True))
        return replace(rescored.analysis, constituents=rescored.constituents or ())

    def completeness(self) -> Completeness:
        """Whether the words so far could be a whole sentence, and whether they are one."""
        return self.completeness_later()()

    def completeness_later(self) -> Callable[[], Completeness]:
        """Finds that when it is called, once, of the words as they stand now, in any thread."""
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
        """What the steps so far have attached; a word that still waits hangs on LATER.

        Its label is then UNATTACHED, which is `_`, where the messages of a session have None.
        """
        return self._analysis(self._committed.arcs)

    def committed_confidences(self) -> tuple[float | None, ...]:
        """The probability of the step that attached each word; None for a word that waits."""
        return tuple(self._committed.arcs.confidences)

    def at_once(self) -> tuple[Analysis, tuple[float | None, ...]]:
        """What would be committed if no step waited any more, with confidences; nothing is committed."""
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
