"""Parses of sentences whose words come one by one, with limited time: the result at its end counts.

A search by constraints alone has no scorers or other parsers. The tree of the first word has the best single
edge. From then on each prefix continues from the previous tree, as in Köhn & Menzel 2013: the new word gets
its best edge, and the search starts from there. When the sentence ends, children of words to come go under
the root's child.

    first        L0, what is said of a word at once
    best         L1; while it is not done, the last one, and of newer words what L0 says
    search       L2 without L1 and the committed parse: constraints for words and the tags of L0
    search_with  L2 with everything: what stands is that of L1 until the search has found something

Time is real, and so are interrupts: a timer sets the flag that a search polls. L0 cannot be interrupted and
always counts; nor can L1, which does not count if it ends too late. That time is not deducted from the next
word, which would use another thread. No time is wasted: once a parse is settled, the next word comes.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from treewhile.incremental.constraints.language.grammars import load_grammar
from treewhile.incremental.constraints.machine.programs import Program
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import (
    ConstraintSearcher,
    program_for,
    searcher_for,
)
from treewhile.incremental.constraints.search.trees import Tree
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.committed_parses import UNATTACHED
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import from_view
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Attach, Clock, Job, Rescore, Search
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    DeltaMessage,
    ErrorMessage,
    Finish,
    Level,
    Open,
    OptionChanges,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt


class Searched(NamedTuple):
    """Decisions of the best tree for every word, and whether the search is settled."""

    decisions: list[Decision]
    is_settled: bool


class GrowingSearch:
    """Search for the best tree of the words so far, with a stock of virtual nodes given by tags."""

    def __init__(self, program: Program, stock: Sequence[str]) -> None:
        self._program, self._stock = program, tuple(stock)
        k = len(self._stock)
        self._t = 0
        self._tree = Tree((0, *[k + 2] * k), (0,) * (1 + k))  # virtual nodes, all unused

    def go_on(self, tagged: Analysis, is_open: bool, interrupt: Interrupt) -> Searched:
        """Return the result until the interrupt; only words, tags and features of the analysis are read.

        Its words must extend those of the last call.
        """
        stock = self._stock if is_open else ()
        situation = Situation.of(self._program, tagged.words, tagged.tags, tagged.features, stock)
        search = TreeSearch(situation, is_open)
        before = self._grown(situation.t) if is_open else self._closed(situation.t)
        search.begin(search.with_words(before, 1 + self._t, interrupt))
        is_settled = search.run(interrupt)
        self._t, self._tree = situation.t, search.best
        return Searched(_searched_decisions(situation, search.best), is_settled)

    def _grown(self, t: int) -> Tree:
        """Return the previous tree, with room for more words, which go under the root at first."""
        new = t - self._t
        heads = [head + new if head > self._t else head for head in self._tree.heads]
        labels, at = [*self._tree.labels], 1 + self._t
        return Tree((*heads[:at], *[0] * new, *heads[at:]), (*labels[:at], *[0] * new, *labels[at:]))

    def _closed(self, t: int) -> Tree:
        """Return the previous tree without words to come, with room for more known words."""
        heads, new = [*self._tree.heads[: 1 + self._t]], t - self._t
        waiting = [word for word, head in enumerate(heads) if head > self._t]
        root = next((word for word, head in enumerate(heads) if word and head == 0), min(waiting, default=0))
        for word in waiting:
            heads[word] = 0 if word == root else root
        return Tree((*heads, *[0] * new), (*self._tree.labels[: 1 + self._t], *[0] * new))


def _searched_decisions(situation: Situation, tree: Tree) -> list[Decision]:
    labels = situation.program.labels
    words = zip(tree.heads[1 : situation.t + 1], tree.labels[1:], strict=False)
    return [Decision(situation.nodes.name(head), labels[label]) for head, label in words]


SYSTEMS: Final = ("first", "best", "search", "search_with")
LEVELS: Final[dict[str, list[Level]]] = {
    "first": ["L0"],
    "best": ["L0", "L1"],
    "search_with": ["L0", "L1", "L2"],
}
DOCUMENT: Final = "timed"


class Standing(NamedTuple):
    """Result when the time of a word is over."""

    decisions: list[Decision]
    is_settled: bool  # no search would improve it
    seconds: float  # from the coming of the word until the result was received


class TimedParse(Protocol):
    """Interface of a sentence that grows."""

    def word(self, form: str, is_last: bool, seconds: float) -> Standing:
        """Return the result some seconds after a word came, the last one with the end of the sentence."""


class TimedParses:
    """Timed parses by one model, whose searcher is that of its language unless another one is given."""

    def __init__(self, model: Model, clock: Clock, searcher: ConstraintSearcher | None = None) -> None:
        self._model, self._clock = model, clock
        self._searcher = searcher or searcher_for(model)
        self._program = program_for(load_grammar("alone"), model)
        for system in SYSTEMS:  # compiles the kernels
            self.sentence(system, ("a", "b"), (math.inf, math.inf))

    def sentence(self, system: str, words: Sequence[str], seconds: Sequence[float]) -> list[Standing]:
        """Return the results of one of SYSTEMS for each prefix of a sentence, given seconds for each word."""
        parse = self._new(system)
        pairs = enumerate(zip(words, seconds, strict=True), 1)
        return [parse.word(word, t == len(words), limit) for t, (word, limit) in pairs]

    def _new(self, system: str) -> TimedParse:
        if system == "search":
            return _SearchAlone(self._model, self._program, self._clock)
        return _SessionParse(self._model, self._searcher, LEVELS[system], self._clock)


class _TimeLimit:
    """Time limit of a word, from now on."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._start = clock, clock()
        self._end = self._start + seconds

    @property
    def passed(self) -> float:
        return self._clock() - self._start

    @property
    def is_over(self) -> bool:
        return self._clock() >= self._end

    @contextmanager
    def interrupting(self, interrupt: Interrupt) -> Iterator[None]:
        """Interrupt the work in the block when the time is over."""
        left = self._end - self._clock()
        if left <= 0:
            interrupt.set()
        timer = _timer(left, interrupt.set) if 0 < left < math.inf else None
        try:
            yield
        finally:
            if timer:
                timer.cancel()


