"""What a session refuses of text and of events, and what it names when it does."""

from __future__ import annotations

from typing import Any

from cases import each

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import ErrorMessage
from treewhile.incremental.sessions.session import Session

ABOUT = {"document": "d", "version": 1}


def told(model: Model, *events: object) -> list[tuple[str, str | None, int | None]]:
    """The errors: code, document, version."""
    session = Session(model)
    for event in events:
        session.receive(event)
    said = session.messages_to_send()
    return [(one.code, one.document, one.version) for one in said if isinstance(one, ErrorMessage)]


@each("bad", ["\0", "\x1b", "\x1f", "\x7f", "\x80", "\x9f", "\ud83c"])
def test_controls_and_halves_of_pairs_are_refused_by_name(model: Model, bad: str) -> None:
    text = {"type": "open", "document": "d", "version": 0, "text": "dog"}
    words = {"type": "open", "document": "d", "version": 0, "words": ["dog"]}
    edit = {"type": "edit", **ABOUT, "start": 0, "end": 0, "text": f"a{bad}b"}
    append = {"type": "append", **ABOUT, "words": ["cat", f"a{bad}b"]}
    assert told(model, text, edit) == [("bad_text", "d", 1)]
    assert told(model, words, append) == [("bad_word", "d", 1)]


@each("white", ["\t", "\n", "\r\n", "\v", "\f", "\x85", "\xa0", "\u2028", "\u3000", " "])
def test_white_space_of_unicode_is_text(model: Model, white: str) -> None:
    text = {"type": "open", "document": "d", "version": 0, "text": f"dog{white}cat"}
    words = {"type": "open", "document": "e", "version": 0, "words": [f"dog{white}cat"]}
    assert told(model, text, words) == []


@each(
    "event, document, version",
    [
        ({"type": "append", "document": "d", "version": 1, "words": "dog"}, "d", 1),
        ({"type": "append", "document": "d", "version": -1, "words": []}, "d", None),
        ({"type": "append", "document": ["d"], "version": 1, "words": []}, None, 1),
        ({"type": "append", "document": "", "version": True}, None, None),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_what_is_no_event_is_named_as_far_as_it_names_itself(
    model: Model, event: Any, document: str | None, version: int | None
) -> None:
    assert told(model, event) == [("bad_event", document, version)]


def test_an_error_about_a_correction_names_its_sentence(model: Model) -> None:
    fix = {"type": "fix", "document": "d", "version": 0, "sentence": 7, "heads": {"1": 0}}
    session = Session(model)
    session.receive({"type": "open", "document": "d", "version": 0, "words": ["dog"]})
    session.receive(fix)
    session.receive({"type": "edit", **ABOUT, "start": 0, "end": 0, "text": "a"})
    session.receive({"type": "nothing"})
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    errors = [one for one in session.messages_to_send() if isinstance(one, ErrorMessage)]
    assert sorted((one.sentence for one in errors), key=str) == [7, None, None]
