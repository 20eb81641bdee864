"""The door to pipecat, in pipelines of its own."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from real_servers import RealServer

pytestmark = pytest.mark.filterwarnings("ignore")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of others, when they are imported
    pytest.importorskip("pipecat")
    from pipecat.frames.frames import (
        EndFrame,
        Frame,
        InterimTranscriptionFrame,
        InterruptionFrame,
        LLMContextFrame,
        LLMFullResponseEndFrame,
        LLMFullResponseStartFrame,
        LLMTextFrame,
        TextFrame,
        TranscriptionFrame,
        VADUserStartedSpeakingFrame,
        VADUserStoppedSpeakingFrame,
    )
    from pipecat.pipeline.pipeline import Pipeline
    from pipecat.pipeline.worker import PipelineWorker
    from pipecat.processors.aggregators.llm_context import LLMContext
    from pipecat.processors.aggregators.llm_response_universal import (
        LLMUserAggregator,
        LLMUserAggregatorParams,
    )
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
    from pipecat.services.llm_service import LLMService
    from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
    from pipecat.turns.user_turn_strategies import UserTurnStrategies
    from pipecat.workers.runner import WorkerRunner

    from treewhile.incremental.messages import OptionChanges
    from treewhile.oracles import InputError
    from treewhile.server.doors import pipecat as door
    from treewhile.server.doors.pipecat import AnalysisFrame, Syntax, SyntaxUserTurnStopStrategy

PATIENCE = 120.0
NOW = "2026-01-01T00:00:00Z"


def interim(text: str) -> Frame:
    return InterimTranscriptionFrame(text, "user", NOW)


def final(text: str) -> Frame:
    return TranscriptionFrame(text, "user", NOW, finalized=True)


class Sink(FrameProcessor):  # type: ignore[misc]
    """Keeps what comes to the end of the pipeline."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[Frame] = []
        self.came = asyncio.Event()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.frames.append(frame)
        self.came.set()
        await self.push_frame(frame, direction)

    async def until(self, is_wanted: Any) -> Frame:
        async with asyncio.timeout(PATIENCE):
            while not (found := [frame for frame in self.frames if is_wanted(frame)]):
                self.came.clear()
                await self.came.wait()
        return found[-1]


