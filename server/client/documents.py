"""A document as its client has it: its words, which may go ahead of the server's, and what has come back."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, TypeAlias

from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    AskAnalyses,
    Close,
    ClosedMessage,
    CompletenessMessage,
    ErrorMessage,
    Event,
    MovedMessage,
    Open,
    SentencesMessage,
    StepsMessage,
)
from treewhile.server.client.edited_document import EditedDocument, Send
from treewhile.server.errors import DocumentError

KEPT: Final = 1000  # messages that wait to be read; of more, the oldest go

Told: TypeAlias = (
    AnalysisMessage | StepsMessage | SentencesMessage | MovedMessage | CompletenessMessage | ErrorMessage
)


class Document(EditedDocument):
    """An open document. Changes return their version at once; analyses come as they are made.

    version    of the last change
    answered   the last version that has had an answer
    sentences  the newest analysis of each sentence, None where there is none yet
    view       the same with the next steps of each, and questions that it answers: see `DocumentView`
    is_over    whether it is closed
    """

    def __init__(self, send: Send, opening: Open) -> None:
        super().__init__(send, opening)
        self.view = DocumentView(self.name)
        self._told: deque[Told] = deque(maxlen=KEPT)
        self._news = asyncio.Event()

    async def __aenter__(self) -> Document:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def sentences(self) -> Sequence[AnalysisMessage | None]:
        """The newest analysis of each sentence, None where there is none yet."""
        return self.view.sentences

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
        if isinstance(message, ErrorMessage):
            return self._take_error(message)
        whole = self.view.receive(message)
        if whole is None:  # a delta to what was lost
            return [AskAnalyses(self.name)]
        if isinstance(whole, ClosedMessage):
            self.end()
            return ()
        if isinstance(whole, StepsMessage):
            self.sent.take_steps()
        elif isinstance(whole, AnalysisMessage | SentencesMessage):
            self.sent.take_answers(max(whole.answers, default=-1))
        self._tell(whole)
        return ()

    def resume(self, version: int) -> Sequence[Event]:
        """What to say to a server that has all changes up to a version and will send all analyses anew."""
        self.view.clear()
        return self.sent.resumed(version)

    def open_again(self) -> Sequence[Event]:
        """What to say to a server that knows nothing of it: the words, without gold heads and steps."""
        self.view.clear()
        return self.sent.opened_again()

    def end(self, why: Exception | None = None) -> None:
        """Nothing more comes."""
        self.is_over, self.end_reason = True, self.end_reason or why
        self._news.set()

    def _tell(self, message: Told) -> None:
        self._told.append(message)
        self._news.set()

    def _take_error(self, error: ErrorMessage) -> Sequence[Event]:
        self.view.receive(error)
        refused = self.sent.refused_by(error)
        if error.code == "unknown_document":
            return self.open_again()
        if error.code == "old_version" and not error.temporary:
            return ()  # said twice, around a lost connection
        if isinstance(refused, Open):
            self.end(DocumentError(error))
        elif refused and not error.temporary:
            self.sent.take_back(refused)
        self._tell(error)
        return ()
