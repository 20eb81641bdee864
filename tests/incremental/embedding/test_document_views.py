"""A document put together from messages is the one that a session tells when it is asked for all of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cases import cases, each_seed
from msgspec import structs

from treewhile.incremental import DocumentView, Model, Session
from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Append,
    AskAnalyses,
    AskSteps,
    Close,
    DeltaMessage,
    Edit,
    Finish,
    MovedMessage,
    Open,
    OptionChanges,
    Revoke,
    SentencesMessage,
    StepsMessage,
)

MakeModel = Callable[..., Model]

OF_THE_MOMENT = ("version", "number", "answers", "seconds")  # of an analysis, not of what it says
PIECES = ["", "d", "dog", " ", ".", ". ", "The cat sees", "\n\n", " barks. ", ", ", "🎉 ", "e\u0301"]
EVENTS = 60


class Document:
    """A document of a session, with jobs done in any order, and two views of it."""

    def __init__(self, model: Model, source: random.Random) -> None:
        self.session, self.view, self.source = Session(model), DocumentView("d"), source
        self.jobs: list[Job] = []
        self.kinds = set[type]()
        self.version = 0

    def send(self, event: object) -> None:
        self.session.receive(event)
        self.jobs += self.session.jobs_to_run()

    def fetch(self) -> None:
        for message in self.session.messages_to_send():
            self.kinds.add(type(message))
            assert self.view.receive(message) is not None

    def run_some(self, jobs: int) -> None:
        for _ in range(jobs):
            if not self.jobs:
                return
            job = self.jobs.pop(self.source.randrange(len(self.jobs)))
            if self.source.random() < 0.1:
                job.interrupt.set()
            self.session.job_done(job, job.run())
            self.jobs += self.session.jobs_to_run()
            if self.source.random() < 0.5:
                self.fetch()

    def settle(self) -> None:
        """Does all work, also that which waits until nobody is typing."""
        self.run_some(1_000_000)
        while self.session.wake_at is not None:
            self.session.tick(self.session.wake_at)
            self.jobs += self.session.jobs_to_run()
            self.run_some(1_000_000)
        self.fetch()

    def told_anew(self) -> list[dict[str, Any]]:
        """What all analyses say that are asked for now; from now on there are deltas to these."""
        self.send(AskAnalyses("d"))
        anew = DocumentView("d")
        for message in self.session.messages_to_send():
            assert isinstance(message, AnalysisMessage)
            anew.receive(message)
            self.view.receive(message)
        return shown(anew)


def shown(view: DocumentView) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in structs.asdict(analysis).items() if name not in OF_THE_MOMENT}
        for analysis in view.sentences
        if analysis
    ]


def edits(source: random.Random, positions: str) -> Iterator[object]:
    text = ""
    for version in range(1, EVENTS):
        start = source.choice([len(text), source.randint(0, len(text))])
        end = min(len(text), start + source.choice([0, 0, 1, 3, 12]))
        new = "".join(source.choices(PIECES, k=source.randint(0, 3)))
        units = len if positions == "code_points" else (lambda part: len(part.encode("utf-16-le")) // 2)
        yield Edit("d", version, units(text[:start]), units(text[:end]), new)
        text = text[:start] + new + text[end:]


def changes_of_words(source: random.Random) -> Iterator[object]:
    words = 0
    for version in range(1, EVENTS):
        if source.random() < 0.5:
            new = source.choices(["the", "dog", "barks", "."], k=source.randint(0, 4))
            words += len(new)
            yield Append("d", version, new)
        elif source.random() < 0.5:
            yield Finish("d", version)
        else:
            count = source.randint(0, min(words, 5))
            words -= count
            yield Revoke("d", version, count)


@each_seed(cases(6))
@pytest.mark.parametrize("content", ["code_points", "utf16", "words"])
def test_messages_fold_into_what_all_analyses_say(content: Any, seed: int, make_model: MakeModel) -> None:
    source = random.Random(f"{content} {seed}")
    document = Document(make_model(seed=seed), source)
    if content == "words":
        history = changes_of_words(random.Random(seed))
        document.send(Open("d", 0, words=[]))
    else:
        history = edits(random.Random(seed), content)
        document.send(Open("d", 0, text="", positions=content))
    for event in history:
        document.send(event)
        document.run_some(source.randint(0, 5))
        if source.random() < 0.3:
            document.settle()
            put_together = shown(document.view)
            assert put_together == document.told_anew(), (content, seed, event)
    document.settle()
    assert document.view.has_settled(EVENTS - 1)
    put_together = shown(document.view)
    assert put_together == document.told_anew(), (content, seed)
    moves = {MovedMessage} if content != "words" else set()
    assert document.kinds >= {AnalysisMessage, DeltaMessage, SentencesMessage} | moves


@pytest.fixture
def document(model: Model) -> Document:
    return Document(model, random.Random(1))


def test_next_steps_stay_with_their_sentence(document: Document) -> None:
    document.send(
        Open("d", 0, text="The dog barks.\n\nThe cat sees.", options=OptionChanges(streams=["steps"]))
    )
    document.settle()
    assert [steps and steps.sentence for steps in document.view.steps] == [0, 1]
    second = document.view.steps[1]
    assert second
    document.send(Edit("d", 1, 0, 0, "Old.\n\n"))
    document.settle()
    assert [steps and (steps.sentence, steps.n) for steps in document.view.steps][2] == (2, second.n)
    assert len(document.view.sentences) == 3


def test_a_message_comes_back_whole_and_one_about_something_else_not_at_all(document: Document) -> None:
    document.send(Open("d", 0, words=["the", "dog", "sees", "the", "cat"]))
    document.settle()
    document.session.receive(Append("d", 1, ["barks"]))
    [attach] = document.session.jobs_to_run()
    document.session.job_done(attach, attach.run())
    [delta] = document.session.messages_to_send()
    assert isinstance(delta, DeltaMessage)
    assert DocumentView("e").receive(delta) is None
    assert DocumentView("d").receive(delta) is None, "its base is not there"
    whole = document.view.receive(delta)
    assert isinstance(whole, AnalysisMessage)
    assert [word.form for word in whole.words] == ["the", "dog", "sees", "the", "cat", "barks"]
    assert document.view.sentences == [whole]


def test_an_error_stands_until_the_next_answer(document: Document) -> None:
    document.send(Open("d", 0, text="dog"))
    document.settle()
    document.send(Edit("d", 1, 7, 9, ""))
    document.fetch()
    assert document.view.error
    assert document.view.error.code == "out_of_text"
    document.send(Edit("d", 2, 0, 0, "a "))
    document.settle()
    assert document.view.answered == 2
    assert document.view.error is None


def test_an_answer_to_what_came_before_an_error_leaves_it(document: Document) -> None:
    document.send(Open("d", 0, text="dog"))
    document.send(Edit("d", 1, 7, 9, ""))
    document.fetch()
    document.settle()
    assert document.view.answered == 0
    assert document.view.error
    assert document.view.error.code == "out_of_text"


def test_has_settled_waits_for_the_version(document: Document) -> None:
    assert not document.view.has_settled(0)
    document.send(Open("d", 0, text=""))
    document.settle()
    assert document.view.has_settled(0)
    assert not document.view.has_settled(1)
    document.send(Edit("d", 1, 0, 0, "the dog"))
    while document.view.answered < 1:
        document.run_some(1)
        document.fetch()
    assert not document.view.has_settled(1)
    document.settle()
    assert document.view.has_settled(1)


def test_a_sentence_is_found_by_a_position(document: Document) -> None:
    assert document.view.sentence_at(0) is None
    document.send(Open("d", 0, text="Dogs bark.\n\nCats see."))
    document.settle()
    starts = [document.view.sentence_at(at) for at in (0, 11, 12, 500)]
    assert [one and one.start for one in starts] == [0, 0, 12, 12]


def test_a_closed_document_takes_no_more(document: Document) -> None:
    document.send(Open("d", 0, words=["dog"]))
    document.send(Close("d"))
    document.fetch()
    assert document.view.is_closed
    assert (document.view.answered, document.view.sentences) == (0, [])
    document.send(Open("d", 0, words=["cat"]))
    document.jobs = [job for job in document.jobs if job.document == "d" and not job.interrupt.is_set]
    for job in document.jobs:
        document.session.job_done(job, job.run())
    told = document.session.messages_to_send()
    assert told
    assert [document.view.receive(message) for message in told] == [None] * len(told)


def test_after_clearing_it_takes_all_analyses_anew(document: Document) -> None:
    document.send(Open("d", 0, text="Dogs bark.\n\nCats see."))
    document.settle()
    before = shown(document.view)
    document.view.clear()
    document.send(AskAnalyses("d"))
    document.fetch()
    assert shown(document.view) == before
    document.send(AskSteps("d", 0, 1))
    document.settle()
    steps = document.view.steps[1]
    assert isinstance(steps, StepsMessage)
    assert steps.reference == "best"