class Slow(FrameProcessor):  # type: ignore[misc]
    """Takes its time for each analysis, as a look into a database does."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, AnalysisFrame):
            await asyncio.sleep(0.05)
        await self.push_frame(frame, direction)


class Conversation:
    """A pipeline of a real task that runs until the end of a block."""

    def __init__(self, *processors: FrameProcessor) -> None:
        self.sink = Sink()
        self.worker = PipelineWorker(Pipeline([*processors, self.sink]), cancel_on_idle_timeout=False)

    async def __aenter__(self) -> Conversation:
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self.worker)
        self.task = asyncio.create_task(runner.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.worker.queue_frame(EndFrame())
        await asyncio.wait_for(self.task, PATIENCE)

    async def says(self, *frames: Frame) -> None:
        for frame in frames:
            await self.worker.queue_frame(frame)
            await asyncio.sleep(0.02)


def is_analysis_of(text: str) -> Any:
    return lambda frame: isinstance(frame, AnalysisFrame) and frame.update.text == text


def is_end_of_turn(frame: Frame, turn: int) -> bool:
    return isinstance(frame, AnalysisFrame) and frame.update.is_over and frame.update.turn == turn


def is_answer(frame: Frame) -> bool:
    return isinstance(frame, LLMContextFrame)


async def test_analyses_come_behind_transcriptions_which_go_on() -> None:
    async with Conversation(Syntax()) as talk:
        await talk.says(TextFrame("hello"), interim("peter"), interim("peter drives a car"))
        found = await talk.sink.until(is_analysis_of("peter drives a car"))
        assert isinstance(found, AnalysisFrame)
        [(analysis, _)] = found.update.readings
        assert [word.form for word in analysis.words] == ["peter", "drives", "a", "car"]
        assert found.update.completeness
        passed = [frame.text for frame in talk.sink.frames if isinstance(frame, TextFrame)]
        assert passed == ["hello", "peter", "peter drives a car"]


def with_turns(*behind: FrameProcessor) -> tuple[Conversation, LLMContext]:
    syntax = Syntax()
    return with_strategies(syntax, [SyntaxUserTurnStopStrategy(syntax)], *behind)


def with_strategies(
    syntax: Syntax, stop: list[Any], *behind: FrameProcessor
) -> tuple[Conversation, LLMContext]:
    context, strategies = LLMContext(), UserTurnStrategies(stop=stop)
    aggregator = LLMUserAggregator(context, params=LLMUserAggregatorParams(user_turn_strategies=strategies))
    return Conversation(syntax, aggregator, *behind), context


class Echoing(LLMService):  # type: ignore[misc]
    """A service of pipecat's own kind, which answers at once with the user's words."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, bool]] = []  # the user's words, and whether their turn is not over yet

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        words = frame.context.get_messages()[-1]["content"]
        self.asked.append((words, frame.speculation))
        for part in (LLMFullResponseStartFrame(), LLMTextFrame(words), LLMFullResponseEndFrame()):
            await self.push_frame(part)

    async def until_asked(self, *wanted: tuple[str, bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.asked != [*wanted]:
                await asyncio.sleep(0.001)


def answered(talk: Conversation) -> list[str]:
    """The answers that have come through to the end."""
    return [frame.text for frame in talk.sink.frames if isinstance(frame, LLMTextFrame)]


def is_end_of_answer(frame: Frame) -> bool:
    return isinstance(frame, LLMFullResponseEndFrame)


def messages(context: LLMContext) -> list[Any]:
    return [message["content"] for message in context.get_messages()]


async def written(context: LLMContext, count: int) -> list[Any]:
    async with asyncio.timeout(PATIENCE):
        while len(messages(context)) < count:
            await asyncio.sleep(0.02)
    return messages(context)


async def test_a_turn_ends_at_a_silence_and_is_answered() -> None:
    talk, context = with_turns()
    async with talk:
        await talk.says(VADUserStartedSpeakingFrame(), interim("I want"), final("I want to go home."))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        await talk.sink.until(is_answer)
        assert await written(context, 1) == ["I want to go home."]


async def test_a_final_transcription_that_never_comes_does_not_hold_the_answer() -> None:
    talk, context = with_turns()
    async with talk:
        await talk.says(VADUserStartedSpeakingFrame(), interim("I want"), interim("I want to go home"))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        assert await written(context, 1) == ["I want to go home"]
        await talk.says(final("I want to go home."))  # late: no turn of its own
        await talk.says(VADUserStartedSpeakingFrame(), final("Thank you."))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        assert await written(context, 2) == ["I want to go home", "Thank you."]


@pytest.mark.slow
async def test_a_turn_that_begins_like_one_without_a_final_transcription_is_answered() -> None:
    talk, context = with_turns()
    async with talk:
        for text in ("turn on the light", "turn off the light", "turn off the light"):
            words = text.split()
            growing = [interim(" ".join(words[:end])) for end in range(1, len(words) + 1)]
            before = len(messages(context))
            await talk.says(
                VADUserStartedSpeakingFrame(), *growing, VADUserStoppedSpeakingFrame(stop_secs=0.2)
            )
            assert (await written(context, before + 1))[-1] == text


@pytest.mark.parametrize("has_both", [False, True])
async def test_turns_end_with_whatever_strategy_stops_them(has_both: bool) -> None:
    syntax = Syntax()
    stop = [
        SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.1),
        *([SyntaxUserTurnStopStrategy(syntax)] if has_both else []),
    ]
    talk, context = with_strategies(syntax, stop)
    async with talk:
        for number, text in enumerate(("Send the report.", "Call my mother."), 1):
            await talk.says(VADUserStartedSpeakingFrame(), final(text))
            await talk.sink.until(is_analysis_of(text))
            await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.0))
            assert (await written(context, number))[-1] == text
            await talk.sink.until(lambda frame: is_end_of_turn(frame, number - 1))  # noqa: B023
            assert syntax.text == ""


async def test_each_of_two_speakers_is_heard_by_its_own() -> None:
    said = {"anna": "open the window", "ben": "call my mother"}
    async with Conversation(*(Syntax(user_id=user) for user in said)) as talk:
        for words in zip(*(text.split() for text in said.values()), strict=True):
            for user, word in zip(said, words, strict=True):
                await talk.says(TranscriptionFrame(word, user, NOW))
        for user, text in said.items():
            found = await talk.sink.until(is_analysis_of(text))
            assert isinstance(found, AnalysisFrame)
            assert found.user_id == user


