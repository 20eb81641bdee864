"""Diagnostics as an editor is told of them: other marks soon, and places that have only moved in a pause.

An editor takes all diagnostics of a document at once, and moves them with the text by itself: a letter that
changes no mark costs no list. Editors cannot ask for them (`textDocument/diagnostic`): they would ask at each
letter, and all places behind a letter are others, which makes another list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from lsprotocol import types

from treewhile.server.doors.lsp.analysed_documents import AnalysedDocument

PAUSE: Final = 0.3  # seconds without anything new, after which places are told
LONGEST: Final = 3.0  # seconds until they are, whatever comes
APART: Final = 0.001  # seconds for each mark between two lists, which take a part of that to make and to send

Publish = Callable[[int | None, list[types.Diagnostic]], None]


Marks = tuple[tuple[str, str, str], ...]


class Told(NamedTuple):
    """All marks of a version: how severe each is, its constraint and message; and their places."""

    marks: Marks = ()
    version: int | None = None
    places: tuple[tuple[int, int], ...] = ()


class ToldDiagnostics:
    """Those of a document; `update` whenever there may be something new of one that is tellable."""

    def __init__(self, document: AnalysedDocument, publish: Publish) -> None:
        self._document, self._publish = document, publish
        self._told = Told()
        self._last = 0.0  # when it was told
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def update(self) -> None:
        """Tells what is new, now or soon."""
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
        """Takes all marks away."""
        self._stop()
        if self._told.marks:
            self._publish(None, [])

    def _news(self) -> Told:
        found = self._document.found
        severity = self._document.settings.severity
        marks = tuple((severity, conflict.constraint, conflict.message) for conflict, _, _ in found)
        return Told(marks, self._document.version, tuple((start, end) for _, start, end in found))

    def _tell_in_time(self) -> None:
        if self._document.is_tellable:  # else it is updated once it is
            self._tell(self._news())

    def _tell(self, news: Told) -> None:
        self._told, self._waits_since = news, None
        self._last = asyncio.get_running_loop().time()
        self._publish(news.version, self._document.diagnostics())

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
