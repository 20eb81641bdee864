"""The door to livekit-agents, with its own events, contexts and sessions."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator

import pytest
from real_servers import RealServer
from recognizers import Replay

pytestmark = pytest.mark.filterwarnings("ignore")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of others, when they are imported
    pytest.importorskip("livekit.agents")
    from livekit.agents import AgentSession
    from livekit.agents.llm import ChatContext
    from livekit.agents.stt import SpeechData, SpeechEvent, SpeechEventType
    from livekit.agents.voice.turn import _TurnDetector as Expected

    from treewhile.incremental.messages import OptionChanges
    from treewhile.incremental.transcripts.updates import Update
    from treewhile.oracles import InputError
    from treewhile.server.client import DisconnectedError
    from treewhile.server.doors.livekit import UNLIKELY, SyntaxTurnDetector

PATIENCE = 120.0
INTERIM, FINAL = SpeechEventType.INTERIM_TRANSCRIPT, SpeechEventType.FINAL_TRANSCRIPT


@pytest.fixture
async def detector() -> AsyncIterator[SyntaxTurnDetector]:
    detector = SyntaxTurnDetector()
    yield detector
    await detector.aclose()


def context(*said: str) -> ChatContext:
    chat = ChatContext.empty()
    for text in said:
        chat.add_message(role="user", content=text)
    return chat


async def events(*said: tuple[SpeechEventType, str]) -> AsyncIterator[SpeechEvent]:
    for kind, text in said:
        yield SpeechEvent(kind, alternatives=[SpeechData("en", text)])
    yield SpeechEvent(SpeechEventType.END_OF_SPEECH)


async def test_it_is_what_a_session_takes_for_a_turn_detector(detector: SyntaxTurnDetector) -> None:
    expected = {name for name in vars(Expected) if not name.startswith("_")}
    assert "predict_end_of_turn" in expected <= {*dir(detector)}
    assert AgentSession(turn_detection=detector).turn_detection is detector
    assert await detector.unlikely_threshold("en-US") == UNLIKELY
    assert await detector.unlikely_threshold("fr") is None
    assert await detector.supports_language(None)
    assert (detector.model, detector.provider) == ("en", "treewhile")


async def test_whole_sentences_are_more_likely_to_be_the_end(detector: SyntaxTurnDetector) -> None:
    whole = await detector.predict_end_of_turn(context("I want to go home"), timeout=PATIENCE)
    broken = await detector.predict_end_of_turn(context("I want to go to the"), timeout=PATIENCE)
    assert broken < UNLIKELY <= whole


async def test_no_turn_is_judged_by_what_was_said_in_the_one_before(detector: SyntaxTurnDetector) -> None:
    turns = ["I want to go home", "I want to go to the"] * 10
    chances = [await detector.predict_end_of_turn(context(turn), timeout=PATIENCE) for turn in turns]
    assert max(chances[1::2]) < UNLIKELY <= min(chances[::2])


async def test_what_is_not_final_counts_and_events_pass(detector: SyntaxTurnDetector) -> None:
    said = [(INTERIM, "I want"), (FINAL, "I want"), (INTERIM, "to go to the")]
    passed = [event.type async for event in detector.watch(events(*said))]  # type: ignore[union-attr]
    assert passed == [INTERIM, FINAL, INTERIM, SpeechEventType.END_OF_SPEECH]
    assert await detector.predict_end_of_turn(context("I want"), timeout=PATIENCE) < UNLIKELY
    assert [event async for event in detector.watch(events((FINAL, "to go home")))]
    assert await detector.predict_end_of_turn(context("I want"), timeout=PATIENCE) >= UNLIKELY


async def test_nothing_is_waited_for_where_nothing_was_heard(detector: SyntaxTurnDetector) -> None:
    too_long = "word " * 120_000
    async with asyncio.timeout(PATIENCE / 2):
        for chat in (context(), context(""), context(too_long), context("word " * 10_000)):
            assert await detector.predict_end_of_turn(chat, timeout=PATIENCE) == UNLIKELY
        said = [(INTERIM, "I want to go home"), (FINAL, ""), (INTERIM, ""), (FINAL, too_long)]
        assert [event async for event in detector.watch(events(*said))]
        assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) == UNLIKELY
        assert [event async for event in detector.watch(events((FINAL, "I want to go home")))]
        assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) > UNLIKELY


async def test_how_complete_it_is_comes_from_a_server_too(served: RealServer) -> None:
    detector = SyntaxTurnDetector(server=served.address.replace("http", "ws"))
    for _ in range(5):
        whole = await detector.predict_end_of_turn(context("I want to go home"), timeout=PATIENCE)
        broken = await detector.predict_end_of_turn(context("I want to go to"), timeout=PATIENCE)
        assert broken < UNLIKELY < whole
    await detector.aclose()


async def test_what_is_not_known_in_time_is_neither_likely_nor_unlikely() -> None:
    away = SyntaxTurnDetector(server="ws://127.0.0.1:1")
    assert await away.predict_end_of_turn(context("I want to go home."), timeout=0.2) == UNLIKELY
    assert await away.predict_end_of_turn(context(), timeout=0.2) == UNLIKELY
    await away.aclose()


@pytest.mark.slow
async def test_a_server_that_is_away_is_not_waited_for() -> None:
    away = SyntaxTurnDetector(server="ws://127.0.0.1:1")
    await away.predict_end_of_turn(context("I want to go home."), timeout=PATIENCE)
    assert await away.predict_end_of_turn(context("I want to"), timeout=PATIENCE) == UNLIKELY
    await away.aclose()


async def test_its_language_is_that_of_the_model() -> None:
    assert await SyntaxTurnDetector("nl").supports_language("nl-BE")
    assert not await SyntaxTurnDetector("nl").supports_language("en")
    assert await SyntaxTurnDetector("house-style", language="nl").supports_language("nl")


async def test_who_speaks_on_after_a_likely_end_is_judged_by_the_new_words(
    detector: SyntaxTurnDetector,
) -> None:
    for _ in range(5):
        said = [(SpeechEventType.START_OF_SPEECH, ""), (INTERIM, "I want to go home")]
        assert [event async for event in detector.watch(events(*said))]
        assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) >= UNLIKELY
        assert [
            event async for event in detector.watch(events((INTERIM, "I want to go home because of the")))
        ]
        assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) < UNLIKELY


def forms(update: Update) -> list[str]:
    return [word.form for reading in update.readings for word in reading.analysis.words]


async def test_trees_of_turns_come_to_all_who_read_them_at_any_speed(detector: SyntaxTurnDetector) -> None:
    quick, slow, quick_units, slow_units = detector.updates(), detector.updates(), Replay(), Replay()
    read = 0
    async with asyncio.timeout(PATIENCE):
        for turn, text in enumerate(("send the report to maria", "call my mother")):
            for end in range(1, len(text.split()) + 1):
                said = " ".join(text.split()[:end])
                assert [event async for event in detector.watch(events((INTERIM, said)))]
                while True:
                    update = await anext(quick)
                    quick_units.take(update)
                    read += 1
                    if (update.turn, update.text) == (turn, said) and not update.is_initial:
                        break
            assert forms(update) == text.split()
            detector.end_turn()
        while not (update.is_over and update.turn == 1):
            update = await anext(quick)
            quick_units.take(update)
        await detector.aclose()
        late = [update async for update in slow]
    for update in late:
        slow_units.take(update)
    assert len(late) < read
    assert vars(slow_units) == vars(quick_units)
    assert {unit.turn for unit in slow_units.committed} == {0, 1}


async def test_who_tells_of_turns_that_end_has_sentences_that_go_on_judged_as_one(
    detector: SyntaxTurnDetector,
) -> None:
    updates = detector.updates()
    detector.end_turn()
    for text in ("I want to go home", "I want to go home because of the"):
        assert [event async for event in detector.watch(events((INTERIM, text)))]
        last = await detector.predict_end_of_turn(context(), timeout=PATIENCE)
    assert last < UNLIKELY
    assert [
        event async for event in detector.watch(events((FINAL, "I want to go home because of the rain.")))
    ]
    detector.end_turn()
    assert [event async for event in detector.watch(events((FINAL, "Thank you.")))]
    detector.end_turn()
    over: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while len(over) < 2:
            update = await anext(updates)
            over += [update.text] * update.is_over
    assert over == ["I want to go home because of the rain.", "Thank you."]


async def test_words_of_a_turn_that_livekit_has_ended_do_not_count_in_the_next(
    detector: SyntaxTurnDetector,
) -> None:
    assert [event async for event in detector.watch(events((FINAL, "I want to go to the")))]
    assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) < UNLIKELY
    detector.end_turn()  # after it has waited in vain
    assert [event async for event in detector.watch(events((FINAL, "I want to go home")))]
    assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) >= UNLIKELY


async def test_a_second_yes_counts_where_neither_voices_nor_final_transcripts_come(
    detector: SyntaxTurnDetector,
) -> None:
    updates, over = detector.updates(), list[str]()
    for _ in range(2):
        assert [event async for event in detector.watch(events((INTERIM, "yes")))]
        await detector.predict_end_of_turn(context(), timeout=PATIENCE)
        detector.end_turn()
    async with asyncio.timeout(PATIENCE):
        while len(over) < 2:
            update = await anext(updates)
            over += [update.text] * update.is_over
    assert over == ["yes", "yes"]


async def test_nothing_stands_of_a_turn_that_is_discarded(detector: SyntaxTurnDetector) -> None:
    updates, units = detector.updates(), Replay()
    assert [event async for event in detector.watch(events((INTERIM, "send the report")))]
    async with asyncio.timeout(PATIENCE):
        while not units.words:
            units.take(await anext(updates))
        detector.discard_turn()
        while units.words:
            units.take(await anext(updates))
    assert await detector.predict_end_of_turn(context(), timeout=PATIENCE) == UNLIKELY


async def test_a_server_that_does_not_want_it_says_why(served: RealServer) -> None:
    refused = SyntaxTurnDetector("xx", server=served.address.replace("http", "ws"))
    updates = refused.updates()
    await refused.predict_end_of_turn(context("I want to go home"), timeout=0.1)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(DisconnectedError, match="no model 'xx'"):
            await anext(updates)
    with pytest.raises(DisconnectedError, match="no model 'xx'"):
        await refused.predict_end_of_turn(context("I want to go home"), timeout=PATIENCE)
    await refused.aclose()


def test_options_are_checked_where_they_are_given() -> None:
    with pytest.raises(InputError, match="the option stability of a listener does not fit"):
        SyntaxTurnDetector(options=OptionChanges(stability=7))
