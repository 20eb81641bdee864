"""Notebook widgets: trees of analyses, and a text box with a live tree, without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import count
from threading import RLock
from typing import Any

import msgspec

from treewhile.incremental.embedding.async_sessions import on_loop
from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.embedding.threaded_sessions import ThreadedSession
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.document_edits import edit_between
from treewhile.incremental.sessions.messages import AnalysisMessage, Close, Edit, Open
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.sessions.words_to_come import head_view
from treewhile.incremental.texts.scripts import check_script
from treewhile.oracles.errors import InputError
from treewhile.server.errors import needs

with needs("notebook"):
    from anywidget import AnyWidget
    from traitlets import Dict, Int, List, Unicode, observe

Source = Analysis | AnalysisMessage | str | Sequence[str]
View = Mapping[str, object]  # analysis in the form of the tree element


class Drawing(AnyWidget):
    """Widget that draws a tree for each analysis."""

    _esm = files("treewhile.web").joinpath("notebook.js").read_text("utf-8")
    analyses = List(Dict()).tag(sync=True)


class Tree(Drawing):
    """Widget with the tree of an analysis, or with the parsed trees of a text or of the words of a sentence.

        Tree("Peter drives a red car.")

    source  analysis of a parser or of a session, a text, or the words of one sentence
    model   name of an installed model, or a model file, for a text or words
    """

    def __init__(self, source: Source, model: str = "en") -> None:
        super().__init__(analyses=_views(source, model))


class Typing(Drawing):
    """Widget with a text box, above the tree of the sentence at the cursor. It works until it is closed.

    Its threads run while there is something to parse, and end ten seconds later.

    text    text of the box; setting it is like typing, and moves the cursor behind the new text
    cursor  position of the cursor in the text, in code points
    told    error about the text, or empty
    """

    text = Unicode().tag(sync=True)
    cursor = Int(0).tag(sync=True)
    told = Unicode().tag(sync=True)
    _session: ThreadedSession | None = None

    def __init__(self, model: str = "en", text: str = "") -> None:
        loaded = load_model(model)
        super().__init__(text=text, cursor=len(text))
        self._lock, self._versions, self._names = RLock(), count(), map(str, count())
        self._text_of_cursor = text
        self._session = ThreadedSession(Session(loaded), on_news=on_loop(self._take_news))
        self._open()

    def close(self) -> None:
        """Close the widget, and stop parsing."""
        super().close()
        if self._session:
            self._session.close()

    @observe("text")
    def _edit(self, change: Any) -> None:
        if self._session is None:  # initial text
            return
        edit = edit_between(change["old"], change["new"])
        with self._lock:
            if self._view.error:
                self._session.receive(Close(self._view.document))
                self._open()
            elif edit:
                self._session.receive(Edit(self._view.document, next(self._versions), *edit))
        if edit and self._text_of_cursor != self.text:  # the box has not sent the cursor for this text
            start, _, new = edit
            self.cursor = start + len(new)

    def _open(self) -> None:
        """Open a new document with the present text; after an error, the session has an older text."""
        assert self._session
        with self._lock:
            self._view = DocumentView(next(self._names))
            self._session.receive(Open(self._view.document, next(self._versions), text=self.text))

    def _take_news(self) -> None:
        assert self._session
        with self._lock:
            for message in self._session.take_messages():
                self._view.receive(message)
            self._show()

    @observe("cursor")
    def _follow_cursor(self, _: object) -> None:
        self._text_of_cursor = self.text
        if self._session:
            self._show()

    def _show(self) -> None:
        with self._lock:
            shown, error = self._view.sentence_at(self.cursor), self._view.error
            self.analyses = [] if shown is None else [_of_message(shown)]
            self.told = error.message if error else ""


# --- analyses -----------------------------------------------------------------------------------------------


def _views(source: Source, model: str) -> list[View]:
    if isinstance(source, AnalysisMessage):
        return [_of_message(source)]
    if isinstance(source, Analysis):
        return [_of_analysis(source)]
    parser = load_model(model)
    if not isinstance(source, str):
        return [_of_analysis(parser.parse(source))]
    if parser.segmenter is None:
        raise InputError(f"the model {model} does not cut text into words: give the words of a sentence")
    check_script(source, parser.inventory.scripts)
    sentences = parser.segmenter.segment(source)
    forms = [[word.form for word in sentence.words] for sentence in sentences]
    return [_of_analysis(analysis) for analysis in parser.parse_all(forms)]


def _of_message(message: AnalysisMessage) -> View:
    view: View = msgspec.to_builtins(message)
    return view


def _of_analysis(analysis: Analysis) -> View:
    rows = zip(analysis.words, analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True)
    return {
        "words": [
            {
                "form": form,
                "tag": tag,
                "features": features,
                "head": head_view(head, "virtual"),
                "label": label,
            }
            for form, tag, features, head, label in rows
        ],
        "virtual": [
            {
                "node": one.node.number,
                "tag": one.node.tag,
                "head": head_view(one.head, "virtual"),
                "label": one.label,
            }
            for one in analysis.expected
        ],
    }
