"""Door to livekit-agents: a turn detector that uses syntax, also of interim transcripts.

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
from treewhile.incremental.transcripts.listener import listener_options
from treewhile.incremental.transcripts.updates import Update, UpdateReader, UpdateReaders
from treewhile.oracles.errors import InputError
from treewhile.server.doors.speech import SpeechListener, ends_now, listener_on
from treewhile.server.errors import DisconnectedError, needs

with needs("livekit"):
    from livekit.agents.llm import ChatContext, ChatMessage
    from livekit.agents.stt import SpeechEvent, SpeechEventType

UNLIKELY: Final = 0.5  # probability below which livekit waits longer
SILENCE: Final = 0.55  # seconds since the last word when livekit asks, because of its voice detection
PATIENCE: Final = 1.0  # seconds for an analysis, if livekit gives no timeout
LOOK_SECONDS: Final = 0.1  # between checks for the state of the server
INTERIM: Final = (SpeechEventType.INTERIM_TRANSCRIPT, SpeechEventType.PREFLIGHT_TRANSCRIPT)


class SyntaxTurnDetector:
    """Turn detector that estimates from the words so far whether the user has finished.

    Final transcripts come from the context, interim ones from `watch`; `updates` gives the trees. If no
    analysis is ready in time, the probability is that of the threshold, so that livekit behaves as without a
    detector.

    language  for example "en", if the name of the model does not begin with its language
    server    address such as ws://127.0.0.1:8080 or ws://any:TOKEN@127.0.0.1:8080, to parse there instead of
              here; if the server refuses permanently, predictions raise a DisconnectedError
    options   options of the analyses: see `Listener`
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
        self._connects_until = 0.0  # time until which a reachable server has answered
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
        """Return the probability below which the user has hardly finished, or None for another language."""
        return UNLIKELY if await self.supports_language(language) else None

    async def supports_language(self, language: str | None) -> bool:
        """Return whether a language is that of the model; None is accepted."""
        return language is None or language.lower().split("-")[0] == self._language

    async def predict_end_of_turn(self, chat_ctx: ChatContext, *, timeout: float | None = None) -> float:
        """Return the probability that the user has finished."""
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
        """Yield the events of a recognizer and pass their words to the parser; for `Agent.stt_node`."""
        self._is_watching = True
        async for event in events:
            if isinstance(event, SpeechEvent):
                await self._hear_event(event)
            yield event

    def updates(self) -> UpdateReader:
        """Return an asynchronous iterator over updates from now on; several may read at once."""
        return self._readers.new()

    def end_turn(self) -> None:
        """Note that the turn of the user is over, as known in `Agent.on_user_turn_completed`.

        Without this call, words that come after a likely end begin the next turn.
        """
        self._is_told_of_ends = True
        if self._listener:
            self._listener.end_turn()

    def discard_turn(self) -> None:
        """Discard the words of this turn: all its units are revoked."""
        self._has_answered = False
        if self._listener:
            self._listener.discard_turn()

    async def aclose(self) -> None:
        """Stop parsing."""
        await self._stack.aclose()
        self._readers.end()

    # --- input ----------------------------------------------------------------------------------------------

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
        """Pass on the last message, if it is the user's."""
        last = chat_ctx.items[-1] if chat_ctx.items else None
        said = last.text_content if isinstance(last, ChatMessage) and last.role == "user" else None
        await self._hear(Hypothesis(said or "", is_final=True), begins_turn=True)

    async def _hear(self, hypothesis: Hypothesis, begins_turn: bool) -> None:
        listener = await self._ready()
        self._has_answered = False
        if begins_turn:
            listener.end_turn()
        with suppress(InputError):  # far too long: the conversation continues without an analysis
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
        except DisconnectedError as error:  # permanent
            self._error = error
            self._readers.end(error)

    async def _present(self) -> Update | None:
        """Return the update that covers all words so far, or None if there are no words."""
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
        """Return whether the server is unreachable, after time for the first connection."""
        return listener.state == "away" and monotonic() >= self._connects_until

    async def _look_again(self) -> None:
        """Wait for an update, at most until the next check of the server."""
        self._came.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), LOOK_SECONDS)
