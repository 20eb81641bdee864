"""Door to pipecat: analyses as frames of a pipeline, and turns that end at likely ends of sentences.

syntax = Syntax()
strategies = UserTurnStrategies(stop=[SyntaxUserTurnStopStrategy(syntax)])
Pipeline([transport.input(), stt, syntax, user_aggregator, llm, ...])
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.transcripts.hypotheses import Hypothesis
from treewhile.incremental.transcripts.listener import listener_options
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles.errors import InputError
from treewhile.server.doors.speech import SpeechListener, ends_now, listener_on, may_end_now
from treewhile.server.errors import DisconnectedError, needs

with needs("pipecat"):
    from pipecat.frames.frames import (
        CancelFrame,
        DataFrame,
        EndFrame,
        Frame,
        InterimTranscriptionFrame,
        TranscriptionFrame,
        UserStoppedSpeakingFrame,
        VADUserStartedSpeakingFrame,
        VADUserStoppedSpeakingFrame,
    )
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor, FrameProcessorSetup
    from pipecat.turns.types import ProcessFrameResult, UserTurnSpeculation
    from pipecat.turns.user_stop import BaseUserTurnStopStrategy
    from pipecat.turns.user_stop.eager_match_policy import NormalizedMatch
    from pipecat.utils.time import time_now_iso8601

SHORTEST_WAIT: Final = 0.1  # seconds of silence, if the sentence has certainly ended
LONGEST_WAIT: Final = 1.5  # if the sentence certainly continues
LIKELY: Final = 0.5  # probability that the sentence may end from which an answer is started
STEP: Final = 0.02  # seconds between checks for updates
TAKEN_FOR_FINAL: Final = "taken for final by treewhile"  # marks a transcription without a final one


@dataclass
class AnalysisFrame(DataFrame):
    """Frame with an update about the user's turn: its sentences, with times, and incremental units.

    Interruptions drop no such frame, since units build on earlier ones.
    """

    update: Update
    user_id: str = ""  # of the speaker
    interruptible: bool = field(default=False, init=False)


class Syntax(FrameProcessor):
    """Processor that reads transcriptions on their way to the user aggregator, and sends AnalysisFrames.

    All other frames pass; a final transcription of a turn that was already answered is dropped. A turn ends
    with a UserStoppedSpeakingFrame of the aggregator, whatever strategy has stopped it.

    model   name or path of a model, to parse in this process
    server  address such as ws://127.0.0.1:8080 or ws://any:TOKEN@127.0.0.1:8080, to parse there instead
    options  options of the analyses: see `Listener`
    user_id  speaker to be parsed, if there are several; by default, all are parsed as one
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        server: str | None = None,
        *,
        options: OptionChanges | None = None,
        user_id: str | None = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self._place = model, server, listener_options(options)
        self._only, self.speaker = user_id, user_id or ""
        self._stack = AsyncExitStack()
        self._reader: asyncio.Task[None] | None = None
        self._final, self._interim = list[str](), ""
        self._update: Update | None = None
        self.has_strategy = False  # true if a strategy ends turns before the frame of the aggregator comes
        self.listener: SpeechListener | None = None

    @property
    def text(self) -> str:
        """Words of this turn so far."""
        return " ".join([*self._final, self._interim]).strip()

    @property
    def open_text(self) -> str:
        """Words since the last final transcription."""
        return self._interim

    @property
    def update(self) -> Update | None:
        """Last update, if it covers all words so far."""
        is_current = self._update and self.listener and self.listener.is_current(self._update)
        return self._update if is_current else None

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Prepare parsing, which is slow the first time."""
        await super().setup(setup)
        self.listener = listener = await listener_on(*self._place)
        await self._stack.enter_async_context(listener)
        self._reader = self.create_task(self._read(listener))

    async def cleanup(self) -> None:
        """Stop parsing."""
        if self._reader:
            await self.cancel_task(self._reader)
        await self._stack.aclose()
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Read a frame, and pass it on."""
        await super().process_frame(frame, direction)
        self._follow_voice(frame)
        if not isinstance(frame, TranscriptionFrame | InterimTranscriptionFrame) or self._hears(frame):
            await self.push_frame(frame, direction)

    def _follow_voice(self, frame: Frame) -> None:
        if isinstance(frame, VADUserStartedSpeakingFrame) and self.listener:
            self.listener.voice()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self.silence()
        elif isinstance(frame, UserStoppedSpeakingFrame) and not self.has_strategy:
            self.end_turn()

    def _hears(self, frame: TranscriptionFrame | InterimTranscriptionFrame) -> bool:
        """Parse a transcription, and return whether to pass it on; late ones are dropped."""
        if self.listener is None or getattr(frame, "result", None) == TAKEN_FOR_FINAL:
            return True
        if self._only not in (None, frame.user_id):
            return True
        is_final, self.speaker = isinstance(frame, TranscriptionFrame), frame.user_id
        try:
            is_new = self.listener.hear(Hypothesis(frame.text, is_final=is_final))
        except InputError:  # far too long: the conversation continues without an analysis
            return True
        if is_new and is_final:
            self._final, self._interim = [*self._final, frame.text.strip()], ""
        elif is_new and frame.text.strip():
            self._interim = frame.text.strip()
        return is_new

    async def _read(self, listener: SpeechListener) -> None:
        try:
            async for update in listener.updates():
                if update.turn == listener.turn:
                    self._update = update
                await self.push_frame(AnalysisFrame(update, self.speaker))
        except DisconnectedError as error:  # permanent: the conversation continues without analyses
            await self.push_error(f"the server is of no use: {error}", error)

    # --- called by the strategy -----------------------------------------------------------------------------

    def silence(self) -> None:
        """Note that the voice has stopped."""
        if self.listener:
            self.listener.silence()

    def take_for_final(self) -> None:
        """Treat the last interim transcription as final."""
        self._final, self._interim = [*self._final, self._interim], ""

    def end_turn(self) -> None:
        """Note that the turn is over."""
        self._final, self._interim = [], ""
        if self.listener:
            self.listener.end_turn()

    def discard_turn(self) -> None:
        """Discard the words of this turn: its units are revoked. The aggregator keeps the words."""
        self._final, self._interim = [], ""
        if self.listener:
            self.listener.discard_turn()


