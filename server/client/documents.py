"""Document of a client: its edited words, and the analyses that arrive for it."""

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
    AskMargins,
    Close,
    ClosedMessage,
    CompletenessMessage,
    ConstraintsMessage,
    ErrorMessage,
    Event,
    LanguageMessage,
    MarginsMessage,
    MistakesMessage,
    MovedMessage,
    Open,
    SentencesMessage,
    StepsMessage,
)
from treewhile.server.client.edited_document import EditedDocument, Send
from treewhile.server.errors import DocumentError

KEPT: Final = 1000  # unread messages; beyond, the oldest are dropped

Told: TypeAlias = (
    AnalysisMessage
    | StepsMessage
    | MarginsMessage
    | SentencesMessage
    | MovedMessage
    | CompletenessMessage
    | LanguageMessage
    | MistakesMessage
    | ConstraintsMessage
    | ErrorMessage
)


class Document(EditedDocument):
    """Open document. Changes return their version at once; analyses arrive later.

    version    version of the last change
    answered   last version that was answered
    sentences  newest analysis of each sentence, None if there is none yet
    view       newest analyses and next steps of all sentences: see `DocumentView`
    is_over    whether the document is closed
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
        """Newest analysis of each sentence, None if there is none yet."""
        return self.view.sentences

    async def close(self) -> None:
        """Close the document."""
        if not self.is_over:
            await self.say(Close(self.name))
            self.end()

    async def messages(self) -> AsyncIterator[Told]:
        """Yield all messages about the document, with whole analyses, until it is closed.

        If nobody reads for long, the oldest messages are dropped. Ends with an exception if the server has
        closed the connection permanently.
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
        """Yield whole analyses until the document is closed.

        An error message raises DocumentError; iterate again then.
        """
        async for message in self.messages():
            if isinstance(message, AnalysisMessage):
                yield message
            elif isinstance(message, ErrorMessage):
                raise DocumentError(message)

    # --- called by the client -------------------------------------------------------------------------------

    def take(self, message: AnyMessage) -> Sequence[Event]:
        """Process a message, and return the events to send in reply."""
        if isinstance(message, ErrorMessage):
            return self._take_error(message)
        whole = self.view.receive(message)
        if whole is None:  # a delta to an analysis that was lost
            return [AskAnalyses(self.name)]
        if isinstance(whole, ClosedMessage):
            self.end()
            return ()
        if isinstance(whole, StepsMessage):
            self._requests = []
        elif isinstance(whole, MarginsMessage):
            self._requests = [one for one in self._requests if not isinstance(one, AskMargins)]
        elif isinstance(whole, AnalysisMessage | SentencesMessage):
            self._take_answers(max(whole.answers, default=-1))
        self._tell(whole)
        return ()

    def resume(self, version: int) -> Sequence[Event]:
        """Return the events for a server with all changes up to a version, which sends all analyses again."""
        self.view.clear()
        return self._resumed(version)

    def open_again(self) -> Sequence[Event]:
        """Return the events for a server without the document: its words, without gold heads and steps."""
        self.view.clear()
        return self._opened_again()

    def end(self, why: Exception | None = None) -> None:
        """Mark the document as closed, and wake its readers."""
        self.is_over, self.end_reason = True, self.end_reason or why
        self._news.set()

    def _tell(self, message: Told) -> None:
        self._told.append(message)
        self._news.set()

    def _take_error(self, error: ErrorMessage) -> Sequence[Event]:
        self.view.receive(error)
        refused = self._refused_by(error)
        if error.code == "unknown_document":
            return self.open_again()
        if error.code == "old_version" and not error.temporary:
            return ()  # sent twice, before and after a lost connection
        if isinstance(refused, Open):
            self.end(DocumentError(error))
        elif refused and not error.temporary:
            self._take_back(refused)
        self._tell(error)
        return ()
