"""A shell round a session, stepped by hand, with a client that keeps what it is told of one document."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from treewhile.incremental.embedding.document_views import DocumentView, WholeMessage
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    AskAnalyses,
    ClosedMessage,
    DeltaMessage,
    ErrorMessage,
    Finish,
    MovedMessage,
    Open,
    OptionChanges,
    SentencesMessage,
    StepsMessage,
)
from treewhile.incremental.sessions.session import Session

Draw = Callable[[random.Random, int], Sequence[str]]
MakeModel = Callable[..., Model]
SENTENCE = ["the", "old", "dog", "barks", "."]
SEEDS = range(8)

SHOWN = (
    "first_word",
    "start",
    "stage",
    "words",
    "virtual",
    "conflicts",
    "stable_upto",
    "score",
    "whole",
    "constituents",
)


class Client:
    """All that is said, as it comes over a wire, and the views of documents that any client would have."""

    def __init__(self) -> None:
        self.views: dict[str, DocumentView] = {}
        self.document = "d"  # the one that was spoken of last
        self.answered: list[int] = []
        self.errors: list[ErrorMessage] = []
        self.steps: list[StepsMessage] = []
        self.analyses: list[AnalysisMessage] = []  # all of them, in full
        self.moved: list[MovedMessage] = []
        self.deltas = 0
        self.is_closed = False  # any document

    @property
    def view(self) -> DocumentView:
        """That of the document that was spoken of last."""
        return self.view_of(self.document)

    def view_of(self, document: str) -> DocumentView:
        return self.views.setdefault(document, DocumentView(document))

    @property
    def sentences(self) -> list[AnalysisMessage | None]:
        return self.view.sentences

    def read(self, message: AnyMessage) -> None:
        message = msgspec.json.decode(msgspec.json.encode(message), type=AnyMessage)
        if isinstance(message, ErrorMessage):
            self.errors.append(message)
            return
        self.deltas += isinstance(message, DeltaMessage)
        self.answered += getattr(message, "answers", ())
        self.document = message.document
        told = self.view.receive(message)
        assert told, "each delta is to an analysis that came"
        self._keep(told)

    def _keep(self, told: WholeMessage) -> None:
        if isinstance(told, StepsMessage):
            self.steps.append(told)
        elif isinstance(told, AnalysisMessage):
            self.analyses.append(told)
        elif isinstance(told, MovedMessage):
            self.moved.append(told)
        elif isinstance(told, SentencesMessage):
            assert len(self.sentences) == told.count
        elif isinstance(told, ClosedMessage):
            self.is_closed = True
            del self.views[told.document]  # what comes then is about another one of this name


class Shell:
    """Runs jobs in the order of their ranks, or in any order, on the caller's thread."""

    def __init__(self, session: Session, source: random.Random | None = None) -> None:
        self.session, self.source = session, source
        self.client = Client()
        self.jobs: list[Job] = []

    def send(self, *events: object) -> None:
        for event in events:
            self.session.receive(event)
            self.take()

    def take(self) -> None:
        """What there is to read and to do."""
        for message in self.session.messages_to_send():
            self.client.read(message)
        self.jobs += self.session.jobs_to_run()

    def run_one(self) -> Job:
        place = self.source.randrange(len(self.jobs)) if self.source else 0
        job = self.jobs.pop(place)
        self.session.job_done(job, result_of(job))
        self.take()
        return job

    def run_without_telling(self) -> tuple[Job, object]:
        """The only job, and what the session is not yet told of it."""
        (job,) = self.jobs
        self.jobs.clear()
        return job, job.run()

    def settle(self) -> None:
        while self.jobs:
            self.run_one()

    def pause(self) -> None:
        """Lets so much time pass that nobody is typing any more."""
        self.settle()
        while self.session.wake_at is not None:
            self.session.tick(self.session.wake_at)
            self.take()
            self.settle()

    def state(self, document: str) -> list[dict[str, Any]]:
        """What stands at the end: words, arcs, tags, spans, virtual nodes, conflicts and places."""
        self.pause()
        put_together = self._shown(document)
        self.send(AskAnalyses(document))
        assert self._shown(document) == put_together, "what was told bit by bit is what is told at once"
        return put_together

    def _shown(self, document: str) -> list[dict[str, Any]]:
        return [
            {name: getattr(analysis, name) for name in SHOWN} | {"sentence": place} if analysis else {}
            for place, analysis in enumerate(self.client.view_of(document).sentences)
        ]


def result_of(job: Job) -> object:
    [result] = job.run_together([])
    return result


def opened(model: Model, words: Sequence[str] = (), **options: Any) -> Shell:
    shell = Shell(Session(model))
    shell.send(Open("d", 1, words=[*words], options=OptionChanges(**options)))
    return shell


def last(shell: Shell, sentence: int = 0) -> AnalysisMessage:
    analysis = shell.client.sentences[sentence]
    assert analysis
    return analysis


def heads_of(analysis: AnalysisMessage) -> list[Any]:
    return [word.head for word in analysis.words]


def fresh_text(model: Model, text: str, is_finished: bool = False) -> list[dict[str, Any]]:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text=text, positions="utf16"))
    if is_finished:
        shell.send(Finish("d", 1))
    return shell.state("d")
