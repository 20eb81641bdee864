"""A document that an editor has open, with what a session says of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.messages import AnyMessage, Close, Edit, ErrorMessage, Open
from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView
from treewhile.incremental.sessions.text_edits import edit_between
from treewhile.server.doors.lsp.diagnostics import diagnostic_of, place_of
from treewhile.server.doors.lsp.edited_texts import EditedText
from treewhile.server.doors.lsp.hints import hint_of
from treewhile.server.doors.lsp.kept_conflicts import KeptConflicts
from treewhile.server.doors.lsp.model_sessions import ModelSession
from treewhile.server.doors.lsp.prose import prose_of
from treewhile.server.doors.lsp.settings import BLOCK, Settings

LONGEST_NAME: Final = 80

_numbers = count(1)


class AnalysedDocument:
    """A text that is edited; the session follows its prose, as soon as there is one and as long as it can.

    name     by which the session knows it, another one each time that it is opened there
    version  the editor's own, of the text
    """

    def __init__(self, opened: types.TextDocumentItem, encoding: str) -> None:
        self.uri, self.language, self.version = opened.uri, opened.language_id, opened.version
        self.text = EditedText(opened.text, encoding)
        self.settings = Settings()
        self.name = ""
        self._error: ErrorMessage | None = None  # why the session does not take it
        self._session: ModelSession | None = None
        self._view: DocumentView | None = None
        self._kept = KeptConflicts()
        self._prose, self._sent = "", 0  # what the session has, and how often that has changed
        self._news = asyncio.Event()

    # --- in -------------------------------------------------------------------------------------------------

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        for change in changes:
            self.text.change(change)
            self.follow()
        self.version = version
        self._announce()

    def use(self, settings: Settings, session: ModelSession) -> None:
        """From now on, with other settings, and maybe another model."""
        if session is not self._session:
            self.leave()
        self.settings, self._session, self._error = settings, session, None
        self.follow()

    def follow(self) -> None:
        """Tells the session what of the prose it does not know, if that can be analysed."""
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
        """There may be room in the session for what it could not take."""
        if self._error and self._error.temporary:
            self._error = None
            self.follow()

    def leave(self) -> None:
        """Nothing is known any more."""
        if self._session and self._view:
            self._session.receive(Close(self.name))
        self._view, self._kept = None, KeptConflicts()
        self._announce()

    def take(self, message: AnyMessage) -> None:
        """Takes what the session says of it."""
        if self._view is None:
            return
        if isinstance(message, ErrorMessage):
            if message.code != "failed":  # which a later analysis makes up for
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
        """Why it is not analysed, in one sentence, if anything is wrong with it."""
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
        """Those who wait look again."""
        self._news.set()
        self._news.clear()

    # --- out ------------------------------------------------------------------------------------------------

    @property
    def is_answered(self) -> bool:
        """Whether the session has answered the present text."""
        return self._view is not None and self._view.answered == self._sent

    @property
    def is_tellable(self) -> bool:
        """Whether all that is known is about the present text, or nothing is known of it."""
        return self.is_answered or self.refusal is not None

    async def answered(self) -> bool:
        """Waits until it is answered; false if the text changes meanwhile, or nobody analyses it."""
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
        """The conflicts, each with its place in the text."""
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
