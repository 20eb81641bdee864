from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from treewhile.oracles.errors import InputError
from treewhile.server.doors.end_of_turn import EndOfTurnAdapter, turn_of


@pytest.fixture(scope="module")
def adapter() -> EndOfTurnAdapter:
    return EndOfTurnAdapter()


def item(text: Any, **more: Any) -> dict[str, Any]:
    """One of a batch, as the bench gives it."""
    return {"audio": None, "messages": [{"role": "user", "content": text}], **more}


def test_it_has_what_the_bench_asks_of_adapters(adapter: EndOfTurnAdapter) -> None:
    assert (adapter.adapter_id, adapter.score_point) == ("treewhile-en-text", 0.2)
    assert [adapter.supports_language(code) for code in ("en", "en-US", "EN_gb", "de", "")] == [
        *[True] * 3,
        *[False] * 2,
    ]


def test_a_turn_that_could_have_ended_scores_above_one_that_could_not(adapter: EndOfTurnAdapter) -> None:
    pairs = [
        ("i would like to book a table for two people", "i would like to book a"),
        ("thank you very much", "thank you for the"),
        ("Can you help me?", "Can you help me with"),
    ]
    for ended, going_on in pairs:
        high, low = adapter.predict_batch([item(ended), item(going_on)])
        assert 0 < low < high < 1


def test_only_the_last_sentence_counts(adapter: EndOfTurnAdapter) -> None:
    alone, after_another = adapter.predict_batch([item("I want the"), item("Hello there. I want the")])
    assert alone == after_another


def test_scores_grow_with_the_silence_where_it_is_given(adapter: EndOfTurnAdapter) -> None:
    silences = [None, 0.2, 0.8, 3.0]
    scores = adapter.predict_batch([item("i called them", silence_dur=silence) for silence in silences])
    assert scores == sorted(set(scores))
    odd = adapter.predict_batch([item("i called them", silence_dur=one) for one in (-1.0, float("nan"), "x")])
    assert odd == [scores[0]] * 3


@pytest.mark.parametrize("messages", [None, [], [{"role": "assistant", "content": "How are you?"}]])
def test_nothing_has_ended_where_nothing_was_said(adapter: EndOfTurnAdapter, messages: Any) -> None:
    assert adapter.predict_batch([{"messages": messages}]) == [0.0]


@pytest.mark.parametrize("text", ["", " \n", None])
def test_nothing_has_ended_in_an_empty_turn(adapter: EndOfTurnAdapter, text: Any) -> None:
    assert adapter.predict_batch([item(text)]) == [0.0]


@pytest.mark.parametrize(
    "text",
    ["誰が来ましたか", "هل وصل القطار؟", "🎉", "\ud800 \x00", "a" * 100_000, "so we went on and " * 2_000],
)
def test_any_text_has_a_score(adapter: EndOfTurnAdapter, text: str) -> None:
    [score] = adapter.predict_batch([item(text)])
    assert 0 <= score <= 1


def test_a_turn_is_what_the_user_has_said_since_the_other_one() -> None:
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Which day?"},
        {"role": "user", "content": [{"type": "text", "text": "on"}, {"type": "image"}]},
        {"role": "user", "content": "monday"},
    ]
    assert turn_of({"messages": messages}).split() == ["on", "monday"]


def test_a_model_that_knows_no_ends_is_refused(model_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="has not learnt when sentences end"):
        EndOfTurnAdapter(str(model_file()))
