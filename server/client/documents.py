"""A document as its client has it: its words, which may go ahead of the server's, and what has come back."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, TypeAlias

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    AskAnalyses,
    Close,
    ClosedMessage,
    DeltaMessage,
    ErrorMessage,
    Event,
    MovedMessage,
    Open,
    SentencesMessage,
    StepsMessage,
)
from treewhile.server.client.edited_document import EditedDocument, Send
from treewhile.server.client.known_sentences import KnownSentences
from treewhile.server.errors import DocumentError

KEPT: Final = 1000  # messages that wait to be read; of more, the oldest go

Told: TypeAlias = AnalysisMessage | StepsMessage | SentencesMessage | MovedMessage | ErrorMessage


class Document(EditedDocument):
    """An open document. Changes return their version at once; analyses come as they are made.

    version    of the last change
    answered   the last version that has had an answer
    sentences  the newest analysis of each sentence, None where there is none yet
    is_over    whether it is closed
    """

    def __init__(self, send: Send, opening: Open) -> None:
        super().__init__(send, opening)
        self._known = KnownSentences()
        self._told: deque[Told] = deque(maxlen=KEPT)
        self._news = asyncio.Event()

    async def __aenter__(self) -> Document:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def sentences(self) -> Sequence[AnalysisMessage | None]:
        """The newest analysis of each sentence, None where there is none yet."""
        return self._known.analyses

    async def close(self) -> None:
        """The document is done with."""
        if not self.is_over:
            await self.say(Close(self.name))
            self.end()

    async def messages(self) -> AsyncIterator[Told]:
        """All that the server says of it, analyses in full, until it is closed.

        If nobody reads for long, the oldest messages are dropped. Ends with an exception if the server has
        closed the connection for good.
        """
        while True:
            while self._told:
                yield self._told.popleft()
            if self.is_over:
                break
            self._news.clear()
            await self._news.wait()
        if self.end_reason:
            raise self.end_reason

    async def analyses(self) -> AsyncIterator[AnalysisMessage]:
        """The analyses in full, until it is closed. An error is a DocumentError; then call it again."""
        async for message in self.messages():
            if isinstance(message, AnalysisMessage):
                yield message
            elif isinstance(message, ErrorMessage):
                raise DocumentError(message)

    # --- for the client -------------------------------------------------------------------------------------

    def take(self, message: AnyMessage) -> Sequence[Event]:
        """Takes a message; returns what there is to say to it."""
        if isinstance(message, AnalysisMessage | DeltaMessage):
            return self._take_analysis(message)
        if isinstance(message, ErrorMessage):
            return self._take_error(message)
        if isinstance(message, ClosedMessage):
            self.end()
            return ()
        if isinstance(message, StepsMessage):
            self.sent.take_steps()
        elif isinstance(message, MovedMessage):
            self._known.move(message)
        else:
            self._known.renumber(message)
            self.sent.take_answers(max(message.answers, default=-1))
        self._tell(message)
        return ()

    def resume(self, version: int) -> Sequence[Event]:
        """What to say to a server that has all changes up to a version and will send all analyses anew."""
        self._known.forget()
        return self.sent.resumed(version)

    def open_again(self) -> Sequence[Event]:
        """What to say to a server that knows nothing of it: the words, without gold heads and steps."""
        self._known.forget()
        return self.sent.opened_again()

    def end(self, why: Exception | None = None) -> None:
        """Nothing more comes."""
        self.is_over, self.end_reason = True, self.end_reason or why
        self._news.set()

    def _tell(self, message: Told) -> None:
        self._told.append(message)
        self._news.set()

    def _take_analysis(self, message: AnalysisMessage | DeltaMessage) -> Sequence[Event]:
        whole = self._known.take(message)
        if whole is None:
            return [AskAnalyses(self.name)]
        self.sent.take_answers(max(message.answers, default=-1))
        self._tell(whole)
        return ()

    def _take_error(self, error: ErrorMessage) -> Sequence[Event]:
        if error.code == "unknown_document":
            return self.open_again()
        if error.code == "old_version" and not error.temporary:
            return ()  # said twice, around a lost connection
        refused = self.sent.refused_by(error)
        if isinstance(refused, Open):
            self.end(DocumentError(error))
        elif refused and not error.temporary:
            self.sent.take_back(refused)
        self._tell(error)
        return ()
