"""Open document of an editor, with its analyses and its session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from treewhile.incremental.embedding.async_sessions import on_loop
from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.messages import AnyMessage, Close, Edit, ErrorMessage, Open
from treewhile.incremental.sessions.document_edits import edit_between
from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView
from treewhile.server.doors.lsp.diagnostics import KeptConflicts, diagnostic_of, hint_of, place_of
from treewhile.server.doors.lsp.edited_texts import EditedText, prose_of
from treewhile.server.doors.lsp.settings import BLOCK, Settings
from treewhile.server.process.settings import leave_out_of_collections
from treewhile.server.work.engines import beside_loop, load_engine

LONGEST_NAME: Final = 80

_numbers = count(1)

PASSING: Final = ("failed", "unsupported_script")  # errors that a later analysis takes away


class AnalysedDocument:
    """Text of an editor that a session analyses, once there is a session and as long as it accepts the text.

    name     name of the document in the session, a new one each time that it is opened there
    version  version of the text in the editor
    """

    def __init__(self, opened: types.TextDocumentItem, encoding: str) -> None:
        self.uri, self.language, self.version = opened.uri, opened.language_id, opened.version
        self.text = EditedText(opened.text, encoding)
        self.settings = Settings()
        self.name = ""
        self._error: ErrorMessage | None = None  # refusal by the session
        self._session: ModelSession | None = None
        self._view: DocumentView | None = None
        self._kept = KeptConflicts()
        self._prose, self._sent = "", 0  # text in the session, and number of its changes
        self._news = asyncio.Event()

    # --- input ----------------------------------------------------------------------------------------------

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        for change in changes:
            self.text.change(change)
            self.follow()
        self.version = version
        self._announce()

    def use(self, settings: Settings, session: ModelSession) -> None:
        """Use new settings, and perhaps another session."""
        if session is not self._session:
            self.leave()
        self.settings, self._session, self._error = settings, session, None
        self.follow()

    def follow(self) -> None:
        """Send the session the changes of the prose, if it can be analysed."""
        if self._session is None or not self._session.is_ready:
            return
        if self.refusal:
            self.leave()
            return
        prose = prose_of(self.text.text, self.language)
        if self._view is None:
            self._begin(prose)
        elif edit := edit_between(self._prose, prose):
            self._sent += 1
            self._session.receive(Edit(self.name, self._sent, *edit))
        self._prose = prose

    def try_again(self) -> None:
        """Retry after a temporary refusal, since the session may have room now."""
        if self._error and self._error.temporary:
            self._error = None
            self.follow()

    def leave(self) -> None:
        """Close the document in the session, and drop the analyses."""
        if self._session and self._view:
            self._session.receive(Close(self.name))
        self._view, self._kept = None, KeptConflicts()
        self._announce()

    def take(self, message: AnyMessage) -> None:
        """Process a message of the session."""
        if self._view is None:
            return
        if isinstance(message, ErrorMessage):
            if message.code not in PASSING:
                self._error = message
                self.leave()
            return
        whole = self._view.receive(message)
        if whole:
            self._kept.receive(whole)
        self._announce()

    def _begin(self, prose: str) -> None:
        assert self._session
        self.name, self._sent = f"{self._title} ({next(_numbers)})", 0
        self._view = DocumentView(self.name)
        self._session.receive(Open(self.name, self._sent, text=prose))

    @property
    def refusal(self) -> str | None:
        """Sentence that says why the document is not analysed, or None."""
        most = self.settings.max_file_length
        if len(self.text.text) > most:
            why = f"it has more than {most:,} characters, which is {BLOCK}.maxFileLength"
            return f"{self._title} is not analysed: {why}."
        return f"{self._title} is not analysed: {self._error.message}." if self._error else None

    @property
    def _title(self) -> str:
        path = unquote(urlsplit(self.uri).path)
        return PurePosixPath(path).name[:LONGEST_NAME] or "the document"

    def _announce(self) -> None:
        """Wake all tasks that wait for changes."""
        self._news.set()
        self._news.clear()

    # --- output ---------------------------------------------------------------------------------------------

    @property
    def is_answered(self) -> bool:
        """True if the session has answered the present text."""
        return self._view is not None and self._view.answered == self._sent

    @property
    def is_tellable(self) -> bool:
        """True if the analyses are of the present text, or the document is refused."""
        return self.is_answered or self.refusal is not None

    async def answered(self) -> bool:
        """Wait for the analysis; return False if the text changes meanwhile or is not analysed."""
        version, view = self.version, self._view
        while view is not None and view is self._view and version == self.version:
            if self.is_answered:
                return True
            await self._news.wait()
        return False

    @property
    def sentences(self) -> list[AnalysisMessage | None]:
        return self._view.sentences if self._view else []

    @property
    def found(self) -> list[tuple[ConflictView, int, int]]:
        """Conflicts, each with its start and end in the text."""
        return [
            (conflict, *place_of(conflict, sentence))
            for sentence, kept in zip(self.sentences, self._kept.sentences, strict=False)
            if sentence
            for conflict in kept.conflicts
        ]

    def diagnostics(self) -> list[types.Diagnostic]:
        severity = self.settings.severity
        return [
            diagnostic_of(conflict, self.text.range(start, end), severity)
            for conflict, start, end in self.found
        ]

    def hints(self) -> list[types.InlayHint]:
        if not self.settings.hints:
            return []
        return [hint for one in self.sentences if one and (hint := hint_of(one, self.text))]


# --- session ------------------------------------------------------------------------------------------------


class ModelSession:
    """Session with a model; `is_ready` is true once the model is loaded.

    tell  function that gets messages, called on the event loop
    """

    def __init__(self, model: str, tell: Callable[[list[AnyMessage]], None]) -> None:
        self._model, self._tell = model, tell
        self._session: ThreadedSession | None = None

    @property
    def is_ready(self) -> bool:
        return self._session is not None

    async def load(self) -> None:
        """Load the model; raise InputError if that is impossible."""
        engine = await beside_loop(lambda: load_engine(self._model))
        leave_out_of_collections()
        self._session = ThreadedSession(engine.new_session(), on_news=on_loop(self._read))

    def receive(self, event: object) -> None:
        """Process an event about a document; the model has to be loaded."""
        assert self._session
        self._session.receive(event)

    def _read(self) -> None:
        assert self._session
        messages = self._session.take_messages()
        if messages:
            self._tell(messages)
