from __future__ import annotations

import random
from typing import Any, get_args

import msgspec
import pytest
from reach import Reached

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    Append,
    ConflictView,
    ConstituentsView,
    DeltaMessage,
    ErrorMessage,
    Event,
    Open,
    OptionChanges,
    VirtualView,
    WordView,
    apply_delta,
    checked_event,
    delta_of,
)
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Constituent


def random_word(source: random.Random, place: int) -> WordView:
    head = source.choice([0, place + 1, -1, "later", None])
    return WordView("w", 2 * place, 2 * place + 1, "X", "_", head, source.choice(["a", None]), 0.5)


def random_analysis(source: random.Random, number: int) -> AnalysisMessage:
    return AnalysisMessage(
        document="d",
        version=source.randrange(9),
        number=number,
        answers=[*range(source.randrange(3))],
        sentence=source.randrange(3),
        first_word=0,
        start=source.randrange(9),
        stage=source.choice(["initial", "improved", "settled", "final"]),
        levels=["L0"],
        words=[random_word(source, place) for place in range(source.randrange(7))],
        virtual=source.choice([[], [VirtualView(1, "NOUN", 0, "root")]]),
        conflicts=source.choice([[], [ConflictView("odd", 0.5, [1], "This is odd.")]]),
        stable_upto=0,
        score=source.choice([None, -1.5]),
        seconds=source.random(),
        cut_short=source.random() < 0.5,
        constituents=source.choice([None, random_constituents(source)]),
    )


def random_constituents(source: random.Random) -> list[Constituent]:
    return [Constituent(source.choice("AB"), 1, source.choice([1, None])) for _ in range(source.randrange(5))]


def changed_words(source: random.Random, words: list[WordView]) -> list[WordView]:
    """Most of the words, others in place of the rest, and perhaps more behind them."""
    kept = [word if source.random() < 0.8 else random_word(source, at) for at, word in enumerate(words)]
    more = [random_word(source, len(words) + at) for at in range(source.randrange(3))]
    return [*kept, *more][: len(words) + source.randint(-1, 1)] or [random_word(source, 0)]


@pytest.mark.reaches(0.7)
@pytest.mark.parametrize("seed", range(300))
def test_a_delta_applied_to_its_base_is_the_analysis(seed: int, reached: Reached) -> None:
    source = random.Random(seed)
    base, analysis = random_analysis(source, 1), random_analysis(source, 2)
    if source.random() < 0.8:
        analysis = msgspec.structs.replace(analysis, words=changed_words(source, base.words))
    delta = delta_of(base, analysis)
    reached(delta)
    if delta is not None:
        for coder in (msgspec.json, msgspec.msgpack):
            sent: Any = coder.decode(coder.encode(delta), type=AnyMessage)
            assert isinstance(sent, DeltaMessage)
            assert apply_delta(base, sent) == analysis
    same = delta_of(base, msgspec.structs.replace(base, number=3))
    assert same is not None
    assert same.words == {}


def test_a_delta_says_only_the_stretch_of_constituents_that_has_changed() -> None:
    before = [Constituent("S", 1, None), Constituent("NP", 1, 2), Constituent("VP", 3, None)]
    base = msgspec.structs.replace(random_analysis(random.Random(1), 1), constituents=before)

    def told(after: list[Constituent] | None) -> Any:
        delta = delta_of(base, msgspec.structs.replace(base, number=2, constituents=after))
        assert delta
        return delta.constituents

    more = Constituent("PP", 4, None)
    assert told(before) is msgspec.UNSET
    assert told(None) is None
    assert told([*before, more]) == ConstituentsView(3, 0, [more])
    assert told([before[0], more, before[2]]) == ConstituentsView(1, 1, [more])
    assert told(before[1:]) == ConstituentsView(0, 1, [])
    assert told([before[0], *before]) == ConstituentsView(1, 0, [before[0]])


def test_a_delta_that_would_say_most_of_it_again_is_none() -> None:
    source = random.Random(1)
    empty = msgspec.structs.replace(random_analysis(source, 1), words=[])
    full = msgspec.structs.replace(empty, number=2, words=[WordView("w", 0, 1, "X", "_", 0, "a")] * 4)
    assert delta_of(empty, full) is None


def test_a_delta_is_not_applied_to_another_analysis() -> None:
    base = random_analysis(random.Random(2), 1)
    delta = delta_of(base, msgspec.structs.replace(base, number=2))
    assert delta
    with pytest.raises(InputError, match="apply it to that one, not to 7"):
        apply_delta(msgspec.structs.replace(base, number=7), delta)


def test_events_on_the_wire_have_their_type_and_no_defaults() -> None:
    event = Open("d", 1, words=["a"], options=OptionChanges(stability=0.5, time_limit=None))
    written = msgspec.json.encode(event)
    assert written == (
        b'{"type":"open","document":"d","version":1,"words":["a"],'
        b'"options":{"time_limit":null,"stability":0.5}}'
    )
    assert msgspec.json.decode(written, type=AnyEvent) == event


@pytest.mark.parametrize("kind", [*get_args(AnyEvent), *get_args(AnyMessage)])
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
