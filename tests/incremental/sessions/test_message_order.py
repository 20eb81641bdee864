from __future__ import annotations

from typing import get_args

from cases import each

from treewhile.incremental.sessions.document_content import AFTER, REASONS, State
from treewhile.incremental.sessions.messages import AnyEvent, Close, Event, Open

STATES: list[State] = ["absent", "text", "words"]


@each("event", get_args(AnyEvent))
def test_every_event_is_legal_in_some_state_and_leads_to_one(event: type[Event]) -> None:
    legal = [state for state in STATES if (state, event) in AFTER]
    assert legal
    assert {after for state in legal for after in AFTER[state, event]} <= {*STATES}


def test_a_document_is_opened_and_closed_once() -> None:
    assert [state for state in STATES if (state, Open) in AFTER] == ["absent"]
    assert [state for state in STATES if (state, Close) in AFTER] == ["text", "words"]
    assert {*REASONS} == {*STATES}
