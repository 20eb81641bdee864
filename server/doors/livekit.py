"""The door to livekit-agents: a turn detector that goes by syntax, and sees what is not final yet.

class Speaker(Agent):
    def stt_node(self, audio, settings):
        return detector.watch(super().stt_node(audio, settings))

detector = SyntaxTurnDetector()
AgentSession(turn_detection=detector, ...)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from time import monotonic
from typing import Final

from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.transcripts.hypotheses import Hypothesis
from treewhile.incremental.transcripts.listener_options import listener_options
from treewhile.incremental.transcripts.update_readers import UpdateReader, UpdateReaders
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles.errors import InputError
from treewhile.server.doors.extras import needs
from treewhile.server.doors.speech import SpeechListener, ends_now, listener_on
from treewhile.server.errors import DisconnectedError

with needs("livekit"):
    from livekit.agents.llm import ChatContext, ChatMessage
    from livekit.agents.stt import SpeechEvent, SpeechEventType

UNLIKELY: Final = 0.5  # below this probability livekit waits for longer
SILENCE: Final = 0.55  # seconds that have passed when livekit asks, by its detector of voices
PATIENCE: Final = 1.0  # seconds for an analysis, where livekit names none
LOOK_SECONDS: Final = 0.1  # between two looks at whether the server is there and has said more
INTERIM: Final = (SpeechEventType.INTERIM_TRANSCRIPT, SpeechEventType.PREFLIGHT_TRANSCRIPT)


class SyntaxTurnDetector:
    """Says how probable it is that the user has finished, by the words so far.

    It knows final transcripts from the context, and others from `watch`; `updates` gives the trees of these.
    What it does not know in time, it says is neither likely nor unlikely, so livekit goes on as without it.

    language  for example "en", where the name of the model does not begin with its language
    server    an address such as ws://127.0.0.1:8080 or ws://any:TOKEN@127.0.0.1:8080, to parse there
              instead of here; where it will not have us, predictions raise a DisconnectedError
    options   of the analyses: see `Listener`
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        language: str | None = None,
        server: str | None = None,
        *,
        options: OptionChanges | None = None,
    ) -> None:
        self._name, self._place = model, (model, server, listener_options(options))
        self._language = language or Path(model).stem.partition("-")[0].lower()
        self._stack = AsyncExitStack()
        self._starting = asyncio.Lock()
        self._listener: SpeechListener | None = None
        self._update: Update | None = None
        self._came = asyncio.Event()
        self._connects_until = 0.0  # by which time a server that is there has answered
        self._readers = UpdateReaders()
        self._error: DisconnectedError | None = None
        self._is_watching = self._has_answered = self._is_told_of_ends = False

    @property
    def model(self) -> str:
        return self._name

    @property
    def provider(self) -> str:
        return "treewhile"

    async def unlikely_threshold(self, language: str | None) -> float | None:
        """Below which probability the user has hardly finished; None for another language."""
        return UNLIKELY if await self.supports_language(language) else None

    async def supports_language(self, language: str | None) -> bool:
        """Whether it is that of the model; what is not named may be."""
        return language is None or language.lower().split("-")[0] == self._language

    async def predict_end_of_turn(self, chat_ctx: ChatContext, *, timeout: float | None = None) -> float:
        """How probable it is that the user has finished."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE if timeout is None else timeout):
                if self._is_watching:
                    (await self._ready()).silence()
                else:
                    await self._hear_context(chat_ctx)
                update = await self._present()
                if update and update.completeness:
                    ends = ends_now(update, SILENCE)
                    self._has_answered = ends >= UNLIKELY
                    return ends
        return UNLIKELY

    async def watch(self, events: AsyncIterable[SpeechEvent | str]) -> AsyncIterator[SpeechEvent | str]:
        """The events of a recognizer as they are, heard on their way: for `Agent.stt_node`."""
        self._is_watching = True
        async for event in events:
            if isinstance(event, SpeechEvent):
                await self._hear_event(event)
            yield event

    def updates(self) -> UpdateReader:
        """The updates from now on, as an asynchronous iterator, until parsing stops; several may read."""
        return self._readers.new()

    def end_turn(self) -> None:
        """The user's turn is over, as `Agent.on_user_turn_completed` knows.

        Where nobody says so, words that come after a likely end are taken for the next turn.
        """
        self._is_told_of_ends = True
        if self._listener:
            self._listener.end_turn()

    def discard_turn(self) -> None:
        """Throws away what was said in this turn: all its units are revoked."""
        self._has_answered = False
        if self._listener:
            self._listener.discard_turn()

    async def aclose(self) -> None:
        """Stops parsing."""
        await self._stack.aclose()
        self._readers.end()

    # --- what is heard -------------------------------------------------------------------------------------

    async def _hear_event(self, event: SpeechEvent) -> None:
        if event.type is SpeechEventType.START_OF_SPEECH:
            (await self._ready()).voice()
        is_final = event.type is SpeechEventType.FINAL_TRANSCRIPT
        if not event.alternatives or (not is_final and event.type not in INTERIM):
            return
        said = event.alternatives[0]
        times = (said.start_time, said.end_time) if said.end_time > said.start_time else (None, None)
        heard = Hypothesis(said.text, is_final=is_final, start=times[0], end=times[1])
        await self._hear(heard, begins_turn=self._has_answered and not self._is_told_of_ends)

    async def _hear_context(self, chat_ctx: ChatContext) -> None:
        """What the user said last, all of it."""
        last = chat_ctx.items[-1] if chat_ctx.items else None
        said = last.text_content if isinstance(last, ChatMessage) and last.role == "user" else None
        await self._hear(Hypothesis(said or "", is_final=True), begins_turn=True)

    async def _hear(self, hypothesis: Hypothesis, begins_turn: bool) -> None:
        listener = await self._ready()
        self._has_answered = False
        if begins_turn:
            listener.end_turn()
        with suppress(InputError):  # far too long: the conversation goes on without an analysis
            listener.hear(hypothesis)

    async def _ready(self) -> SpeechListener:
        async with self._starting:
            if self._listener is None:
                self._listener = listener = await listener_on(*self._place)
                self._connects_until = monotonic() + PATIENCE
                await self._stack.enter_async_context(listener)
                reader = asyncio.create_task(self._read(listener))
                self._stack.callback(reader.cancel)
            return self._listener

    async def _read(self, listener: SpeechListener) -> None:
        try:
            async for update in listener.updates():
                if update.turn == listener.turn:
                    self._update = update
                self._readers.tell(update)
                self._came.set()
        except DisconnectedError as error:  # for good
            self._error = error
            self._readers.end(error)

    async def _present(self) -> Update | None:
        """The update about all that was heard; None where nothing was."""
        listener = await self._ready()
        if self._error:
            raise self._error
        while not listener.is_current(self._update):
            if listener.is_current(None) or self._is_away(listener):
                return None
            await self._look_again()
        if self._update and self._update.completeness is None:
            await self._look_again()
        return self._update

    def _is_away(self, listener: SpeechListener) -> bool:
        """Whether the server is away, and not only about to be reached for the first time."""
        return listener.state == "away" and monotonic() >= self._connects_until

    async def _look_again(self) -> None:
        """Waits for an update, and no longer than until the next look at whether the server is there."""
        self._came.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), LOOK_SECONDS)
