"""A turn of a conversation: what was heard in it, the document that says so, and what has come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from treewhile.incremental.completeness.completeness import Completeness
from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.sessions.document_parses import common_length
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyEvent,
    AnyMessage,
    Close,
    ClosedMessage,
    Edit,
    ErrorMessage,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.incremental.transcripts.hypotheses import HeardWord
from treewhile.incremental.transcripts.transcript import Transcript
from treewhile.incremental.transcripts.units import TurnUnits
from treewhile.incremental.transcripts.updates import (
    Update,
    arc_units,
    certain_words,
    length_of,
    readings_of,
    text_of,
    word_units,
)

OPTIONS: Final = OptionChanges(streams=["analyses", "completeness"])
STOPS: Final = ".\u2026"
LOST: Final = ("unknown_document", "lost", "too_much")  # errors after which there is no such document


class Turn:
    """A turn and its document, which is opened with the first word and closed once all was said of it.

    view     what has come back
    version  of the last change that was said
    """

    def __init__(self, number: int, document: str, before: Transcript | None) -> None:
        self.number, self.document = number, document
        self.transcript = Transcript(before)
        self.view = DocumentView(document)
        self.version = -1
        self.has_ended = self.is_over = False
        self._said: list[str] | None = None  # the words that the document has
        self._is_finished = self._is_closed = False
        self._has_news = False
        self._units = TurnUnits()

    @property
    def has_begun(self) -> bool:
        """Whether anything was ever heard in it."""
        return self._said is not None or bool(self.transcript.words)

    @property
    def is_behind(self) -> bool:
        """Whether the present words have no analysis yet."""
        is_said = (self._said or []) == self._forms and self._is_finished == self.has_ended
        return self.has_begun and not (is_said and self._is_answered)

    @property
    def _forms(self) -> list[str]:
        """The words of the document: without a full stop at the end of a turn that goes on.

        Many recognizers write one at each pause, and behind it everything would seem to have ended.
        """
        forms = [word.form for word in self.transcript.words]
        return forms if self.has_ended else without_last_stop(forms)

    @property
    def _is_answered(self) -> bool:
        return self.view.answered >= self.version and None not in self.view.sentences

    def pause(self) -> None:
        """There is something to say, even if nothing is new."""
        self._has_news = True

    # --- to a session --------------------------------------------------------------------------------------

    def events(self) -> Iterator[AnyEvent]:
        """What the document does not know yet, once."""
        if self._is_closed or not self.has_begun:
            return
        if self.is_over:
            self._is_closed = True
            yield from [Close(self.document)] if self._said is not None else []
            return
        forms = self._forms
        if self._said is None:
            yield Open(self.document, self._next_version(), text=_written(forms), options=OPTIONS)
        elif forms != self._said:
            yield self._edit(self._said, forms)
        self._said = forms
        if self.has_ended and not self._is_finished:
            self._is_finished = True
            yield from self._last_events(len(_written(forms)))

    def _last_events(self, length: int) -> Iterator[AnyEvent]:
        """Those at the end of the turn: the last space goes, which could bear on how words are cut."""
        if length:
            yield Edit(self.document, self._next_version(), length - 1, length, "")
        yield Finish(self.document, self._next_version())

    def _next_version(self) -> int:
        self.version += 1
        return self.version

    def _edit(self, before: Sequence[str], after: Sequence[str]) -> Edit:
        """The words between those that stay, at both ends."""
        same = common_length(before, after)
        behind = common_length(before[same:][::-1], after[same:][::-1])
        start, gone = len(_written(before[:same])), before[same : len(before) - behind]
        new = _written(after[same : len(after) - behind])
        return Edit(self.document, self._next_version(), start, start + len(_written(gone)), new)

    # --- from a session ------------------------------------------------------------------------------------

    def receive(self, message: AnyMessage) -> None:
        """Takes a message about its document."""
        self.view.receive(message)
        self._has_news = True
        if isinstance(message, ClosedMessage) or (isinstance(message, ErrorMessage) and message.code in LOST):
            self._forget_document()

    def see(self, view: DocumentView, version: int) -> None:
        """Takes what a client's document shows, instead of messages."""
        self.view, self.version, self._has_news = view, version, True

    def _forget_document(self) -> None:
        """It is opened again with the next event, if there is still something to say about it."""
        self.view = DocumentView(self.document)
        self._said, self._is_finished = None, False

    def update(self, may_be_over: bool) -> Update | None:
        """What is new, once all words have an analysis, or None; the last one waits until it may."""
        if self.is_over or not self._has_news or self.is_behind or not self.has_begun:
            return None
        analyses = [one for one in self.view.sentences if one]
        is_over = self.has_ended and all(one.stage == "final" for one in analyses)
        if is_over and not may_be_over:
            return None
        self.is_over, self._has_news = is_over, False
        return self._told(analyses, self.transcript.words)

    def _told(self, analyses: Sequence[AnalysisMessage], heard: Sequence[HeardWord]) -> Update:
        readings = readings_of(analyses, heard)
        final = length_of(self.transcript.final_words)
        certain = certain_words(readings, final, self.is_over)
        if certain:
            self.transcript.keep_final_words()
        words, arcs = word_units(self.number, readings), [*arc_units(self.number, readings)]
        units = self._units.become(words, arcs, certain)
        return Update(self.number, text_of(heard), readings, units, self._completeness, self.is_over)

    @property
    def _completeness(self) -> Completeness | None:
        """That of the last sentence; None where nothing was said of its present words."""
        said, last = self.view.completeness, next(reversed(self.view.sentences), None)
        if said is None or last is None or said.version < last.version or said.words != len(last.words):
            return None
        return Completeness(said.may_end, said.ends)

    def let_go(self) -> Update:
        """The last update of a turn for which nobody waits any longer: what stands is committed."""
        self.is_over = True
        text = text_of(self.transcript.words)
        return Update(self.number, text, [], self._units.commit_all(), None, self.is_over)


def _written(forms: Sequence[str]) -> str:
    """The text of a document: a space behind every word, so that nobody seems to be typing one."""
    return "".join(f"{form} " for form in forms)


def without_last_stop(forms: Sequence[str]) -> list[str]:
    """Return the words without the full stop that ends them; one of an abbreviation such as "p.m." stays."""
    if not forms:
        return []
    bare = forms[-1].rstrip(STOPS)
    if any(stop in bare for stop in STOPS):
        return [*forms]
    return [*forms[:-1], bare] if bare else [*forms[:-1]]
