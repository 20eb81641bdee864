"""Throttled publishing of diagnostics: changed marks are sent soon, moved ones in a pause.

An editor gets all diagnostics of a document at once, and moves them with the text by itself: a typed letter
that changes no mark needs no new list. Editors cannot request them (`textDocument/diagnostic`): they would do
so at each letter, and since all later positions move, each answer would be a new list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from lsprotocol import types

from treewhile.server.doors.lsp.analysed_documents import AnalysedDocument

PAUSE: Final = 0.3  # seconds without changes before moved marks are sent
LONGEST: Final = 3.0  # seconds of continuous changes before moved marks are sent
APART: Final = 0.001  # seconds per mark between two lists, more than making and sending a list takes

Publish = Callable[[int | None, list[types.Diagnostic]], None]


Marks = tuple[tuple[str, str, str], ...]


class Told(NamedTuple):
    """Published marks of a version: severity, constraint and message of each; and their places."""

    marks: Marks = ()
    version: int | None = None
    places: tuple[tuple[int, int], ...] = ()


class ToldDiagnostics:
    """Publisher for one document; call `update` whenever the document may have news and is tellable."""

    def __init__(self, document: AnalysedDocument, publish: Publish) -> None:
        self._document, self._publish = document, publish
        self._told = Told()
        self._last = 0.0  # time of the last list
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def update(self) -> None:
        """Publish changes, now or soon."""
        self._stop()
        news, now = self._news(), asyncio.get_running_loop().time()
        if news == self._told:
            self._waits_since = None
            return
        self._waits_since = now if self._waits_since is None else self._waits_since
        due = self._last + APART * len(news.marks)
        if news.marks == self._told.marks:
            due = max(due, min(now + PAUSE, self._waits_since + LONGEST))
        if due <= now:
            self._tell(news)
        else:
            self._timer = asyncio.get_running_loop().call_at(due, self._tell_in_time)

    def close(self) -> None:
        """Remove all marks."""
        self._stop()
        if self._told.marks:
            self._publish(None, [])

    def _news(self) -> Told:
        found = self._document.found
        severity = self._document.settings.severity
        marks = tuple((severity, conflict.constraint, conflict.message) for conflict, _, _ in found)
        return Told(marks, self._document.version, tuple((start, end) for _, start, end in found))

    def _tell_in_time(self) -> None:
        if self._document.is_tellable:  # otherwise `update` is called later
            self._tell(self._news())

    def _tell(self, news: Told) -> None:
        self._told, self._waits_since = news, None
        self._last = asyncio.get_running_loop().time()
        self._publish(news.version, self._document.diagnostics())

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