class SyntaxUserTurnStopStrategy(BaseUserTurnStopStrategy):
    """Strategy that ends the user's turn at a silence, sooner if the sentence has probably ended.

    An answer is started as soon as the sentence may end, and dropped if the user continues. If no final
    transcription comes in time, the last interim one counts as final.
    """

    def __init__(self, syntax: Syntax, **others: Any) -> None:
        super().__init__(**others)
        self._syntax = syntax
        syntax.has_strategy = True
        self._waiting: asyncio.Task[None] | None = None
        self._is_speaking = False
        self._silent_since = 0.0
        self._speculation: UserTurnSpeculation | None = None

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Follow voice and transcriptions."""
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self._is_speaking = True
            await self._go_on()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self._is_speaking = False
            await self._begin_to_wait(monotonic() - frame.stop_secs)
        elif isinstance(frame, TranscriptionFrame | InterimTranscriptionFrame):
            if frame.result != TAKEN_FOR_FINAL and not self._is_speaking:
                await self._begin_to_wait(monotonic())
        elif isinstance(frame, EndFrame | CancelFrame):
            await self._go_on()
        return ProcessFrameResult.CONTINUE

    async def handle_user_turn_stopped(self) -> None:
        """Prepare for the next turn."""
        await self._go_on()
        self._syntax.end_turn()

    async def cleanup(self) -> None:
        """Stop waiting."""
        await self._stop_waiting()
        await super().cleanup()

    # --- silences ------------------------------------------------------------------------------------------

    async def _begin_to_wait(self, since: float) -> None:
        await self._stop_waiting()
        if not self._syntax.text:
            return
        self._silent_since = since
        self._syntax.silence()
        self._waiting = self.task_manager.create_task(self._wait(), f"{self}::wait")

    async def _stop_waiting(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting and waiting is not asyncio.current_task():
            await self.task_manager.cancel_task(waiting)

    async def _go_on(self) -> None:
        """Stop waiting, since the user continues or the turn is over."""
        await self._stop_waiting()
        await self._drop_speculation()

    async def _wait(self) -> None:
        """Wait and end the turn; new updates shorten the wait."""
        began = monotonic()
        while (left := self._patience() - (monotonic() - began)) > 0:
            await self._speculate()
            await asyncio.sleep(min(left, STEP))
        self._waiting = None
        await self._end_turn()

    def _patience(self) -> float:
        """Return the whole waiting time in seconds."""
        ends = ends_now(self._syntax.update, monotonic() - self._silent_since)
        return SHORTEST_WAIT + (LONGEST_WAIT - SHORTEST_WAIT) * (1 - ends)

    # --- answers -------------------------------------------------------------------------------------------

    async def _speculate(self) -> None:
        """Start an answer if the sentence may end, unless one for the same words is running."""
        text = self._syntax.text
        if self._speculation and NormalizedMatch().matches(self._speculation.text, text):
            return
        await self._drop_speculation()
        if may_end_now(self._syntax.update) >= LIKELY:
            self._speculation = UserTurnSpeculation(text)
            await self.trigger_user_turn_inference_triggered(speculation=self._speculation)

    async def _drop_speculation(self) -> None:
        speculation, self._speculation = self._speculation, None
        if speculation:
            await self.trigger_user_turn_speculation_cancelled()

    async def _end_turn(self) -> None:
        text, missing = self._syntax.text, self._syntax.open_text
        if missing:  # the aggregator has final transcriptions only
            self._syntax.take_for_final()
            named = {"user_id": self._syntax.speaker, "timestamp": time_now_iso8601(), "finalized": True}
            await self.broadcast_frame(TranscriptionFrame, text=missing, result=TAKEN_FOR_FINAL, **named)
            await asyncio.sleep(STEP)  # the frame passes through the queue of the aggregator
        speculation = self._speculation
        if speculation and NormalizedMatch().matches(speculation.text, text):
            self._speculation = None
            await self.trigger_user_turn_finalized(confirms_speculation=True)
        else:
            await self._drop_speculation()
            await self.trigger_user_turn_stopped()
