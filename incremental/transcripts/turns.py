"""Turn of a conversation: its transcript, its document, and the messages about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from treewhile.incremental.completeness import Completeness
from treewhile.incremental.embedding.document_views import DocumentView
from treewhile.incremental.sessions.document_parses import common_length
from treewhile.incremental.sessions.messages import (
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
from treewhile.incremental.texts.text_words import FINAL_PUNCTUATION
from treewhile.incremental.transcripts.transcript import Transcript
from treewhile.incremental.transcripts.units import TurnUnits, UnitEdit
from treewhile.incremental.transcripts.updates import (
    Reading,
    Update,
    arc_units,
    certain_words,
    length_of,
    readings_of,
    text_of,
    word_units,
)

MARKS: Final = "".join(FINAL_PUNCTUATION) + "\u2026"
ABBREVIATION: Final = re.compile(r"[^\W\d_]{1,2}(\.[^\W\d_]{1,2})+\.")  # such as p.m. or Ph.D.
LOST: Final = ("unknown_document", "lost", "too_much")  # errors after which the document no longer exists


class Turn:
    """Turn and its document, which is opened with the first word and closed after the last update.

    view     the messages so far, folded
    version  of the last change that was sent
    """

    def __init__(self, number: int, document: str, options: OptionChanges, before: Transcript | None) -> None:
        self.number, self.document, self._options = number, document, options
        self.transcript = Transcript(before)
        self.view = DocumentView(document)
        self.version = -1
        self.has_ended = self.is_discarded = self.is_over = False
        self._ended_at: float | None = None
        self._said: list[str] | None = None  # the words that the document has
        self._is_finished = self._is_closed = False
        self._has_news = False
        self._units = TurnUnits()

    @property
    def has_begun(self) -> bool:
        """True if any words were ever heard in this turn."""
        return self._said is not None or bool(self.transcript.words)

    @property
    def is_behind(self) -> bool:
        """True if the current words have no analysis yet, and will get one."""
        if self.is_discarded:
            return False
        is_said = (self._said or []) == self._forms and self._is_finished == self.has_ended
        return self.has_begun and not (is_said and self._is_answered)

    @property
    def _forms(self) -> list[str]:
        """Words of the document: without a final mark at the end of a turn that goes on.

        Many recognizers write a full stop at each pause, and behind it everything would seem to have ended.
        """
        return self._all_forms if self.has_ended else without_last_mark(self._all_forms)

    @property
    def _all_forms(self) -> list[str]:
        return [word.form for word in self.transcript.words]

    @property
    def _is_answered(self) -> bool:
        return self.view.answered >= self.version and None not in self.view.sentences

    def pause(self) -> None:
        """Force an update, even without changes."""
        self._has_news = True

    def end(self, now: float | None) -> None:
        self.has_ended, self._ended_at = True, now

    def discard(self, now: float | None) -> None:
        """End the turn, and discard its words."""
        self.end(now)
        self.is_discarded = self._has_news = True

    # --- to a session --------------------------------------------------------------------------------------

    def events(self) -> Iterator[AnyEvent]:
        """Yield the events that the document does not have yet, once."""
        if self._is_closed or not self.has_begun:
            return
        if self.is_over or self.is_discarded:
            self._is_closed = True
            yield from [Close(self.document)] if self._said is not None else []
            return
        forms = self._forms
        if self._said is None:
            yield Open(self.document, self._next_version(), text=_written(forms), options=self._options)
        elif forms != self._said:
            yield self._edit(self._said, forms)
        self._said = forms
        if self.has_ended and not self._is_finished:
            self._is_finished = True
            yield from self._last_events(len(_written(forms)))

    def _last_events(self, length: int) -> Iterator[AnyEvent]:
        """Yield the last events of the turn: the last space is removed, as it could affect segmentation."""
        if length:
            yield Edit(self.document, self._next_version(), length - 1, length, "")
        yield Finish(self.document, self._next_version())

    def _next_version(self) -> int:
        self.version += 1
        return self.version

    def _edit(self, before: Sequence[str], after: Sequence[str]) -> Edit:
        """Return the edit of the words between the common prefix and suffix."""
        same = common_length(before, after)
        behind = common_length(before[same:][::-1], after[same:][::-1])
        start, gone = len(_written(before[:same])), before[same : len(before) - behind]
        new = _written(after[same : len(after) - behind])
        return Edit(self.document, self._next_version(), start, start + len(_written(gone)), new)

    # --- from a session ------------------------------------------------------------------------------------

    def receive(self, message: AnyMessage) -> None:
        """Process a message about the document."""
        self.view.receive(message)
        self._has_news = True
        if isinstance(message, ClosedMessage) or (isinstance(message, ErrorMessage) and message.code in LOST):
            self._forget_document()

    def see(self, view: DocumentView, version: int) -> None:
        """Use a view of the document instead of messages."""
        self.view, self.version, self._has_news = view, version, True

    def _forget_document(self) -> None:
        """Reset the document, which the next event opens again if necessary."""
        self.view = DocumentView(self.document)
        self._said, self._is_finished = None, False

    def update(self, may_be_over: bool, now: float | None) -> Update | None:
        """Return the update, once all words have an analysis, or None; the last one waits for permission."""
        if self.is_over or not self._has_news or self.is_behind or not self.has_begun:
            return None
        if self.is_discarded:
            return self.let_go(now) if may_be_over else None
        analyses = [one for one in self.view.sentences if one]
        is_over = self.has_ended and all(one.stage == "final" for one in analyses)
        if is_over and not may_be_over:
            return None
        self.is_over, self._has_news = is_over, False
        heard = self.transcript.words
        readings = readings_of(analyses, heard)
        update = Update(
            self.number, text_of(heard), readings, [], self._completeness, is_over, self._late(now)
        )
        return update if update.is_initial else update._replace(units=self._units_of(readings))

    def _units_of(self, readings: Sequence[Reading]) -> list[UnitEdit]:
        certain = certain_words(readings, self._final_length, self.is_over)
        if certain:
            self.transcript.keep_final_words()
        words, arcs = word_units(self.number, readings), [*arc_units(self.number, readings)]
        return self._units.become(words, arcs, certain)

    @property
    def _final_length(self) -> int:
        """Number of characters that cannot change any more, up to a final mark that is held back."""
        final, forms = length_of(self.transcript.final_words), self._forms
        return min(final, len(_written(forms)) - 1) if forms != self._all_forms else final

    def _late(self, now: float | None) -> float:
        return 0.0 if now is None or self._ended_at is None else max(0.0, now - self._ended_at)

    @property
    def _completeness(self) -> Completeness | None:
        """Completeness of the last sentence; None if its current words have none yet."""
        said, last = self.view.completeness, next(reversed(self.view.sentences), None)
        if said is None or last is None or said.version < last.version or said.words != len(last.words):
            return None
        return Completeness(said.may_end, said.ends)

    def let_go(self, now: float | None) -> Update:
        """Return the last update of a turn without waiting: commit all units, or revoke them."""
        self.is_over = True
        text = "" if self.is_discarded else text_of(self.transcript.words)
        units = self._units.revoke_all() if self.is_discarded else self._units.commit_all()
        return Update(self.number, text, [], units, None, self.is_over, self._late(now))


def _written(forms: Sequence[str]) -> str:
    """Return the text of a document: a space behind every word, so that no word counts as being typed."""
    return "".join(f"{form} " for form in forms)


def without_last_mark(forms: Sequence[str]) -> list[str]:
    """Return the words without a final mark at their end; one of an abbreviation stays."""
    if not forms or ABBREVIATION.fullmatch(forms[-1]):
        return [*forms]
    bare = forms[-1].rstrip(MARKS)
    return [*forms[:-1], bare] if bare else [*forms[:-1]]
