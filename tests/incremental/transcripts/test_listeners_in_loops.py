"""Listeners in threads and beside an event loop: the same methods, the same analyses."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest
from recognizers import parsed_at_once, sentence_of

from treewhile.incremental import AsyncListener, Hypothesis, Model, Session, ThreadedListener
from treewhile.incremental.parsers.parsing import Asked
from treewhile.incremental.parsers.rescoring import Rescored
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles import InputError

PATIENCE = 30.0
TURNS = [["the", "the old", "the old dog"], ["it", "it barks."]]
SPOKEN = ["the old dog", "it barks."]


def told(update: Update) -> list[object]:
    return [sentence_of(reading.analysis) for reading in update.readings]


def test_turns_are_heard_in_threads(model: Model) -> None:
    over: list[Update] = []

    def speak() -> None:
        for turn in TURNS:
            for text in turn:
                listener.hear(Hypothesis(text))
            listener.end_turn()

    with ThreadedListener(Session(model)) as listener:
        speaker = threading.Thread(target=speak)
        speaker.start()
        while len(over) < 2:
            updates = listener.take_updates(PATIENCE)
            assert updates
            over += [update for update in updates if update.is_over]
        speaker.join()
        assert listener.state == "present"
    assert [update.text for update in over] == SPOKEN
    assert [told(update) for update in over] == [parsed_at_once(model, text) for text in SPOKEN]


def test_words_do_not_wait_for_the_best_parse_of_those_before(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, may_end, rescore_until = threading.Event(), threading.Event(), Model.rescore_until

    def hold(self: Model, asked: Sequence[Asked]) -> list[Rescored | None]:
        has_begun.set()
        may_end.wait(PATIENCE)
        return rescore_until(self, asked)

    monkeypatch.setattr(Model, "rescore_until", hold)
    with ThreadedListener(Session(model)) as listener:
        try:
            listener.hear(Hypothesis("the old"))
            assert has_begun.wait(PATIENCE)
            listener.hear(Hypothesis("the old dog"))
            heard = ""
            while heard != "the old dog":
                updates = listener.take_updates(PATIENCE)
                assert updates
                heard = updates[-1].text
        finally:
            may_end.set()


async def test_turns_are_heard_beside_a_loop(model: Model) -> None:
    over: list[Update] = []
    async with AsyncListener(Session(model)) as listener, asyncio.timeout(PATIENCE):
        for turn in TURNS:
            for text in turn:
                assert listener.hear(Hypothesis(text))
                await asyncio.sleep(0)
            listener.end_turn()
        async for update in listener.updates():
            over += [update] * update.is_over
            if len(over) == 2:
                break
        assert listener.state == "present"
        assert not listener.is_current(over[1])
    assert [told(update) for update in over] == [parsed_at_once(model, text) for text in SPOKEN]


async def test_a_silence_is_answered_by_both(model: Model) -> None:
    async with AsyncListener(Session(model)) as listener, asyncio.timeout(PATIENCE):
        listener.hear(Hypothesis("the dog"))
        updates = listener.updates()
        async for update in updates:
            if update.readings[0].analysis.stage == "settled":
                break
        listener.silence()
        assert (await anext(updates)).units == []
    with ThreadedListener(Session(model)) as threaded:
        threaded.hear(Hypothesis("the dog"))
        while threaded.take_updates(PATIENCE)[-1].readings[0].analysis.stage != "settled":
            pass
        threaded.silence()
        [again] = threaded.take_updates(PATIENCE)
        assert again.units == []


async def test_updates_end_when_the_listener_is_closed(model: Model) -> None:
    async def read(updates: AsyncIterator[Update]) -> list[Update]:
        return [update async for update in updates]

    async with AsyncListener(Session(model)) as listener:
        reader = asyncio.create_task(read(listener.updates()))
        await asyncio.sleep(0.01)
    assert await asyncio.wait_for(reader, PATIENCE) == []
    with pytest.raises(InputError, match="the session is closed"):
        listener.hear(Hypothesis("the dog"))
    threaded = ThreadedListener(Session(model))
    threaded.close()
    assert [*threaded.updates()] == []
