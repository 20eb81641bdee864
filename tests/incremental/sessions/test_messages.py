from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from cases import each

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    Append,
    DeltaMessage,
    ErrorMessage,
    Event,
    Open,
    OptionChanges,
    WordView,
    apply_delta,
    checked_event,
)
from treewhile.oracles import InputError


def test_a_delta_is_not_applied_to_another_analysis() -> None:
    word = WordView("w", 0, 1, "X", "_", 0, "a")
    base = AnalysisMessage("d", 0, 7, [], 0, 0, 0, "initial", ["L0"], [word], [], [], 0, None, 0.0)
    delta = DeltaMessage("d", 1, 9, [], 0, 0, 0, "settled", ["L0"], 8, 1, {}, 0, None, 0.0)
    with pytest.raises(InputError, match="apply it to that one, not to 7"):
        apply_delta(base, delta)


def test_events_on_the_wire_have_their_type_and_no_defaults() -> None:
    event = Open("d", 1, words=["a"], options=OptionChanges(stability=0.5, time_limit=None))
    written = msgspec.json.encode(event)
    assert written == (
        b'{"type":"open","document":"d","version":1,"words":["a"],'
        b'"options":{"time_limit":null,"stability":0.5}}'
    )
    assert msgspec.json.decode(written, type=AnyEvent) == event


@each("kind", [*get_args(AnyEvent), *get_args(AnyMessage)])
def test_events_and_messages_are_values_that_nobody_changes(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_messages_on_the_wire_leave_out_what_is_as_it_mostly_is() -> None:
    refused = ErrorMessage("too_much", "it is too much", "d", None)
    assert msgspec.json.encode(refused) == (
        b'{"type":"error","code":"too_much","message":"it is too much","document":"d"}'
    )


def test_versions_are_numbers_that_json_has_exactly() -> None:
    largest = 2**53 - 1
    assert checked_event(Append("d", largest, [])) == Append("d", largest, [])
    with pytest.raises(InputError, match="this is no event"):
        checked_event(Append("d", largest + 1, []))


def test_every_event_bounds_what_it_takes() -> None:
    assert checked_event(Append("d", 1, ["a"])) == Append("d", 1, ["a"])
    assert checked_event({"type": "close", "document": "d"}).document == "d"
    for wrong in (Append("", 1, []), Append("d", 2**60, []), Append("d", 1, ["x" * 10_001]), Event("d"), 3):
        with pytest.raises(InputError, match="this is no event"):
            checked_event(wrong)
