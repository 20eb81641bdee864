from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from cases import cases, each_seed

from treewhile.incremental.sessions.messages import (
    Append,
    Close,
    Edit,
    Event,
    Finish,
    Gold,
    Open,
    OptionChanges,
    Options,
    Revoke,
    Undo,
)
from treewhile.incremental.sessions.session import Session
from treewhile.server.stores.records import folded, versions
from treewhile.server.work.engines import Engine

QUICK = OptionChanges(levels=["L0"])


def final_state(engine: Engine, events: list[Event]) -> list[Any]:
    """All that a session says of its documents after some events."""
    session = engine.new_session()
    for event in events:
        session.receive(event)
    run(session)
    while session.wake_at is not None:
        session.tick(session.wake_at)
        run(session)
    session.drop_messages()
    for name in session.versions:
        session.receive({"type": "ask_analyses", "document": name})
    said = [
        (one.document, one.version, one.sentence, one.stage, [(w.form, w.start, w.head) for w in one.words])
        for one in session.messages_to_send()
        if hasattr(one, "words")
    ]
    return [session.versions, sorted(said)]


def run(session: Session) -> None:
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())


def random_events(source: random.Random, count: int) -> list[Event]:
    """Edits of a text in UTF-16 and of given words, with finishes and options between them."""
    text, words, version = "", 0, 2
    events: list[Event] = [
        Open("text", 0, text="", positions="utf16", options=QUICK),
        Open("words", 1, words=[], options=QUICK),
    ]
    for version in range(2, count + 2):
        move = source.randrange(6)
        if move <= 1:
            start, end = sorted(source.choices(range(len(text) + 1), k=2))
            new = source.choice(["🎉 dog", "cat. ", "\n\n", "é"])
            places = (units(text[:start]), units(text[:end]))
            text = text[:start] + new + text[end:]
            events.append(Edit("text", version, *places, new))
        elif move == 2:
            events.append(Finish(source.choice(["text", "words"]), version))
        elif move == 3 and words:
            gone = source.randint(1, words)
            words -= gone
            events.append(Revoke("words", version, gone))
        elif move == 4:
            changes = OptionChanges(levels=source.choice([["L0"], ["L0", "L1"]]))
            events.append(Options(source.choice(["text", "words"]), changes))
        else:
            new_words = source.choices(["dog", "the", "🎉"], k=source.randint(1, 3))
            words += len(new_words)
            events.append(Append("words", version, new_words))
    return events


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@each_seed(cases(20))
def test_folded_events_lead_to_the_same_documents(engines: Mapping[str, Engine], seed: int) -> None:
    events = random_events(random.Random(seed), 40)
    fewer = folded(events)
    assert len(fewer) < len(events)
    assert versions(fewer) == versions(events)
    assert all(getattr(event, "version", 0) >= 0 for event in fewer)
    assert final_state(engines["tiny"], fewer) == final_state(engines["tiny"], events)
    assert folded(fewer) == fewer


def test_a_finished_sentence_keeps_its_end() -> None:
    events = [Open("d", 0, words=["a"]), Finish("d", 1), Append("d", 2, ["b"]), Finish("d", 3)]
    assert folded(events) == events


def test_from_a_request_on_events_stay_as_they_came() -> None:
    later = [Gold("d", 1, 0, [2, 0]), Append("d", 2, ["c"]), Undo("d", 2, 0)]
    events = [Open("d", 0, words=["a"]), Append("d", 1, ["b"]), *later]
    assert folded(events) == [Open("d", 1, words=["a", "b"]), *later]


def test_closed_documents_are_gone() -> None:
    events = [Open("d", 0, words=["a"]), Open("e", 0, text="a"), Close("d")]
    assert folded(events) == [events[1]]