async def test_nothing_stands_of_a_turn_that_is_discarded() -> None:
    syntax = Syntax()
    async with Conversation(syntax) as talk:
        await talk.says(interim("send the report"))
        await talk.sink.until(is_analysis_of("send the report"))
        syntax.discard_turn()
        assert syntax.text == ""
        await talk.says(final("Send the report."))  # late
        await talk.sink.until(lambda frame: is_end_of_turn(frame, 0))
        assert present_units(talk) == set()
        await talk.says(final("Call my mother."))
        await talk.sink.until(is_analysis_of("Call my mother."))
        assert syntax.text == "Call my mother."
        assert not any(isinstance(frame, TextFrame) and "report." in frame.text for frame in talk.sink.frames)


async def test_a_server_that_does_not_want_it_stops_no_conversation(served: RealServer) -> None:
    syntax = Syntax(model="xx", server=served.address.replace("http", "ws"))
    errors: list[str] = []
    async with Conversation(syntax) as talk:
        syntax.add_event_handler("on_error", lambda _, frame: errors.append(frame.error))
        await talk.says(interim("peter drives"))
        async with asyncio.timeout(PATIENCE):
            while not errors:
                await asyncio.sleep(0.01)
        await talk.says(final("Peter drives."))
        await talk.sink.until(lambda frame: isinstance(frame, TextFrame) and frame.text == "Peter drives.")
    assert "no model 'xx'" in errors[0]


def test_options_are_checked_where_they_are_given() -> None:
    with pytest.raises(InputError, match="the option stability of a listener does not fit"):
        Syntax(options=OptionChanges(stability=7))


async def test_an_interruption_drops_no_analysis() -> None:
    talk = Conversation(Syntax(), Slow())
    async with talk:
        words = ["please", "send", "the", "new", "report", "to", "maria"]
        for end in range(1, len(words) + 1):
            await talk.says(interim(" ".join(words[:end])))
            if end == 4:
                await talk.says(InterruptionFrame())
        whole = is_analysis_of(" ".join(words))
        await talk.sink.until(lambda frame: whole(frame) and not frame.update.is_initial)
        assert {unit.form for unit in present_units(talk) if hasattr(unit, "form")} == {*words}


def present_units(talk: Conversation) -> set[Any]:
    """The units that stand, once all were replayed that have come through to the end."""
    present: set[Any] = set()
    for frame in talk.sink.frames:
        for kind, unit in frame.update.units if isinstance(frame, AnalysisFrame) else ():
            assert (unit in present) == (kind != "add")
            (present.remove if kind == "revoke" else present.add)(unit)
    return present


@pytest.mark.slow
async def test_who_goes_on_speaking_is_not_cut() -> None:
    talk, context = with_turns()
    async with talk:
        await talk.says(VADUserStartedSpeakingFrame(), final("I want to"))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.2), VADUserStartedSpeakingFrame())
        await asyncio.sleep(2)
        assert messages(context) == []
        await talk.says(final("go home."), VADUserStoppedSpeakingFrame(stop_secs=0.2))
        assert await written(context, 1) == ["I want to go home."]


async def test_an_answer_is_begun_while_the_turn_may_go_on_and_told_once_it_is_over() -> None:
    model = Echoing()
    talk, context = with_turns(model)
    async with talk:
        await talk.says(VADUserStartedSpeakingFrame(), final("I saw the dog"))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.0))
        await talk.sink.until(is_end_of_answer)
        assert await written(context, 1) == ["I saw the dog"]
        assert model.asked == [("I saw the dog", True)]
        assert answered(talk) == ["I saw the dog"]


@pytest.mark.slow
async def test_an_answer_that_came_too_soon_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "LONGEST_WAIT", 20.0)  # so that the user goes on in time on any machine
    model = Echoing()
    talk, context = with_turns(model)
    async with talk:
        await talk.says(VADUserStartedSpeakingFrame(), final("I saw the dog"))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.0))
        await model.until_asked(("I saw the dog", True))
        await talk.says(VADUserStartedSpeakingFrame(), final("in the garden."))
        await talk.says(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        await talk.sink.until(is_end_of_answer)
        assert await written(context, 1) == ["I saw the dog in the garden."]
        assert answered(talk) == ["I saw the dog in the garden."]
        assert model.asked == [("I saw the dog", True), ("I saw the dog in the garden.", True)]
