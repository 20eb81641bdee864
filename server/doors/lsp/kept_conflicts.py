"""Conflicts of each sentence as they were last found, kept until its constraints are looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from treewhile.incremental.embedding.document_views import WholeMessage
from treewhile.incremental.sessions.messages import AnalysisMessage, ConflictView, SentencesMessage, WordView
from treewhile.incremental.sessions.standing_trees import places_before

UNSEARCHED: Final = ("initial", "improved")


class Kept(NamedTuple):
    """The conflicts of some words that are told to people."""

    words: Sequence[WordView]
    conflicts: Sequence[ConflictView]


NOTHING: Final = Kept((), ())


class KeptConflicts:
    """Those of a document, by its sentences."""

    def __init__(self) -> None:
        self.sentences: list[Kept] = []

    def receive(self, message: WholeMessage) -> None:
        """Takes what a view of the document has taken."""
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
    """Whether L2, which finds the conflicts, is still to come."""
    return analysis.stage in UNSEARCHED and "L2" not in analysis.levels and not analysis.cut_short


def _told(analysis: AnalysisMessage) -> list[ConflictView]:
    return [conflict for conflict in analysis.conflicts if conflict.message]


def _carried(before: Kept, words: Sequence[WordView]) -> list[ConflictView]:
    """The conflicts whose words all stand, in their new numbers: words have changed in one place."""
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
