from __future__ import annotations

from typing import Any

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    Append,
    Close,
    ClosedMessage,
    Event,
    Finish,
    Gold,
    Open,
    SentencesMessage,
    StepsMessage,
)
from treewhile.server.hosted.journal import Journal


class Written:
    """A journal, and what it has written."""

    def __init__(self) -> None:
        self.events: list[tuple[int, Event]] = []
        self.journal = Journal(lambda number, event: self.events.append((number, event)))
        self.note, self.passed = self.journal.note, self.journal.passed

    def released(self) -> list[AnyMessage]:
        return self.journal.released(lambda name: 7)


def analysis(*answers: int, version: int = 0) -> AnalysisMessage:
    return AnalysisMessage(
        document="d",
        version=version,
        number=1,
        answers=[*answers],
        sentence=0,
        first_word=0,
        start=0,
        stage="initial",
        levels=["L0"],
        words=[],
        virtual=[],
        conflicts=[],
        stable_upto=0,
        score=None,
        seconds=0.0,
    )


def steps(version: int = 0, sentence: int = 0) -> StepsMessage:
    rest: dict[str, Any] = dict.fromkeys(StepsMessage.__struct_fields__)
    return StepsMessage(**rest | {"document": "d", "version": version, "sentence": sentence})


def sentences(*answers: int, added: int = 0) -> SentencesMessage:
    return SentencesMessage("d", 0, [*answers], 0, 0, added, 1)


def test_events_are_written_with_their_numbers() -> None:
    written = Written()
    events = [Open("d", 0, words=[]), Append("d", 1, ["dog"]), Finish("d", 2)]
    for event in events:
        written.note(event)
    assert written.events == [*enumerate(events, 1)]


def test_answers_are_held_back_until_they_are_durable_and_analyses_are_not() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    written.note(Append("d", 1, ["dog"]))
    written.journal.make_durable(1)
    assert written.passed([analysis(0, 1, version=1)]) == [analysis(0, version=1)]
    assert written.journal.owes
    assert written.released() == []
    written.journal.make_durable(2)
    assert written.released() == [SentencesMessage("d", 1, [1], 7, 0, 0, 7)]
    assert written.released() == []
    assert not written.journal.owes


def test_what_is_durable_already_passes_as_it_is() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    written.journal.make_durable(1)
    said = [sentences(0), analysis(), ClosedMessage("other", [3])]
    assert written.passed(said) == said


def test_news_of_sentences_pass_without_answers_and_mere_answers_wait() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    assert written.passed([sentences(0, added=1)]) == [sentences(added=1)]
    written.note(Append("d", 1, ["dog"]))
    assert written.passed([sentences(1)]) == []
    written.journal.make_durable(2)
    assert [message.answers for message in written.released()] == [[0, 1]]  # type: ignore[union-attr]


def test_steps_wait_for_what_they_are_about_and_the_newest_is_told() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    assert written.passed([steps()]) == [steps()]
    written.note(Gold("d", 0, 0, [0]))
    assert written.passed([steps(), steps(sentence=1), steps()]) == []
    written.journal.make_durable(2)
    assert written.released() == [steps(), steps(sentence=1)]


def test_steps_of_a_version_that_is_over_are_not_told() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    written.note(Gold("d", 0, 0, [0]))
    written.passed([steps()])
    written.note(Append("d", 1, ["dog"]))
    written.journal.make_durable(3)
    assert written.released() == []


def test_a_document_that_is_closed_owes_nothing() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    written.passed([analysis(0)])
    written.note(Close("d"))
    assert written.passed([ClosedMessage("d", [])]) == [ClosedMessage("d", [])]
    assert not written.journal.owes


def test_once_nothing_is_written_any_more_nothing_is_held_back() -> None:
    written = Written()
    written.note(Open("d", 0, words=[]))
    written.passed([analysis(0)])
    written.journal.end()
    assert [message.answers for message in written.released()] == [[0]]  # type: ignore[union-attr]
    written.note(Append("d", 1, ["dog"]))
    assert len(written.events) == 1
    assert written.passed([analysis(1)]) == [analysis(1)]
