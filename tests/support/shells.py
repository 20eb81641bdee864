"""A shell round a session, stepped by hand, with a client that keeps what it is told of one document."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

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
    apply_delta,
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
)


class Client:
    """The sentences of one document, put together from messages as any client would do it."""

    def __init__(self) -> None:
        self.sentences: list[AnalysisMessage | None] = []
        self.answered: list[int] = []
        self.errors: list[ErrorMessage] = []
        self.steps: list[StepsMessage] = []
        self.analyses: list[AnalysisMessage] = []  # all of them, in full
        self.deltas = 0
        self.is_closed = False

    def read(self, message: AnyMessage) -> None:
        message = msgspec.json.decode(msgspec.json.encode(message), type=AnyMessage)
        if isinstance(message, ErrorMessage):
            self.errors.append(message)
        elif isinstance(message, StepsMessage):
            self.steps.append(message)
        elif isinstance(message, MovedMessage):
            self._move(message)
        else:
            self.answered += message.answers
            self._read_answer(message)

    def _move(self, moved: MovedMessage) -> None:
        for place, analysis in enumerate(self.sentences):
            if analysis and place >= moved.sentence:
                self.sentences[place] = msgspec.structs.replace(
                    analysis,
                    sentence=place,
                    first_word=analysis.first_word + moved.words,
                    start=analysis.start + moved.units,
                )

    def _read_answer(self, message: Any) -> None:
        if isinstance(message, ClosedMessage):
            self.is_closed = True
        elif isinstance(message, SentencesMessage):
            self.sentences[message.first : message.first + message.removed] = [None] * message.added
            assert len(self.sentences) == message.count
        else:
            self._read_analysis(message)

    def _read_analysis(self, message: AnalysisMessage | DeltaMessage) -> None:
        if isinstance(message, DeltaMessage):
            base = self.sentences[message.sentence]
            assert base
            self.deltas += 1
            message = apply_delta(base, message)
        self.analyses.append(message)
        self.sentences[message.sentence] = message


class Shell:
    """Runs jobs in the order of their ranks, or in any order, on the caller's thread."""

    def __init__(self, session: Session, source: random.Random | None = None) -> None:
        self.session, self.source = session, source
        self.client = Client()
        self.jobs: list[Job] = []

    def send(self, *events: object) -> None:
        for event in events:
            self.session.receive(event)
            self._fetch()

    def _fetch(self) -> None:
        for message in self.session.messages_to_send():
            self.client.read(message)
        self.jobs += self.session.jobs_to_run()

    def run_one(self) -> Job:
        place = self.source.randrange(len(self.jobs)) if self.source else 0
        job = self.jobs.pop(place)
        self.session.job_done(job, result_of(job))
        self._fetch()
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
            self._fetch()
            self.settle()

    def state(self, document: str) -> list[dict[str, Any]]:
        """What stands at the end: words, arcs, tags, spans, virtual nodes, conflicts and places."""
        self.pause()
        put_together = self._shown()
        self.send(AskAnalyses(document))
        assert self._shown() == put_together, "what was told bit by bit is what is told at once"
        return put_together

    def _shown(self) -> list[dict[str, Any]]:
        return [
            {name: getattr(analysis, name) for name in SHOWN} | {"sentence": place} if analysis else {}
            for place, analysis in enumerate(self.client.sentences)
        ]


def result_of(job: Job) -> object:
    try:
        return job.run()
    except Exception as error:
        return error


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
