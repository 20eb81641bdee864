"""The pieces of work that a session hands out; each can run in any thread, once, and be told to stop.

L0     edits a document and attaches words; one at a time a document, which nobody else touches meanwhile
steps  the next steps of a sentence; one at a time a sentence
L1     the best parse of a snapshot
L2     the search for a better analysis of a snapshot
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from treewhile.incremental.interrupts import Interrupt
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference, Rescored, Snapshot
from treewhile.incremental.search import Searcher, SearchRequest, SearchResult
from treewhile.incremental.sessions.document_edits import DocumentEdit
from treewhile.incremental.sessions.document_parses import WORDS_AT_ONCE, DocumentParses, Progress, Rebuild
from treewhile.incremental.sessions.next_steps import NextSteps, Question, StepFollower

Clock = Callable[[], float]

TYPED, PASTED = 0, 2  # priorities: steps are between them


class Job(ABC):
    """Work on a document at a version; the lower its priority the sooner it should run."""

    level: ClassVar[str]
    priority: int

    def __init__(self, document: str, version: int, sentence: int | None, clock: Clock | None) -> None:
        self.document, self.version, self.sentence = document, version, sentence
        self.interrupt = Interrupt()
        self.seconds: float | None = None  # how long it ran, if the session was given a clock
        self._clock = clock

    def run(self, interrupt: Interrupt | None = None) -> object:
        """The result, which the session takes by `job_done`; what it raises is a result, too."""
        start = self._clock() if self._clock else 0.0
        try:
            return self._work(interrupt or self.interrupt)
        finally:
            if self._clock:
                self.seconds = self._clock() - start

    @property
    def batch(self) -> Hashable | None:
        """Jobs for which this is equal may go together by `run_together`, which takes less time; or None."""
        return None

    @property
    def words(self) -> int:
        """How much work it is, where there is a batch."""
        return 0

    def run_together(self, others: Sequence[Job]) -> list[object]:
        """Its own result and those of others of its batch; each, raised or not, is that of `run`."""
        return [_result_of(job) for job in (self, *others)]

    @abstractmethod
    def _work(self, interrupt: Interrupt) -> object:
        """Does it."""


def _result_of(job: Job) -> object:
    try:
        return job.run()
    except Exception as error:
        return error


class Attach(Job):
    """Level 0."""

    level = "L0"

    def __init__(
        self,
        document: str,
        version: int,
        clock: Clock | None,
        parses: DocumentParses,
        edits: Sequence[DocumentEdit],
        rebuilds: Sequence[Rebuild],
        risk: float,
        since: float,
    ) -> None:
        super().__init__(document, version, None, clock)
        is_typed = bool(edits) and all(edit.is_typed for edit in edits) and not rebuilds
        self.priority = TYPED if is_typed else PASTED
        self.parses, self.edits, self.rebuilds, self.risk = parses, edits, rebuilds, risk
        self.since = since  # when its first edit came

    @property
    def batch(self) -> Hashable | None:
        """What people type goes together; what is pasted, or goes on with that, goes alone."""
        return Attach if self.priority == TYPED else None

    @property
    def words(self) -> int:
        return len(self.edits)

    def _work(self, interrupt: Interrupt) -> Progress:
        return self.parses.work(self.edits, self.rebuilds, interrupt, WORDS_AT_ONCE, self.risk)


class Follow(Job):
    """The next steps of a sentence."""

    level, priority = "steps", 1

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
    """Level 1. It takes a few milliseconds, and gives nothing if it is told to stop before it begins."""

    level, priority = "L1", 3

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
    def batch(self) -> Hashable:
        return self.model

    @property
    def words(self) -> int:
        return len(self.snapshot.words)

    def run_together(self, others: Sequence[Job]) -> list[object]:
        start = self._clock() if self._clock else 0.0
        jobs = [job for job in (self, *others) if isinstance(job, Rescore) and not job.interrupt.is_set]
        try:
            results = self.model.rescore_all([(job.snapshot, job.preference) for job in jobs])
        except Exception:  # alone, so that it is only the result of those that raise it
            return super().run_together(others)
        if self._clock:
            seconds = (self._clock() - start) / max(1, len(jobs))
            for job in jobs:
                job.seconds = seconds
        found: dict[Job, Rescored] = dict(zip(jobs, results, strict=True))
        return [found.get(job) for job in (self, *others)]

    def _work(self, interrupt: Interrupt) -> Rescored | None:
        return None if interrupt.is_set else self.model.rescore(self.snapshot, self.preference)


class Search(Job):
    """Level 2."""

    level, priority = "L2", 4

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
