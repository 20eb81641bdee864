"""Attached sentences of a document: their order and positions in the last attached version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treewhile.incremental.sessions.document_edits import Splice
from treewhile.incremental.sessions.document_parses import Progress
from treewhile.incremental.sessions.open_sentences import OpenSentence


class Begin(NamedTuple):
    """Begin of a sentence: its first word, and its position in the units of the document."""

    word: int
    place: int


class Move(NamedTuple):
    """Shift of the sentence at `place` and all behind it by some words and units."""

    place: int
    words: int
    units: int


class AttachedSentences:
    """Sentences in order; `waiting` has the numbers of sentences whose words are not attached yet."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.waiting: frozenset[int] = frozenset()
        self._sentences: list[OpenSentence] = []
        self.begins: list[Begin | None] = []
        self._begun: tuple[list[int], list[int]] | None = None  # lists behind `begins`, while it is unchanged
        self.by_number: dict[int, OpenSentence] = {}
        self.places: dict[int, int] = {}  # by number of the sentence
        self._numbers = 0  # number of sentence numbers given out so far
        self._firm = 0  # number of leading sentences that have certainly ended

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[OpenSentence]:
        return iter(self._sentences)

    def __getitem__(self, place: int) -> OpenSentence:
        return self._sentences[place]

    def __contains__(self, sentence: OpenSentence) -> bool:
        return sentence.number in self.by_number

    def is_last(self, sentence: OpenSentence) -> bool:
        """Return whether the sentence is the last one."""
        return self._sentences[-1] is sentence

    def is_up_to_date(self, sentence: OpenSentence) -> bool:
        """Return whether the results for a sentence are about its current words."""
        return sentence.number in self.by_number and sentence.number not in self.waiting

    def has_said(self, number: int) -> bool:
        """Return whether the sentence with a number exists, and was sent."""
        sentence = self.by_number.get(number)
        return sentence is not None and sentence.said is not None

    # --- what an attached slice changes ---------------------------------------------------------------------

    def splice(self, splice: Splice) -> list[OpenSentence]:
        """Remove sentences and insert new ones; return the removed ones."""
        self._begun = None
        at, behind = splice.place, splice.place + splice.removed
        gone = self._sentences[at:behind]
        for sentence in gone:
            del self.by_number[sentence.number], self.places[sentence.number]
        new = [OpenSentence(self._numbers + more) for more in range(1, splice.added + 1)]
        self._numbers += splice.added
        self._sentences[at:behind] = new
        self.begins[at:behind] = [None] * len(new)
        self.by_number |= {sentence.number: sentence for sentence in new}
        self.places |= {sentence.number: place for place, sentence in enumerate(self._sentences[at:], at)}
        return gone

    def move(self, progress: Progress) -> list[Move]:
        """Set the begins of sentences, and return the shifts of old ones."""
        begun = [0, *progress.ends[:-1]], progress.starts
        if begun == self._begun:
            return []
        before, begins = self.begins, [*map(Begin, *begun)]
        self.begins, self._begun = [*begins], begun
        return [*_moves(before, begins)]

    def move_behind(self, place: int, units: int) -> Move | None:
        """Shift the sentences behind one whose length has changed."""
        behind = place + 1
        if not units or behind == len(self.begins):
            return None
        self._begun = None
        moved = [begin and Begin(begin.word, begin.place + units) for begin in self.begins[behind:]]
        self.begins[behind:] = moved
        return Move(behind, 0, units)

    def make_firm(self, progress: Progress) -> list[OpenSentence]:
        """Set which words are certain, and return the sentences that become final, or cease to be."""
        ends, last = progress.ends, len(progress.ends) - 1
        changed: list[OpenSentence] = []
        first = self._first_not_firm(progress)
        start = ends[first - 1] if first else 0
        for place, end in enumerate(ends[first:], first):
            sentence, has_ended = self._sentences[place], place < last or progress.is_finished
            is_firm = has_ended and end <= progress.firm
            if sentence.make_firm(max(0, min(progress.firm, end) - start), is_firm):
                changed.append(sentence)
            self._firm = place + 1 if is_firm and place == self._firm else self._firm
            start = end
        return changed

    def _first_not_firm(self, progress: Progress) -> int:
        """Return the first sentence whose certainty may have changed."""
        changed = [splice.first - 1 for splice in progress.splices if splice.changes_any]
        first = max(0, min([self._firm, len(progress.ends) - 1, *changed]))
        while first and progress.ends[first - 1] > progress.firm:
            first -= 1
        self._firm = first
        return first


def _moves(before: list[Begin | None], after: list[Begin]) -> Iterator[Move]:
    """Yield the shifts of sentences, each relative to the shifted one before it."""
    words = units = 0
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is None or (new.word - old.word, new.place - old.place) == (words, units):
            continue
        moved_words, moved_units = new.word - old.word, new.place - old.place
        yield Move(place, moved_words - words, moved_units - units)
        words, units = moved_words, moved_units
