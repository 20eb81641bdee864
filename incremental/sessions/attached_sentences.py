"""The sentences of a document in the version that was attached last: which there are, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treewhile.incremental.sessions.document_edits import Splice
from treewhile.incremental.sessions.document_parses import Progress
from treewhile.incremental.sessions.open_sentences import OpenSentence


class Begin(NamedTuple):
    """Where a sentence begins: its first word, and its place in the units of the document."""

    word: int
    place: int


class Move(NamedTuple):
    """The sentence at `place` and those behind it have moved back by some words and units."""

    place: int
    words: int
    units: int


class AttachedSentences:
    """Sentences in their order; `waiting` are the numbers of those whose words are still to be attached."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.waiting: frozenset[int] = frozenset()
        self._sentences: list[OpenSentence] = []
        self.begins: list[Begin | None] = []
        self._begun: tuple[list[int], list[int]] | None = None  # what `begins` was made of, while it is that
        self.by_number: dict[int, OpenSentence] = {}
        self.places: dict[int, int] = {}  # by the numbers of sentences
        self._numbers = 0  # given out so far
        self._firm = 0  # how many first sentences have ended for certain

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[OpenSentence]:
        return iter(self._sentences)

    def __getitem__(self, place: int) -> OpenSentence:
        return self._sentences[place]

    def __contains__(self, sentence: OpenSentence) -> bool:
        return sentence.number in self.by_number

    def is_last(self, sentence: OpenSentence) -> bool:
        """Whether no other one stands behind it."""
        return self._sentences[-1] is sentence

    def is_up_to_date(self, sentence: OpenSentence) -> bool:
        """Whether what is known of a sentence is about its present words."""
        return sentence.number in self.by_number and sentence.number not in self.waiting

    def has_said(self, number: int) -> bool:
        """Whether the sentence of a number is there, and was told."""
        sentence = self.by_number.get(number)
        return sentence is not None and sentence.said is not None

    # --- what an attached slice changes ---------------------------------------------------------------------

    def splice(self, splice: Splice) -> list[OpenSentence]:
        """Lets sentences go and others come; gives those that are gone."""
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
        """Takes where sentences begin now, and gives how those that were there before have moved."""
        begun = [0, *progress.ends[:-1]], progress.starts
        if begun == self._begun:
            return []
        before, begins = self.begins, [*map(Begin, *begun)]
        self.begins, self._begun = [*begins], begun
        return [*_moves(before, begins)]

    def move_behind(self, place: int, units: int) -> Move | None:
        """Moves the sentences behind one that has become longer, or shorter."""
        behind = place + 1
        if not units or behind == len(self.begins):
            return None
        self._begun = None
        moved = [begin and Begin(begin.word, begin.place + units) for begin in self.begins[behind:]]
        self.begins[behind:] = moved
        return Move(behind, 0, units)

    def make_firm(self, progress: Progress) -> list[OpenSentence]:
        """Takes what is certain now, and gives the sentences that are final by that, or no longer so."""
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
        """The first sentence that may have become firm, or be so no longer; those before are as they were."""
        changed = [splice.first - 1 for splice in progress.splices if splice.changes_any]
        first = max(0, min([self._firm, len(progress.ends) - 1, *changed]))
        while first and progress.ends[first - 1] > progress.firm:
            first -= 1
        self._firm = first
        return first


def _moves(before: list[Begin | None], after: list[Begin]) -> Iterator[Move]:
    """How sentences have moved, each against the one before it that has moved."""
    words = units = 0
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is None or (new.word - old.word, new.place - old.place) == (words, units):
            continue
        moved_words, moved_units = new.word - old.word, new.place - old.place
        yield Move(place, moved_words - words, moved_units - units)
        words, units = moved_words, moved_units
