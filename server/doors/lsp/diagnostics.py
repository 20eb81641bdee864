"""Marks in an editor: diagnostics made from conflicts, which are kept until checked again, and hints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from lsprotocol import types
from msgspec.structs import replace

from treewhile.incremental.embedding.document_views import WholeMessage
from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView, SentencesMessage, WordView
from treewhile.incremental.sessions.standing_trees import places_before
from treewhile.server.doors.lsp.edited_texts import EditedText
from treewhile.server.doors.lsp.settings import BLOCK, Severity

SEVERITIES: Final[dict[Severity, types.DiagnosticSeverity]] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def place_of(conflict: ConflictView, sentence: AnalysisMessage) -> tuple[int, int]:
    """Return the range of the words of a conflict in the document."""
    words = [sentence.words[number - 1] for number in conflict.words]
    start, end = min(word.start for word in words), max(word.end for word in words)
    return sentence.start + start, sentence.start + end


def diagnostic_of(conflict: ConflictView, where: types.Range, severity: Severity) -> types.Diagnostic:
    """Return a conflict as a diagnostic."""
    return types.Diagnostic(
        range=where,
        message=re.sub(r"\*([^*]+)\*", r"“\1”", conflict.message),
        severity=SEVERITIES[severity],
        code=conflict.constraint,
        source=BLOCK,
    )


# --- kept conflicts -----------------------------------------------------------------------------------------

UNSEARCHED: Final = ("initial", "improved")


class Kept(NamedTuple):
    """Conflicts about some words that have messages for people."""

    words: Sequence[WordView]
    conflicts: Sequence[ConflictView]


NOTHING: Final = Kept((), ())


class KeptConflicts:
    """Conflicts of a document by sentence."""

    def __init__(self) -> None:
        self.sentences: list[Kept] = []

    def receive(self, message: WholeMessage) -> None:
        """Process a message of the session, with a whole analysis."""
        if isinstance(message, SentencesMessage):
            self._have_room_for(message.first + message.removed)
            self.sentences[message.first : message.first + message.removed] = [NOTHING] * message.added
        elif isinstance(message, AnalysisMessage):
            self._have_room_for(message.sentence + 1)
            before = self.sentences[message.sentence]
            found = _carried(before, message.words) if _awaits_conflicts(message) else _told(message)
            self.sentences[message.sentence] = Kept(message.words, found)

    def _have_room_for(self, sentences: int) -> None:
        self.sentences += [NOTHING] * (sentences - len(self.sentences))


def _awaits_conflicts(analysis: AnalysisMessage) -> bool:
    """Return whether level L2, which finds the conflicts, is still to come."""
    return analysis.stage in UNSEARCHED and "L2" not in analysis.levels and not analysis.cut_short


def _told(analysis: AnalysisMessage) -> list[ConflictView]:
    return [conflict for conflict in analysis.conflicts if conflict.message]


def _carried(before: Kept, words: Sequence[WordView]) -> list[ConflictView]:
    """Return the conflicts whose words are unchanged, with the new numbers of these words."""
    if not before.conflicts:
        return []
    old, new = [word.form for word in before.words], [word.form for word in words]
    places = {
        place + 1: number
        for number, place in enumerate(places_before(old, new), 1)
        if place is not None and old[place] == new[number - 1]
    }
    return [
        replace(conflict, words=[places[number] for number in conflict.words])
        for conflict in before.conflicts
        if places.keys() >= {*conflict.words}
    ]


# --- hints --------------------------------------------------------------------------------------------------


def hint_of(sentence: AnalysisMessage, text: EditedText) -> types.InlayHint | None:
    """Return the hint of a sentence, or None if no word is expected."""
    if sentence.whole or sentence.stage == "final" or not sentence.virtual or not sentence.words:
        return None
    return types.InlayHint(
        position=text.position(sentence.start + sentence.words[-1].end),
        label=" ".join(f"[{one.tag}]" for one in sentence.virtual),
        tooltip="must still come",
        padding_left=True,
    )