def _timer(seconds: float, act: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


class _SessionParse:
    """Session with one sentence, whose late results are dropped."""

    def __init__(self, model: Model, searcher: ConstraintSearcher, levels: list[Level], clock: Clock) -> None:
        self._session, self._clock = Session(model, searcher), clock
        self._session.receive(Open(DOCUMENT, 0, words=[], options=OptionChanges(levels=levels)))
        self._words = 0
        self._late: list[Job] = []
        self._shown: AnalysisMessage | None = None
        self._in_hand = 0.0  # seconds from the coming of the word to the last message

    def word(self, form: str, is_last: bool, seconds: float) -> Standing:
        limit = _TimeLimit(self._clock, seconds)
        self._words += 1
        self._session.receive(Append(DOCUMENT, self._words, [form]))
        if is_last:
            self._session.receive(Finish(DOCUMENT, self._words + 1))
        self._work(limit)
        shown = self._shown
        assert shown
        return Standing(_decisions(shown), shown.stage in ("settled", "final"), self._in_hand)

    def _work(self, limit: _TimeLimit) -> None:
        jobs = self._session.jobs_to_run()
        while jobs:
            for job in jobs:
                self._run(job, limit)
            jobs = [] if limit.is_over else self._session.jobs_to_run()

    def _run(self, job: Job, limit: _TimeLimit) -> None:
        if isinstance(job, Search):
            with limit.interrupting(job.interrupt):
                result = job.run()
        else:
            result = job.run()
        if isinstance(job, Rescore) and limit.is_over:
            self._late.append(job)
        else:
            self._session.job_done(job, result)
            self._read_messages(limit)
        if isinstance(job, Attach):
            self._hand_in_late()

    def _hand_in_late(self) -> None:
        """Return late jobs without results, since the sentence has grown."""
        for job in self._late:
            self._session.job_done(job, None)
        self._late = []

    def _read_messages(self, limit: _TimeLimit) -> None:
        messages = self._session.messages_to_send()
        self._in_hand = limit.passed if messages else self._in_hand
        for message in messages:
            if isinstance(message, ErrorMessage):
                raise InputError(message.message)
            if isinstance(message, DeltaMessage) and self._shown:
                self._shown = apply_delta(self._shown, message)
            elif isinstance(message, AnalysisMessage):
                self._shown = message


class _SearchAlone:
    """Search without other parsers; the tags are those of L0."""

    def __init__(self, model: Model, program: Program, clock: Clock) -> None:
        self._growing, self._clock = GrowingParse(model), clock
        self._search = GrowingSearch(program, model.inventory.stock)

    def word(self, form: str, is_last: bool, seconds: float) -> Standing:
        limit, interrupt = _TimeLimit(self._clock, seconds), Interrupt()
        self._growing.append(form)
        tagged = self._growing.committed()
        with limit.interrupting(interrupt):
            found = self._search.go_on(tagged, not is_last, interrupt)
        return Standing(found.decisions, found.is_settled, limit.passed)


def _decisions(shown: AnalysisMessage) -> list[Decision]:
    tags = {view.node: view.tag for view in shown.virtual}
    return [Decision(from_view(view.head, tags), view.label or UNATTACHED) for view in shown.words]
