"""Jobs that a session hands out; each runs once, in any thread, and can be told to stop.

    Attach   L0     edits a document and attaches words; one at a time a document, with exclusive access
    Follow   steps  the next steps of a sentence; one at a time a sentence
    Rescore  L1     the best parse of a snapshot
    Search   L2     the search for a better analysis of a snapshot
    Weigh    L1     the margins of arcs in an analysis, on request
    Compile  L2     the searcher of a document under another grammar; see `document_grammar`

A job has a rank, with these properties, which schedules and metrics read:

    rank    label   level   slice  urgent  refines  can wait  batch  goes on
    ATTACH  attach  L0       5 ms     yes                                yes  attaches what is typed
    STEPS   steps   steps    5 ms     yes                                yes
    PASTED  pasted  L0       5 ms                                        yes  attaches what is pasted
    L1      L1      L1     100 ms              yes              yes
    L2      L2      L2      25 ms              yes       yes             yes

A *rank* is the urgency of a job: the lower, the sooner. A *level* is the kind of work for clients and
metrics; that of L0 has two ranks. A *slice* is the time that a job may run while others of its rank wait.
*Urgent* jobs come before all others, since somebody types and waits for them; those that *refine* keep to a
budget while first analyses wait too long, and those that *can wait* run only if none does; those in a *batch*
may run together if their batch keys are equal. A job that *goes on* keeps its progress when it is told to
stop. The best parse does not: its slice is longer than its running time, so only urgent jobs make it lose its
progress.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Final, NamedTuple

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.arc_margins import ArcMargin
from treewhile.incremental.parsers.parsing import Asked, Model, snapshot_of
from treewhile.incremental.parsers.rescoring import Preference, Rescored, Snapshot
from treewhile.incremental.search import (
    DecidingConstraint,
    Explainer,
    Grammars,
    Searcher,
    SearchRequest,
    SearchResult,
)
from treewhile.incremental.sessions.document_edits import TYPED_WORDS, DocumentEdit
from treewhile.incremental.sessions.document_parses import WORDS_IN_A_SLICE, DocumentParses, Progress, Rebuild
from treewhile.incremental.sessions.next_steps import NextSteps, Question, StepFollower
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.oracles.interrupts import Interrupt


class Rank(IntEnum):
    """Rank of a job: its urgency, and properties."""

    ATTACH = 0, "attach", "L0", 0.005, True, False, False, False, True
    STEPS = 1, "steps", "steps", 0.005, True, False, False, False, True
    PASTED = 2, "pasted", "L0", 0.005, False, False, False, False, True
    L1 = 3, "L1", "L1", 0.1, False, True, False, True, False
    L2 = 4, "L2", "L2", 0.025, False, True, True, False, True

    label: str
    level: str
    slice_seconds: float
    is_urgent: bool
    refines: bool
    can_wait: bool
    is_batched: bool
    goes_on: bool

    def __new__(
        cls,
        value: int,
        label: str,
        level: str,
        slice_seconds: float,
        is_urgent: bool,
        refines: bool,
        can_wait: bool,
        is_batched: bool,
        goes_on: bool,
    ) -> Rank:
        rank = int.__new__(cls, value)
        rank._value_ = value
        rank.label, rank.level, rank.slice_seconds = label, level, slice_seconds
        rank.is_urgent, rank.refines, rank.can_wait = is_urgent, refines, can_wait
        rank.is_batched, rank.goes_on = is_batched, goes_on
        return rank


# Ranks by level, in the order in which levels are computed.
RANKS_OF: Final[dict[str, tuple[Rank, ...]]] = {
    "L0": (Rank.ATTACH, Rank.PASTED),
    "L1": (Rank.L1,),
    "L2": (Rank.L2,),
    "steps": (Rank.STEPS,),
}


Clock = Callable[[], float]

MOVED_AT_ONCE: Final = 1500  # number of sentences moved by all edits of a job; some milliseconds


@dataclass(slots=True)
class Tools:
    """Tools for the documents of a session."""

    model: Model
    searcher: Searcher | None
    clock: Clock | None
    grammars: Grammars | None = None


class Job(ABC):
    """Work on a document at a version; jobs of a lower rank should run first."""

    rank: Rank

    def __init__(self, document: str, version: int, sentence: int | None, clock: Clock | None) -> None:
        self.document, self.version, self.sentence = document, version, sentence
        self.interrupt = Interrupt()
        self.is_superseded = False  # the job need not begin any more; its result is used if it has begun
        self.is_awaited = False  # the sentence has just been ended
        self.seconds: float | None = None  # running time, if the session was given a clock
        self._clock = clock

    def run(self, interrupt: Interrupt | None = None) -> object:
        """Return the result for `job_done`; an exception counts as a result, too."""
        start = self._clock() if self._clock else 0.0
        try:
            return self._work(interrupt or self.interrupt)
        finally:
            if self._clock:
                self.seconds = self._clock() - start

    @property
    def level(self) -> str:
        """Kind of work, as clients and metrics call it."""
        return self.rank.level

    @property
    def is_unwanted(self) -> bool:
        """True if the job should not begin."""
        return self.is_superseded or self.interrupt.is_set

    @property
    def batch(self) -> Hashable | None:
        """Key of jobs that `run_together` may run at once, which is faster; None if alone."""
        return (self.rank, self._shared) if self.rank.is_batched else None

    @property
    def _shared(self) -> Hashable | None:
        """Part of the key of a batch beside the rank."""
        return None

    @property
    def words(self) -> int:
        """Amount of work, for jobs in batches."""
        return 0

    def run_together(self, others: Sequence[Job]) -> list[object]:
        """Return the results of this job and others of its batch; each as from `run`, or an exception."""
        results: list[object] = []
        for job in (self, *others):
            try:
                results.append(job.run())
            except Exception as error:
                results.append(error)
        return results

    @abstractmethod
    def _work(self, interrupt: Interrupt) -> object:
        """Return the result of the work."""


class Attach(Job):
    """Job that attaches changed words of a document, and once more the sentences `anew`, by number.

    Typed edits are urgent, and short enough for an event loop; pasted text waits, and so does its
    continuation, or that of a sentence changed far from its end. Edits that move many sentences, counted once
    for each edit, wait, too, unless there is only one.
    """

    def __init__(
        self,
        document: str,
        version: int,
        clock: Clock | None,
        parses: DocumentParses,
        edits: Sequence[DocumentEdit],
        rebuilds: Sequence[Rebuild],
        options: DocumentOptions,
        since: float,
        anew: Collection[int] = (),
        moved: int = 0,
    ) -> None:
        super().__init__(document, version, None, clock)
        is_short = len(edits) == 1 or (len(edits) > 1 and moved <= MOVED_AT_ONCE)
        is_typed = is_short and all(map(attrgetter("is_typed"), edits)) and not rebuilds
        self.rank = Rank.ATTACH if is_typed else Rank.PASTED
        self.parses, self.edits, self.rebuilds, self.anew = parses, edits, rebuilds, anew
        self.options = options
        self.since = since  # time of its first edit

    def _work(self, interrupt: Interrupt) -> Progress:
        """Return the progress after all edits and one slice, of at least one word even if interrupted."""
        parses = self.parses
        parses.take_options(self.options)
        splices = [parses.edited(edit) for edit in self.edits]
        parses.attach_anew(self.anew)
        parses.check_size()
        attached = [sentence for rebuild in self.rebuilds for sentence in parses.rebuilt(rebuild)]
        words = TYPED_WORDS if self.rank is Rank.ATTACH else WORDS_IN_A_SLICE
        attached += parses.attached(words, interrupt)
        return parses.progress(splices, attached)


class Follow(Job):
    """Job that computes the next steps of a sentence."""

    rank = Rank.STEPS

    def __init__(
        self,
        document: str,
        version: int,
        sentence: int,
        clock: Clock | None,
        follower: StepFollower,
        question: Question,
    ) -> None:
        super().__init__(document, version, sentence, clock)
        self.follower, self.question = follower, question

    def _work(self, interrupt: Interrupt) -> NextSteps:
        return self.follower.answer(self.question)


class Rescore(Job):
    """Job that computes the best parse; None if superseded before it begins, or stopped before it has a tree.

    A projective parse is so fast that an interrupt comes before it begins, or too late.
    """

    rank = Rank.L1

    def __init__(
        self,
        document: str,
        version: int,
        sentence: int,
        clock: Clock | None,
        model: Model,
        snapshot: Snapshot,
        preference: Preference,
    ) -> None:
        super().__init__(document, version, sentence, clock)
        self.model, self.snapshot, self.preference = model, snapshot, preference

    @property
    def _shared(self) -> Hashable:
        return self.model

    @property
    def words(self) -> int:
        return len(self.snapshot.words)

    def run_together(self, others: Sequence[Job]) -> list[object]:
        start = self._clock() if self._clock else 0.0
        jobs = [job for job in (self, *others) if isinstance(job, Rescore) and not job.is_unwanted]
        try:
            results = self.model.rescore_until([job._asked(job.interrupt) for job in jobs])
        except Exception:  # one by one, so that an exception is the result of its own job only
            return super().run_together(others)
        if self._clock:
            seconds = (self._clock() - start) / max(1, len(jobs))
            for job in jobs:
                job.seconds = seconds
        found: dict[Job, Rescored | None] = dict(zip(jobs, results, strict=True))
        return [found.get(job) for job in (self, *others)]

    def _work(self, interrupt: Interrupt) -> Rescored | None:
        if self.is_unwanted or interrupt.is_set:
            return None
        return self.model.rescore_until([self._asked(interrupt)])[0]

    def _asked(self, interrupt: Interrupt) -> Asked:
        return self.snapshot, self.preference, interrupt


class Search(Job):
    """Job that searches for a better analysis."""

    rank = Rank.L2

    def __init__(
        self,
        document: str,
        version: int,
        sentence: int,
        clock: Clock | None,
        searcher: Searcher,
        request: SearchRequest,
    ) -> None:
        super().__init__(document, version, sentence, clock)
        self.searcher, self.request = searcher, request

    def _work(self, interrupt: Interrupt) -> SearchResult | None:
        return self.searcher.search(self.request, interrupt)


class WeighedArc(NamedTuple):
    """Margin of an arc, and the constraint of the search that decided, if there is one."""

    margin: ArcMargin
    deciding: DecidingConstraint | None


class Weigh(Job):
    """Job that computes the margins of arcs in an analysis, as many as it can until it is told to stop.

    With a searcher that explains, it also finds the constraints that decided, given the committed parse. Each
    arc may take a decoding: so it runs in slices as a search does, and never in the event loop.
    """

    rank = Rank.L2

    def __init__(
        self,
        document: str,
        version: int,
        sentence: int,
        clock: Clock | None,
        model: Model,
        snapshot: Snapshot,
        preference: Preference,
        analysis: Analysis,
        asked: Sequence[int],
        explainer: Explainer | None,
        committed: Analysis,
    ) -> None:
        super().__init__(document, version, sentence, clock)
        self.model, self.snapshot, self.preference = model, snapshot, preference
        self.analysis, self.asked = analysis, asked
        self.explainer, self.committed = explainer, committed

    def _work(self, interrupt: Interrupt) -> list[WeighedArc]:
        snapshot = self.snapshot
        if not len(snapshot.tops):  # a final sentence drops its states
            snapshot = snapshot_of(self.model, snapshot.words, snapshot.values)
        arcs = {word: self.analysis.decisions[word - 1] for word in self.asked}
        margins = self.model.margins_until((snapshot, self.preference, interrupt), arcs)
        deciding = self._deciding(snapshot, margins)
        return [WeighedArc(one, deciding.get(one.word)) for one in margins]

    def _deciding(self, snapshot: Snapshot, margins: Sequence[ArcMargin]) -> Mapping[int, DecidingConstraint]:
        """Return the constraints that decided against the rivals, by word."""
        rivals = {one.word: one.rival for one in margins if one.rival is not None}
        if self.explainer is None or not rivals:
            return {}
        rescored = self.model.rescore(snapshot, self.preference)
        request = SearchRequest(rescored, self.committed, snapshot.is_open)
        return self.explainer.deciding(request, self.analysis, rivals)
